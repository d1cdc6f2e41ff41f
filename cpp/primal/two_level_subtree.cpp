#include "primal/two_level_subtree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/fingerprint.hpp"

namespace hornbeam::primal {

namespace {

/// Entries of sorted rows that are read in the time of a point, and between two polls.
constexpr std::uint64_t kEntriesPerPoint = 4, kEntriesBetweenPolls = std::uint64_t{1} << 19;

}  // namespace

TwoLevelSubtree::TwoLevelSubtree(const Points& points, const models::LeafModel& model, Ticks leaf_penalty,
                                 std::uint64_t rows_per_leaf, run::WorkMeter& meter)
    : points_(points),
      leaf_penalty_(leaf_penalty),
      rows_per_leaf_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows_per_leaf, 1, ~std::uint32_t{0}))),
      n_predictions_(model.n_predictions()),
      n_sums_(model.measures().has_two_sums() ? sorted::SquaredSums::kSums : n_predictions_),
      costs_(model.costs()),
      meter_(meter) {
  for (const Variable& variable : points.variables)
    most_columns_ += variable.is_nominal() ? variable.n_conditions() : 1;
}

std::uint64_t TwoLevelSubtree::bytes_of(std::uint64_t n_rows) const {
  // Of a cell its bin, in a vector that may be half empty, its entry and its threshold; of a row its number in the
  // whole problem and its membership, its weight, and its lanes where there are more than two classes.
  const std::uint64_t of_cell = 2 * sizeof(std::uint32_t) + sizeof(std::uint32_t) + sizeof(sorted::Threshold);
  const std::uint64_t lanes = std::uint64_t{2} * kernels::kScanLanes * sizeof(std::int64_t);
  return n_rows * (of_cell * most_columns_ + 16 + lanes + sizeof(std::int64_t) * n_sums_);
}

std::optional<Preorder> TwoLevelSubtree::find(std::span<const std::uint32_t> points, std::uint32_t most_leaves,
                                              Ticks bound, std::uint64_t most_work) {
  const std::uint64_t last = meter_.spent() + most_work;
  gather_rows(points);
  gather_columns();
  meter_.spend(points.size() * (points_.variables.size() + n_sums_) + bins_.size());
  if (sources_.empty()) return std::nullopt;
  const data::OrderedColumns columns(bins_.data(), n_thresholds_, static_cast<std::uint32_t>(point_.size()));
  const data::RowTargets targets{target_, weight_, points_.n_targets};
  const sorted::RowGains gains = sorted::gains_of_rows({targets, costs_, n_predictions_}, columns.n_rows, {});
  const sorted::LeafCosts costs{gains.unit, leaf_penalty_, rows_per_leaf_};

  // A run of its own, so that it can end before the others do.
  std::uint64_t n_read = 0;
  const auto add = [&](std::uint64_t n) { return meter_.spend((n - std::exchange(n_read, n)) / kEntriesPerPoint); };
  const run::WorkMeter* entries = nullptr;
  run::Run run({}, [&](const run::Progress&) { return !add(entries->spent()) || meter_.spent() >= last; });
  run::WorkMeter meter(run, kEntriesBetweenPolls, [&run] { run.report({}); });
  entries = &meter;

  sorted::SortedRows rows;
  if (!rows.sort(columns, gains, meter)) return std::nullopt;
  const Ticks most = std::min(bound - gains.floor, costs.leaf_cost(rows.loss()));
  sorted::TwoLevelThresholds two_levels(costs, kernels::kernels(), true, sorted::kNeverBinned, meter);
  const sorted::TwoLevelResult found = most_leaves < 3 ? sorted::best_stump(rows, costs, most)  //
                                                       : two_levels.solve(rows, most_leaves, most);
  add(meter.spent());
  if (found.cost >= most) return std::nullopt;
  return preorder_of(found, rows, costs);
}

