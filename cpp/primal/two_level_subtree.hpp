// primal/two_level_subtree.hpp
//
// WHAT    The best subtree of at most two levels for some points, over all thresholds and categories.
// FLOW    primal/subtree_improvement -> here -> sorted/two_level_thresholds.
// HOLDS   Exact, with the limits on leaves and their rows, unless the work allowed is too little. What is then found is
//         better than the bound, but may not be the best.
// COST    That of sorted/two_level_thresholds, whose entries are read faster than points.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/leaf_model.hpp"
#include "primal/preorder.hpp"
#include "run/run.hpp"
#include "sorted/two_level_thresholds.hpp"

namespace hornbeam::primal {

class TwoLevelSubtree {
 public:
  TwoLevelSubtree(const Points& points, const models::LeafModel& model, Ticks leaf_penalty, std::uint64_t rows_per_leaf,
                  run::WorkMeter& meter);

  /// The subtree with at most so many leaves, two or more, if it costs less than `bound`. Reads about `most_work`
  /// points at most.
  std::optional<Preorder> find(std::span<const std::uint32_t> points, std::uint32_t most_leaves, Ticks bound,
                               std::uint64_t most_work);

  /// The most columns that points are sorted by: one for each category, and for all thresholds of a variable.
  std::uint32_t most_columns() const { return most_columns_; }
  /// What so many rows take at most, not counting open runs of thresholds.
  std::uint64_t bytes_of(std::uint64_t n_rows) const;

 private:
  /// What the thresholds of a column are: those of a variable from a bin on, or one category.
  struct Source {
    std::uint32_t variable;
    std::uint32_t first_bin;
  };

  void gather_rows(std::span<const std::uint32_t> points);
  void merge_equal_points(std::span<const std::uint32_t> points);
  void gather_columns();
  void add_columns(std::uint32_t variable);
  Preorder preorder_of(const sorted::TwoLevelResult& found, const sorted::SortedRows& rows,
                       const sorted::LeafCosts& costs) const;
  Split split_of(const sorted::ThresholdSplit& split) const {
    const Source& source = sources_[split.variable];
    return {source.variable, source.first_bin + split.threshold};
  }

  const Points& points_;
  const Ticks leaf_penalty_;
  const std::uint32_t rows_per_leaf_, n_predictions_, n_sums_;
  const std::span<const Ticks> costs_;  // (n_targets, n_predictions); empty for squared error
  std::uint32_t most_columns_ = 0;
  run::WorkMeter& meter_;

  // Of the points that were given last:
  std::vector<std::uint32_t> point_;  // (n_rows) one that has the bins of the row
  std::vector<std::int32_t> target_;  // (n_rows), or empty if rows weigh for every target
  std::vector<std::int64_t> weight_;
  std::vector<std::uint32_t> bins_;  // (n_columns, n_rows)
  std::vector<std::uint32_t> n_thresholds_;
  std::vector<Source> sources_;
};

}  // namespace hornbeam::primal
