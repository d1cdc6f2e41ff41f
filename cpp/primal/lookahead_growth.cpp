#include "primal/lookahead_growth.hpp"

#include <algorithm>

namespace hornbeam::primal {

LookaheadGrowth::Grown LookaheadGrowth::grow(std::span<const std::uint32_t> points, std::uint32_t depth,
                                             Ticks leaf_penalty, std::size_t candidates,
                                             SplitFinder::Criterion impurity) {
  leaf_penalty_ = leaf_penalty;
  impurity_ = impurity;
  PointList own(points.begin(), points.end());
  return lookahead(own, depth, candidates);
}

/// Brings the points of the true side to the front and returns their number; both sides keep their order.
std::size_t LookaheadGrowth::partition(std::span<std::uint32_t> points, const Split& split) {
  false_side_.clear();
  std::size_t n_true = 0;
  points_.variables[split.variable].with_condition(split.bin, [&](auto holds) {
    for (const std::uint32_t point : points) {
      if (holds(point))
        points[n_true++] = point;
      else
        false_side_.push_back(point);
    }
  });
  std::copy(false_side_.begin(), false_side_.end(), points.begin() + static_cast<std::ptrdiff_t>(n_true));
  meter_.add(points.size());
  return n_true;
}

Ticks LookaheadGrowth::greedy(std::span<std::uint32_t> points, std::uint32_t depth, Preorder* preorder) {
  finder_.load(points);
  const Ticks leaf = leaf_penalty_ + finder_.loss_as_leaf();
  const std::size_t place = preorder != nullptr ? preorder->size() : 0;
  if (preorder != nullptr) preorder->emplace_back();
  if (depth == 0 || leaf <= 2 * leaf_penalty_ || !meter_.spend(0)) return leaf;  // two leaves cost as much
  const auto found = finder_.best(depth == 1 ? SplitFinder::Criterion::loss : impurity_);
  if (!found) return leaf;
  const std::size_t n_true = partition(points, found->split);
  if (preorder != nullptr) preorder->back() = found->split;
  const Ticks cost =
      greedy(points.first(n_true), depth - 1, preorder) + greedy(points.subspan(n_true), depth - 1, preorder);
  if (cost < leaf) return cost;
  if (preorder != nullptr) {
    preorder->resize(place + 1);
    preorder->back().reset();
  }
  return leaf;
}

LookaheadGrowth::Grown LookaheadGrowth::lookahead(std::span<std::uint32_t> points, std::uint32_t depth,
                                                  std::size_t candidates) {
  Grown best{0, {}};
  best.cost = greedy(points, depth, &best.preorder);
  if (depth < 2 || best.cost <= 2 * leaf_penalty_ || candidates == 0) return best;
  finder_.load(points);
  std::optional<Split> chosen;
  Ticks least = kInfinity;
  for (const Split& split : finder_.candidates(candidates, impurity_)) {
    const std::size_t n_true = partition(points, split);
    const Ticks cost =
        greedy(points.first(n_true), depth - 1, nullptr) + greedy(points.subspan(n_true), depth - 1, nullptr);
    if (!meter_.spend(0)) return best;
    if (cost >= least) continue;
    least = cost;
    chosen = split;
  }
  if (!chosen) return best;
  const std::size_t n_true = partition(points, *chosen);
  const Grown of_true = lookahead(points.first(n_true), depth - 1, candidates);
  const Grown of_false = lookahead(points.subspan(n_true), depth - 1, candidates);
  if (of_true.cost + of_false.cost >= best.cost) return best;
  best.cost = of_true.cost + of_false.cost;
  best.preorder.assign(1, chosen);
  for (const Preorder* side : {&of_true.preorder, &of_false.preorder})
    best.preorder.insert(best.preorder.end(), side->begin(), side->end());
  return best;
}

}  // namespace hornbeam::primal
