#include "verify/score_posterior.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace hornbeam {

namespace {

struct Scorer {
  const FlatTree& tree;
  const ColumnTest& columns;
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;
  double alpha, beta;
  std::span<const double> rho;

  std::uint32_t count_splits(const std::vector<std::uint32_t>& rows) const {
    std::uint32_t n = 0;
    for (std::uint32_t c = 0; c < columns.n_columns; ++c) {
      bool holds = false, fails = false;
      for (const std::uint32_t row : rows) (columns.holds(c, row) ? holds : fails) = true;
      n += holds && fails;
    }
    return n;
  }

  /// log(Gamma(from + n) / Gamma(from)), by its definition.
  static double log_rising(double from, std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += std::log(from + static_cast<double>(i));
    return sum;
  }

  double leaf(const std::vector<std::uint32_t>& rows) const {
    std::vector<std::int64_t> counts(rho.size(), 0);
    for (const std::uint32_t row : rows) counts[static_cast<std::size_t>(classes[row])] += weights[row];
    double cost = log_rising(std::accumulate(rho.begin(), rho.end(), 0.0),
                             std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    for (std::size_t k = 0; k < rho.size(); ++k) cost -= log_rising(rho[k], counts[k]);
    return cost;
  }

  double node(std::size_t number, const std::vector<std::uint32_t>& rows, std::uint32_t depth) const {
    if (rows.empty()) throw std::logic_error("every node has rows");
    const double split = alpha * std::pow(1.0 + depth, -beta);
    const std::uint32_t n_splits = count_splits(rows);
    if (tree.column[number] < 0) return leaf(rows) - (n_splits > 0 ? std::log1p(-split) : 0.0);
    std::vector<std::uint32_t> side[2];
    for (const std::uint32_t row : rows)
      side[columns.holds(static_cast<std::uint32_t>(tree.column[number]), row) ? 1 : 0].push_back(row);
    return std::log(static_cast<double>(n_splits)) - std::log(split) +
           node(static_cast<std::size_t>(tree.left[number]), side[1], depth + 1) +
           node(static_cast<std::size_t>(tree.right[number]), side[0], depth + 1);
  }
};

}  // namespace

double score_posterior(const FlatTree& tree, const ColumnTest& columns, std::span<const std::int32_t> classes,
                       std::span<const std::int64_t> weights, double alpha, double beta, std::span<const double> rho,
                       std::optional<std::uint32_t> max_depth) {
  check_tree(tree, columns.n_columns, static_cast<std::uint32_t>(rho.size()), max_depth);
  std::vector<std::uint32_t> rows(classes.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return Scorer{tree, columns, classes, weights, alpha, beta, rho}.node(0, rows, 0);
}

}  // namespace hornbeam
