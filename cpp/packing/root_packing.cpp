#include "packing/root_packing.hpp"

#include <utility>

namespace hornbeam::packing {

namespace {

/// More rows and variables take too long for one packing.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24;
constexpr std::uint64_t kUnitsBetweenPolls = std::uint64_t{1} << 18;
/// A search that has taken so many, a second or more, is not likely to end soon.
constexpr std::uint64_t kUnitsOfLongSearch = std::uint64_t{1} << 26;

}  // namespace

RootPacking::RootPacking(PairSizes sizes, std::function<NearPairs(run::WorkMeter&)> make, const Schedule& schedule,
                         std::uint64_t work_of_unit, run::Run& run, std::function<void()> poll)
    : sizes_(sizes),
      make_(std::move(make)),
      schedule_(schedule),
      work_of_unit_(work_of_unit),
      run_(run),
      meter_(run, kUnitsBetweenPolls, std::move(poll)) {}

bool RootPacking::raise(std::uint64_t searched, std::uint64_t bytes, Ticks best) {
  const std::uint64_t units = searched / work_of_unit_;
  // Packing polls, too.
  if (units < schedule_.units_before || has_no_room_ || is_working_ || run_.stopped()) return false;
  if (!pairs_) {
    const std::optional<std::uint64_t>& limit = run_.limits().bytes;
    has_no_room_ = sizes_.n_rows * sizes_.n_variables > kMostCells || (limit && bytes + sizes_.bytes() > *limit);
    if (has_no_room_) return false;
    pairs_.emplace(make_(meter_));
  }
  const auto is_far = [&] { return bound() < best / 2; };
  const Ticks before = bound();
  const bool gets_little = is_far() && units < kUnitsOfLongSearch;
  const std::uint64_t share = gets_little ? schedule_.units_if_far : schedule_.units_if_near;
  is_working_ = true;
  run_.finishes([&] { pairs_->work_up_to(units * share / 16); });
  is_working_ = false;
  // Far from a proof at the root, subproblems are rarely closed either.
  if ((is_shared_ || !is_far()) && order_.get() != pairs_->order()) order_.set(pairs_->order());
  return bound() > before;
}

void RootPacking::share_order() {
  is_shared_ = true;
  if (pairs_) order_.set(pairs_->order());
}

}  // namespace hornbeam::packing
