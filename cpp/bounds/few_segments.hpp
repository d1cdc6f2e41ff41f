// bounds/few_segments.hpp
//
// SAYS     Of the pairs within its rows, a subtree of k leaves loses at least as much as the best k segments of their
//          curve: the groups of equal rows, in the order of their share of positives, divided into k runs.
// SO       A leaf that is split costs at least the least over k of that plus k leaves; for two leaves only the existing
//          splits count. A subtree of three leaves or more splits the leaf on some column, and then one side or both:
//          the same is known of each side that is split, and a side that is not split loses its pairs with itself and
//          with the rows of the other side. This replaces the leaf, or the column, in the bounds of all sets in which
//          the leaf is split next.
// WHY      Equal rows stay together, so the leaves are sums of groups, and their curve is a polygon of k edges on or
//          below that of the groups. Raise each corner to the curve: the polygon rises and stays below, since the curve
//          is concave. Then move the corners along the curve, one by one, between their neighbors: the area below
//          changes with the height above their chord, which is largest at a corner of the curve. So some k runs, or
//          fewer, have at least as much area below them, and dividing a run loses no more. Pairs with other leaves are
//          bounded separately, group by group, and each pair is lost once.
// NEEDS    the loss of the whole ROC curve; the same penalty for all leaves.
// KEEPS    one optimum (of the splits that other bounds leave).
// SOURCE   ours; it extends [lin2020gosdt, theorem C.3], which has a segment for each group without a penalty.
// Switch   split_lookahead, with lookahead and equivalent_points
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::bounds {

/// The curve of some groups, the most positive first; everything in half pairs of a positive and a negative.
class GroupCurve {
 public:
  void clear() { corners_.assign(1, {0, 0, 0}); }
  void add(std::int64_t positive, std::int64_t negative) {
    if (positive * last_[1] == negative * last_[0] && corners_.size() > 1) {
      // Of equal shares: one segment.
      positive += last_[0];
      negative += last_[1];
      corners_.pop_back();
    }
    last_ = {positive, negative};
    const Corner& last = corners_.back();
    corners_.push_back(
        {last.positive + positive, last.negative + negative, last.lost + positive * (2 * last.negative + negative)});
  }
  /// The loss of the groups if each is ordered individually.
  std::int64_t lost() const { return corners_.back().lost; }

  /// The least, over three segments or more, of the additional loss plus `leaf_cost` for each segment after the second.
  std::int64_t least_of_three_or_more(std::int64_t leaf_cost) {
    const std::size_t n = corners_.size();
    two_.assign(n, 0);
    more_.assign(n, 0);
    for (std::size_t end = 1; end < n; ++end) {
      std::int64_t two = within(0, end), more = std::numeric_limits<std::int64_t>::max();
      for (std::size_t length = 1; length <= end; ++length) {
        const std::size_t begin = end - length;
        if (within(begin, end) >= two) break;  // a longer last segment loses more
        two = std::min(two, within(0, begin) + within(begin, end));
      }
      two_[end] = two;
      for (std::size_t length = 0; length <= end; ++length) {
        const std::size_t begin = end - length;
        if (within(begin, end) >= more) break;
        more = std::min(more, two_[begin] + within(begin, end));
        if (length > 0) more = std::min(more, more_[begin] + leaf_cost + within(begin, end));
      }
      more_[end] = more;
    }
    return more_.back() + leaf_cost;
  }

 private:
  struct Corner {
    std::int64_t positive, negative, lost;
  };
  /// The additional loss of the groups between two corners if they are one segment.
  std::int64_t within(std::size_t begin, std::size_t end) const {
    const Corner &from = corners_[begin], &to = corners_[end];
    const std::int64_t positive = to.positive - from.positive;
    return positive * (to.negative - from.negative) - (to.lost - from.lost - 2 * from.negative * positive);
  }

  std::vector<Corner> corners_{{0, 0, 0}};
  std::array<std::int64_t, 2> last_{};    // positives and negatives of the last segment
  std::vector<std::int64_t> two_, more_;  // by the corner where the last segment ends
};

}  // namespace hornbeam::bounds
