#include "primal/companion.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::primal {

namespace {

/// What the heuristics read without a better tree before their share falls: some milliseconds.
constexpr std::uint64_t kPointsWithoutGain = 1u << 22;

}  // namespace

Companion::Companion(std::function<Points()> make_points, std::uint64_t most_bytes, const models::LeafModel& model,
                     Ticks leaf_penalty, const TreeLimits& limits, run::Run& run, const Share& share,
                     const tree::ResultTree* start)
    : make_points_(std::move(make_points)),
      most_bytes_(most_bytes),
      model_(model),
      leaf_penalty_(leaf_penalty),
      limits_(limits),
      run_(run),
      share_(share),
      start_(start) {}

bool Companion::improve(std::uint64_t searched, std::uint64_t bytes) {
  // The heuristics poll, too.
  if (is_working_ || searched < share_.searched_before || run_.stopped()) return false;
  const bool is_first = !search_;
  if (is_first) {
    if (run_.limits().bytes && bytes + most_bytes_ > *run_.limits().bytes) return false;
    const auto make = [&] {
      search_.emplace(make_points_(), model_, leaf_penalty_, limits_, run_, [this] { poll_(); });
    };
    if (!run_.finishes(make)) return false;
  }
  is_working_ = true;
  const std::uint64_t most = search_->is_starting() ? ~std::uint64_t{0} : 2 * spent_at_gain_ + kPointsWithoutGain;
  const std::uint64_t searched_later = searched - std::min(searched, share_.searched_long);
  const bool has_gained = (is_first && start_ != nullptr && search_->start_from(*start_)) ||
                          (share_.greedy_at_once && search_->start_greedily()) ||
                          search_->work_up_to(searched / share_.without_gain + searched_later / share_.in_long_search +
                                              std::min(searched / share_.at_first, most));
  if (has_gained) {
    spent_at_gain_ = search_->spent();
    ++n_found_;
  }
  is_working_ = false;
  return has_gained;
}

}  // namespace hornbeam::primal
