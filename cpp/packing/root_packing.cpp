#include "packing/root_packing.hpp"

#include <utility>

namespace hornbeam::packing {

namespace {

/// More rows and variables take too long for one packing.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24;
constexpr std::uint64_t kUnitsBetweenPolls = std::uint64_t{1} << 18;
/// Units of the search for each of packing, while the bound is near the best cost and while it is far.
constexpr std::uint64_t kShareIfNear = 1, kShareIfFar = 16;

}  // namespace

RootPacking::RootPacking(PairSizes sizes, std::function<NearPairs(run::WorkMeter&)> make, std::uint64_t units_before,
                         std::uint64_t work_of_unit, run::Run& run, std::function<void()> poll)
    : sizes_(sizes),
      make_(std::move(make)),
      units_before_(units_before),
      work_of_unit_(work_of_unit),
      run_(run),
      meter_(run, kUnitsBetweenPolls, std::move(poll)) {}

bool RootPacking::raise(std::uint64_t searched, std::uint64_t bytes, Ticks best) {
  const std::uint64_t units = searched / work_of_unit_;
  // Packing polls, too.
  if (units < units_before_ || has_no_room_ || is_working_ || run_.stopped()) return false;
  if (!pairs_) {
    const std::optional<std::uint64_t>& limit = run_.limits().bytes;
    has_no_room_ = sizes_.n_rows * sizes_.n_variables > kMostCells || (limit && bytes + sizes_.bytes() > *limit);
    if (has_no_room_) return false;
    pairs_.emplace(make_(meter_));
  }
  const Ticks before = bound();
  const bool is_far = before < best / 2;
  is_working_ = true;
  run_.finishes([&] { pairs_->work_up_to(units / (is_far ? kShareIfFar : kShareIfNear)); });
  is_working_ = false;
  if (bound() == before) return false;
  // Far from a proof at the root, subproblems are rarely closed either.
  if (!is_far) order_.set(pairs_->order());
  return true;
}

}  // namespace hornbeam::packing
