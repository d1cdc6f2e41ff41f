#include "lookahead/greedy_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hornbeam::lookahead {

namespace {

/// The logarithms of weights up to here are looked up in a table.
constexpr std::int64_t kMostTabled = std::int64_t{1} << 20;

/// Information gains that differ by less than this many bits are equal: the sums of logarithms that they come from are
/// rounded, to different numbers for columns whose gains are the same.
constexpr double kEqualGain = 1e-12;

double entropy_of(double mass) { return mass > 0 ? mass * std::log2(mass) : 0.0; }

/// The largest loss of a row of each target, in the smallest whole numbers; empty if it is the same for all, or if the
/// targets are no classes.
std::vector<double> error_costs_of(const models::LeafModel& model) {
  if (model.measures().is_squared_error()) return {};
  Ticks divisor = 0;
  bool are_equal = true;
  for (std::uint32_t c = 0; c < model.n_targets(); ++c) {
    divisor = std::gcd(divisor, model.largest_cost(c));
    are_equal = are_equal && model.largest_cost(c) == model.largest_cost(0);
  }
  std::vector<double> error_costs;
  for (std::uint32_t c = 0; c < model.n_targets() && !are_equal; ++c) {
    const Ticks error_cost = model.largest_cost(c) / divisor;
    error_costs.push_back(static_cast<double>(error_cost));
  }
  return error_costs;
}

}  // namespace

GreedyTrees::GreedyTrees(const models::LeafModel& counting, const models::LeafModel& model,
                         const kernels::Kernels& kernels, Ticks leaf_cost, std::uint64_t rows_per_leaf,
                         std::int64_t total_weight, bool last_by_loss, run::WorkMeter& meter)
    : model_(model),
      measures_(counting.measures()),
      kernels_(kernels),
      leaf_cost_(leaf_cost),
      rows_per_leaf_(static_cast<Ticks>(rows_per_leaf)),
      error_costs_(error_costs_of(model)),
      gain_is_loss_(model.measures().is_squared_error()),
      last_by_loss_(last_by_loss),
      meter_(meter) {
  for (std::vector<Ticks>& side : side_) side.resize(measures_.n_targets);
  if (gain_is_loss_ || !error_costs_.empty() || total_weight > kMostTabled) return;
  entropy_.resize(static_cast<std::size_t>(total_weight) + 1);
  for (std::size_t weight = 0; weight < entropy_.size(); ++weight)
    entropy_[weight] = entropy_of(static_cast<double>(weight));
}

Ticks GreedyTrees::leaf_cost(const Ticks* class_weight) const {
  return leaf_cost_ + model_.least_loss_of_leaf(class_weight);
}

std::uint64_t GreedyTrees::bytes() const {
  std::uint64_t bytes = (entropy_.capacity() + scratch_.capacity() + all_.capacity()) * 8;
  for (const Level& level : levels_)
    for (int x = 0; x < 2; ++x) bytes += (level.mask[x].capacity() + level.sums[x].capacity()) * 8;
  return bytes;
}

GreedyTrees::Sides GreedyTrees::costs_of_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth) {
  Sides sides;
  all_.assign(rows.n_slot_words, ~Word{0});
  grow_sides(rows, all_.data(), rows.sums.data(), rows.total.data(), column, depth, nullptr, sides.cost);
  return sides;
}

Ticks GreedyTrees::grow(const rows::RowSet& rows, std::uint32_t depth, SplitList& splits, bool may_stop) {
  may_stop_ = may_stop;  // a tree whose cost is in use must be readable even after a stop
  AlignedVector<Word> all(rows.n_slot_words, ~Word{0});
  const Ticks cost = grow_node(rows, all.data(), rows.sums.data(), rows.total.data(), depth, &splits);
  may_stop_ = true;
  return cost;
}

/// The tree on the slots in `mask`, whose measures are `total` and, of the true side of each column, `sums`.
Ticks GreedyTrees::grow_node(const rows::RowSet& rows, const Word* mask, const Ticks* sums, const Ticks* total,
                             std::uint32_t depth, SplitList* splits) {
  const Ticks leaf = leaf_cost(total);
  const std::size_t root = splits == nullptr ? 0 : splits->size();
  Ticks best = leaf;
  if (depth > 0 && leaf > 2 * leaf_cost_) {
    const bool by_loss = gain_is_loss_ || (depth == 1 && last_by_loss_);
    const std::uint32_t column = measures_.n_targets == 2 ? best_column<2>(rows, sums, total, by_loss)
                                                          : best_column<0>(rows, sums, total, by_loss);
    if (column != table::kNoSplit) {
      Ticks cost[2];
      if (splits != nullptr) splits->push_back(rows.columns[column]);
      best = std::min(leaf, grow_sides(rows, mask, sums, total, column, depth - 1, splits, cost));
    }
  }
  if (splits != nullptr && best == leaf) {
    splits->resize(root);
    splits->push_back(table::kNoSplit);
  }
  return best;
}

