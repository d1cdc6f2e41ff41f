#include "models/convex_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "models/convex_costs.hpp"

namespace hornbeam::models {

namespace {

constexpr std::size_t kLeastPredictions = 8;  // a sum for each of fewer is as fast
constexpr Ticks kMantissaBits = 52, kMostLeadingBits = 9, kMostBuckets = Ticks{1} << 14;
constexpr Ticks kNoTie = std::bit_cast<Ticks>(std::numeric_limits<double>::infinity());

/// The bits of the ratios at which a prediction and the next one lose the same; empty if they do not rise.
std::vector<Ticks> rising_ties(const std::vector<Ticks>& costs) {
  const std::size_t n = costs.size() / 2;
  std::vector<Ticks> ties;
  ties.reserve(n - 1);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const Ticks more = costs[k + 1] - costs[k], less = costs[n + k] - costs[n + k + 1];
    if (more <= 0 || less <= 0) return {};
    const Ticks tie = bits_of_quotient<Ticks>(more, less);
    if (!ties.empty() && tie <= ties.back()) return {};
    ties.push_back(tie);
  }
  return ties;
}

/// The largest buckets that have at most one tie each, by the number of bits that do not count; none if these are many.
std::optional<Ticks> widest_buckets(const std::vector<Ticks>& ties) {
  for (Ticks shift = kMantissaBits - 1; shift >= kMantissaBits - kMostLeadingBits; --shift) {
    if ((ties.back() >> shift) - (ties.front() >> shift) >= kMostBuckets) break;
    const auto share_bucket = [shift](Ticks a, Ticks b) { return a >> shift == b >> shift; };
    if (std::adjacent_find(ties.begin(), ties.end(), share_bucket) == ties.end()) return shift;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ConvexTable> convex_table(const std::vector<Ticks>& costs) {
  const std::size_t n = costs.size() / 2;
  if (n < kLeastPredictions) return std::nullopt;
  const std::vector<Ticks> ties = rising_ties(costs);
  if (ties.empty()) return std::nullopt;
  const std::optional<Ticks> shift = widest_buckets(ties);
  if (!shift) return std::nullopt;
  ConvexTable table{ties.front() >> *shift, *shift, {}, {}};
  std::size_t below = 0;  // ties
  for (Ticks bucket = table.first; below < ties.size(); ++bucket) {
    const bool has_tie = ties[below] >> *shift == bucket;
    table.tie.push_back(has_tie ? ties[below] : kNoTie);
    for (const std::size_t k : {below, has_tie ? below + 1 : below}) {
      table.gain[0].push_back(costs[n - 1] - costs[k]);
      table.gain[1].push_back(costs[n] - costs[n + k]);
    }
    if (has_tie) ++below;
  }
  return table;
}

}  // namespace hornbeam::models
