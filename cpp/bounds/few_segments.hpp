// bounds/few_segments.hpp
//
// SAYS     A subtree of k leaves loses of the pairs within its rows at least what the best k segments of their curve
//          lose: the groups of equal rows in the order of their share of positives, cut into k runs.
// SO       A leaf that is split costs at least the least over k of that and k leaves; with two leaves only the splits
//          that there are count. That stands for the leaf in the bounds of all sets in which it is split next.
// WHY      Equal rows stay together, so the leaves are sums of groups, and their curve is a polygon of k edges below
//          that of the groups. The area below a polygon is linear in each of its corners, the others held; so it is
//          largest with all corners at corners of the curve of the groups, which cuts it into runs. Pairs with other
//          leaves are bounded apart, group by group, and pairs are lost once.
// NEEDS    the loss is of the whole ROC curve; one price for all leaves.
// KEEPS    one optimum (of the splits that other bounds leave).
// SOURCE   ours: beyond [lin2020gosdt, theorem C.3], which has a segment for each group at no price.
// Switch   split_lookahead
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace hornbeam {

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
  /// What the groups lose, ordered each for itself.
  std::int64_t lost() const { return corners_.back().lost; }

  /// The least, over `n` segments or more, of what is lost beyond that and of `price` for each segment after the first
  /// `n`.
  std::int64_t least_of(std::size_t n, std::int64_t price) {
    const std::size_t n_corners = corners_.size();
    few_.resize(n_corners);
    next_.assign(n_corners, 0);
    for (std::size_t end = 0; end < n_corners; ++end) few_[end] = within(0, end);
    // A longer last segment loses more.
    for (std::size_t n_segments = 2; n_segments < n; ++n_segments) {
      for (std::size_t end = n_corners; --end > 0;) {
        std::int64_t least = few_[end];
        for (std::size_t begin = end; begin-- > 0 && within(begin, end) < least;)
          least = std::min(least, few_[begin] + within(begin, end));
        few_[end] = least;
      }
      if (few_.back() == 0) return 0;
    }
    for (std::size_t end = 1; end < n_corners; ++end) {
      std::int64_t least = few_[end];
      for (std::size_t begin = end; begin-- > 0 && within(begin, end) < least;)
        least = std::min({least, few_[begin] + within(begin, end), next_[begin] + price + within(begin, end)});
      next_[end] = least;
    }
    return next_.back();
  }

 private:
  struct Corner {
    std::int64_t positive, negative, lost;
  };
  /// What the groups between two corners lose as one beyond what they lose each for itself.
  std::int64_t within(std::size_t begin, std::size_t end) const {
    const Corner &from = corners_[begin], &to = corners_[end];
    const std::int64_t positive = to.positive - from.positive;
    return positive * (to.negative - from.negative) - (to.lost - from.lost - 2 * from.negative * positive);
  }

  std::vector<Corner> corners_{{0, 0, 0}};
  std::array<std::int64_t, 2> last_{};
  std::vector<std::int64_t> few_, next_;  // by the corner where the last segment ends
};

}  // namespace hornbeam