/// The trees on both sides of a column, each of at most `depth`; the true one first.
Ticks GreedyTrees::grow_sides(const rows::RowSet& rows, const Word* mask, const Ticks* sums, const Ticks* total,
                              std::uint32_t column, std::uint32_t depth, SplitList* splits, Ticks* cost) {
  const std::size_t stride = rows.stride, size = measures_.size();
  if (levels_.size() <= depth) levels_.resize(depth + std::size_t{1});
  Level& level = levels_[depth];
  bool is_grown[2];
  for (int x = 0; x < 2; ++x) {
    level.total[x].resize(size);
    for (std::size_t m = 0; m < size; ++m) {
      const Ticks true_side = sums[m * stride + column];
      level.total[x][m] = x == 1 ? true_side : total[m] - true_side;
    }
    cost[x] = leaf_cost(level.total[x].data());
    is_grown[x] = depth > 0 && cost[x] > 2 * leaf_cost_;
  }
  if (is_grown[0] || is_grown[1]) {
    for (int x = 0; x < 2; ++x) {
      level.mask[x].resize(rows.n_slot_words);
      level.sums[x].resize(size * stride);
    }
    for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
      const Word word = rows.word(column, w);
      level.mask[1][w] = mask[w] & word;
      level.mask[0][w] = mask[w] & ~word;
    }
    // One side is counted, the other is the rest.
    const int counted = is_grown[1] ? 1 : 0;
    measure(rows, level.mask[counted].data(), level.sums[counted]);
    if (is_grown[0] && is_grown[1])
      for (std::size_t i = 0; i < size * stride; ++i) level.sums[0][i] = sums[i] - level.sums[1][i];
  }
  for (const int x : {1, 0}) {
    if (may_stop_ && meter_.stopped()) return cost[0] = cost[1] = kInfinity;
    if (is_grown[x])
      cost[x] = grow_node(rows, levels_[depth].mask[x].data(), levels_[depth].sums[x].data(),
                          levels_[depth].total[x].data(), depth, splits);
    else if (splits != nullptr)
      splits->push_back(table::kNoSplit);
  }
  return cost[0] + cost[1];
}

void GreedyTrees::measure(const rows::RowSet& rows, const Word* mask, AlignedVector<Ticks>& sums) {
  const kernels::SlotTile slots = rows.slot_tile();
  scratch_.resize(std::max(scratch_.size(), kernels::kernel_scratch_words(slots, measures_)));
  kernels_.measure(slots.filtered(mask), measures_, nullptr, sums.data(), scratch_.data());
  meter_.spend(std::uint64_t{rows.stride} * (rows.n_slot_words + 8));
}

/// The column of largest information gain, or of least loss, among those that split the rows; the first one in case of
/// ties, kNoSplit if there is none. `kClasses` > 0 fixes the number of classes at compile time.
template <std::uint32_t kClasses>
std::uint32_t GreedyTrees::best_column(const rows::RowSet& rows, const Ticks* sums, const Ticks* total, bool by_loss) {
  if (by_loss) {
    return least_column<kClasses>(rows, sums, total, Ticks{0},
                                  [this](const Ticks* side, Ticks) { return model_.least_loss_of_leaf(side); });
  }
  double tie = 0;
  for (std::uint32_t k = 0; k < measures_.n_targets; ++k) tie += kEqualGain * mass_of(k, total[k]);
  if (entropy_.empty())
    return least_column<kClasses>(rows, sums, total, tie, [this](const Ticks* side, Ticks) { return impurity(side); });
  return least_column<kClasses>(rows, sums, total, tie,
                                [this](const Ticks* side, Ticks all) { return tabled_impurity<kClasses>(side, all); });
}

/// The column whose sides have the least sum of scores, which is less than that of an earlier column by more than
/// `tie`. `score` gets the weights of the classes on a side, and their sum.
template <std::uint32_t kClasses, class Number, class Score>
std::uint32_t GreedyTrees::least_column(const rows::RowSet& rows, const Ticks* sums, const Ticks* total, Number tie,
                                        Score score) {
  const std::size_t stride = rows.stride;
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : measures_.n_targets;
  Ticks *const true_side = side_[1].data(), *const false_side = side_[0].data();
  std::uint32_t best = table::kNoSplit;
  Number least = std::numeric_limits<Number>::max();
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    Ticks all_true = 0, all_false = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      true_side[k] = sums[k * stride + column];
      false_side[k] = total[k] - true_side[k];
      all_true += true_side[k];
      all_false += false_side[k];
    }
    if (all_true == 0 || all_false == 0) continue;
    if (measures_.counts_rows) {
      const Ticks rows_true = sums[measures_.rows_index() * stride + column];
      if (rows_true < rows_per_leaf_ || total[measures_.rows_index()] - rows_true < rows_per_leaf_) continue;
    }
    const Number here = score(true_side, all_true) + score(false_side, all_false);
    if (here < least) {
      least = here - tie;
      best = column;
    }
  }
  return best;
}

/// Entropy of the classes times their weight, looked up.
template <std::uint32_t kClasses>
double GreedyTrees::tabled_impurity(const Ticks* class_weight, Ticks all) const {
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : measures_.n_targets;
  double parts = 0;
  for (std::uint32_t k = 0; k < n_classes; ++k) parts += entropy_[static_cast<std::size_t>(class_weight[k])];
  return entropy_[static_cast<std::size_t>(all)] - parts;
}

/// The same without the table. If classes have different costs, rows weigh what they can lose.
double GreedyTrees::impurity(const Ticks* class_weight) const {
  double all = 0, parts = 0;
  for (std::uint32_t k = 0; k < measures_.n_targets; ++k) {
    const double mass = mass_of(k, class_weight[k]);
    all += mass;
    parts += entropy_of(mass);
  }
  return entropy_of(all) - parts;
}

}  // namespace hornbeam::lookahead