/// Points are rows, unless leaves need several rows.
void TwoLevelSubtree::gather_rows(std::span<const std::uint32_t> points) {
  point_.clear();
  target_.clear();
  weight_.clear();
  if (rows_per_leaf_ > 1) return merge_equal_points(points);
  point_.assign(points.begin(), points.end());
  for (const std::uint32_t point : points) {
    if (!points_.are_joint) target_.push_back(static_cast<std::int32_t>(points_.target[point]));
    const auto weights = points_.weights_of(point);
    weight_.insert(weight_.end(), weights.begin(), weights.end());
  }
}

/// Makes a row of equal points, of which no split parts any, with all of their weights; and rows without a weight for
/// the others that these points count. More than a leaf needs make no difference.
void TwoLevelSubtree::merge_equal_points(std::span<const std::uint32_t> points) {
  std::vector<std::uint64_t> hash(points.size(), 0);
  for (const Variable& variable : points_.variables)
    variable.with_bins([&](const auto* bins) {
      for (std::size_t i = 0; i < points.size(); ++i) hash[i] = mix(hash[i] ^ bins[points[i]]);
    });
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(hash[a], a) < std::pair(hash[b], b); });
  for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
    const std::size_t first = weight_.size();
    weight_.resize(first + points_.n_targets, 0);
    std::uint64_t n_rows = 0;
    for (end = i; end < order.size() && hash[order[end]] == hash[order[i]]; ++end) {
      const std::uint32_t point = points[order[end]];
      points_.add_to(&weight_[first], point);
      n_rows += points_.row_count[point];
    }
    n_rows = std::clamp<std::uint64_t>(n_rows, 1, rows_per_leaf_);
    point_.insert(point_.end(), n_rows, points[order[i]]);
    weight_.resize(first + n_rows * points_.n_targets, 0);
  }
}

void TwoLevelSubtree::gather_columns() {
  bins_.clear();
  n_thresholds_.clear();
  sources_.clear();
  for (std::uint32_t v = 0; v < points_.variables.size(); ++v) add_columns(v);
}

/// Thresholds and categories that part no rows are left out.
void TwoLevelSubtree::add_columns(std::uint32_t v) {
  const Variable& variable = points_.variables[v];
  variable.with_bins([&](const auto* bins) {
    const auto by_bin = [bins](std::uint32_t a, std::uint32_t b) { return bins[a] < bins[b]; };
    const auto [low, high] = std::minmax_element(point_.begin(), point_.end(), by_bin);
    const std::uint32_t least = bins[*low], most = bins[*high];
    if (least == most) return;
    if (!variable.is_nominal()) {
      for (const std::uint32_t point : point_) bins_.push_back(bins[point] - least);
      n_thresholds_.push_back(most - least);
      sources_.push_back({v, least});
      return;
    }
    std::vector<bool> occurs(variable.n_conditions() + std::size_t{1}, false);
    for (const std::uint32_t point : point_) occurs[bins[point]] = true;
    for (std::uint32_t bin = 0; bin < variable.n_conditions(); ++bin) {
      if (!occurs[bin]) continue;
      for (const std::uint32_t point : point_) bins_.push_back(bins[point] == bin ? 0 : 1);
      n_thresholds_.push_back(1);
      sources_.push_back({v, bin});
    }
  });
}

/// The stumps are found again, on their own rows.
Preorder TwoLevelSubtree::preorder_of(const sorted::TwoLevelResult& found, const sorted::SortedRows& rows,
                                      const sorted::LeafCosts& costs) const {
  run::Run never_stopped;
  run::WorkMeter unlimited(never_stopped);
  sorted::SortedRows side;
  std::vector<std::uint32_t> number;
  Preorder preorder{split_of(found.root)};
  for (const bool x : {true, false}) {
    if (found.has_stump[x ? 1 : 0]) {
      rows.make_child(found.root.variable, rows.n_true_by(found.root), x, side, number, unlimited);
      preorder.emplace_back(split_of(sorted::best_stump(side, costs, kInfinity).root));
      preorder.emplace_back();
    }
    preorder.emplace_back();
  }
  return preorder;
}

}  // namespace hornbeam::primal
