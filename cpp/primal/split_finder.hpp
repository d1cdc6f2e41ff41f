// primal/split_finder.hpp
//
// WHAT    The best splits of some points, over all thresholds of all variables: by impurity, by the loss of two leaves,
//         or by a number that each point adds to one of the sides.
// FLOW    primal/best_first_growth, primal/lookahead_growth, primal/split_improvement -> here.
// HOLDS   The best split leaves at least `rows_per_leaf` rows and some weight on both sides, unless the points are
//         loaded with numbers. Ties go to the first variable and the lowest threshold.
// COST    One pass over the points for each variable, which counts them in a few hundred cells of neighboring bins; the
//         cells around the best boundaries of the best variables are then resolved to single thresholds. A threshold
//         inside other cells may be better: these are heuristics. Of many points, all variables see a sample, and only
//         the best variables see all.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "models/leaf_model.hpp"
#include "primal/points.hpp"
#include "run/run.hpp"

namespace hornbeam::primal {

class SplitFinder {
 public:
  /// For squared error each of them is the loss.
  enum class Criterion { gini, entropy, loss };

  /// Lower scores are better.
  struct Found {
    Split split;
    double score;
  };

  SplitFinder(const Points& points, const models::LeafModel& model, std::uint64_t rows_per_leaf, run::WorkMeter& meter);

  /// Bins share cells less often: slower, and nearer to the best split of all.
  void use_fine_cells(bool is_fine) { is_fine_ = is_fine; }
  /// The variables that `best` and `candidates` choose from, in ascending order; all unless restricted.
  void restrict_to(std::vector<std::uint32_t> variables) { variables_ = std::move(variables); }
  /// The points that the next calls are about.
  void load(std::span<const std::uint32_t> points);
  /// What the points lose as a leaf.
  Ticks loss_as_leaf() const { return model_.least_loss_of_leaf(all_.total.data()); }
  double score_as_leaf(Criterion criterion) const;
  /// The criteria that differ, with which trees are grown.
  std::span<const Criterion> impurities() const;
  /// None if no split is allowed.
  std::optional<Found> best(Criterion criterion);
  /// At most `most` promising splits: for each variable the best by impurity and by loss, then some that share the
  /// weight evenly.
  std::vector<Split> candidates(std::size_t most, Criterion impurity);

  /// A split whose sides add up to little.
  struct LeastSum {
    Split split;
    std::int64_t of_true, of_false;  // sums of the numbers
  };
  /// The split with the least sum of one side, and the number of each point in `numbers`.
  std::optional<LeastSum> least_sum(std::span<const std::uint32_t> points, std::span<const std::int64_t> numbers);

 private:
  /// How bins become cells: those below `first` cell 0, then 2^shift bins a cell, and from `end` on the last.
  struct Cells {
    std::uint32_t first, end, shift;
    std::uint32_t of(std::uint32_t bin) const {
      if (bin < first) return 0;
      return bin >= end ? size() - 1 : ((bin - first) >> shift) + 1;
    }
    std::uint32_t size() const { return ((end - first + (1u << shift) - 1) >> shift) + 2; }
    /// The largest bin of a cell but the last.
    std::uint32_t last_bin(std::uint32_t cell) const { return std::min(first + (cell << shift), end) - 1; }
  };

  /// So many points are seen by all variables.
  static constexpr std::size_t kMostSeen = std::size_t{1} << 16;

  /// Points with what they count for.
  struct Loaded {
    std::span<const std::uint32_t> points;
    std::vector<std::uint32_t> target, rows;  // no targets of joint points
    std::vector<std::int64_t> weight;         // or their numbers
    std::vector<std::int64_t> total;          // by target
    std::uint64_t total_rows = 0;
    std::uint64_t rows_per_leaf = 1;
    bool are_joint = false;
    void add(std::uint32_t of_target, std::int64_t of_weight, std::uint32_t of_rows) {
      target.push_back(of_target);
      weight.push_back(of_weight);
      rows.push_back(of_rows);
      total[of_target] += of_weight;
      total_rows += of_rows;
    }
    void add_joint(const std::int64_t* weights, std::uint32_t of_rows) {
      weight.insert(weight.end(), weights, weights + total.size());
      rows.push_back(of_rows);
      for (std::size_t t = 0; t < total.size(); ++t) total[t] += weights[t];
      total_rows += of_rows;
    }
    void clear(std::uint32_t n_targets, bool joint) {
      are_joint = joint;
      target.clear();
      weight.clear();
      rows.clear();
      total.assign(n_targets, 0);
      total_rows = 0;
    }
  };

  void load_sample();
  /// What all variables see: the points loaded, or a sample of them.
  const Loaded& seen() const { return all_.points.size() > kMostSeen ? sample_ : all_; }
  std::uint32_t shift_of(std::uint32_t variable) const;
  Cells all_cells(std::uint32_t variable) const;
  Cells cells_around(const Split& split) const;
  void fill(const Loaded& loaded, std::uint32_t variable, const Cells& cells);
  template <class Score>
  std::optional<Found> scan(const Loaded& loaded, std::uint32_t variable, const Cells& cells, const Score& score);
  void add_even_splits(std::uint32_t variable, const Cells& cells, std::size_t n_splits,
                       std::vector<Split>& splits) const;
  template <class Score>
  std::optional<Found> best_by(const Score& score, std::span<const std::uint32_t> variables);
  template <class Use>
  decltype(auto) with_score(Criterion criterion, Use use) const;

  const Points& points_;
  const models::LeafModel& model_;
  const std::uint64_t rows_per_leaf_;
  const std::vector<double> mass_;  // of a unit of weight of each target: what losing it costs
  run::WorkMeter& meter_;
  const std::vector<std::uint32_t> all_variables_;
  std::vector<std::uint32_t> variables_;

  Loaded all_, sample_;
  std::vector<std::uint32_t> sampled_points_;
  bool is_fine_ = false;
  bool has_numbers_ = false;                      // and no weights
  std::vector<std::int64_t> sums_;                // (cells, targets)
  std::vector<std::uint64_t> row_sums_;           // (cells), if rows are limited
  std::vector<std::int64_t> on_true_, on_false_;  // by target, while cells are scanned
};

}  // namespace hornbeam::primal
