#include "verify/score_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace hornbeam::verify {

namespace {

struct Scorer {
  const FlatTree& tree;
  const data::PackedColumns& columns;
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;
  double alpha, beta;
  std::span<const double> rho;

  /// Whether a column holds in some of the rows and fails in others; `mask` has a bit for each of them.
  bool splits(std::uint32_t column, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint8_t>& mask) const {
    const bool first = columns.test(column, rows[0]);
    if (16 * rows.size() < mask.size())  // else bytes side by side are faster
      return std::any_of(rows.begin(), rows.end(),
                         [&](std::uint32_t row) { return columns.test(column, row) != first; });
    const std::uint8_t* const bytes = columns.bytes + column * columns.bytes_per_column();
    const unsigned flip = first ? 0xff : 0;
    constexpr std::size_t kBlock = 64;
    for (std::size_t begin = 0; begin < mask.size(); begin += kBlock) {
      unsigned other = 0;
      for (std::size_t i = begin; i < std::min(begin + kBlock, mask.size()); ++i) other |= mask[i] & (bytes[i] ^ flip);
      if (other != 0) return true;
    }
    return false;
  }

  /// Those of `candidates` that split the rows, up to `most`: a column that does not split them splits no part of them.
  std::vector<std::uint32_t> splits_of(const std::vector<std::uint32_t>& rows,
                                       const std::vector<std::uint32_t>& candidates, std::size_t most) const {
    std::vector<std::uint8_t> mask(columns.bytes_per_column(), 0);
    for (const std::uint32_t row : rows) mask[row / 8] |= static_cast<std::uint8_t>(1u << (row % 8));
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < candidates.size() && found.size() < most; ++i)
      if (splits(candidates[i], rows, mask)) found.push_back(candidates[i]);
    return found;
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

  double node(std::size_t number, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& candidates,
              std::uint32_t depth) const {
    if (rows.empty()) throw std::logic_error("every node has rows");
    const double split = alpha * std::pow(1.0 + depth, -beta);
    const bool is_leaf = tree.column[number] < 0;
    const std::vector<std::uint32_t> splitting = splits_of(rows, candidates, is_leaf ? 1 : candidates.size());
    if (is_leaf) return leaf(rows) - (!splitting.empty() ? std::log1p(-split) : 0.0);
    std::vector<std::uint32_t> side[2];
    for (const std::uint32_t row : rows)
      side[columns.test(static_cast<std::uint32_t>(tree.column[number]), row) ? 1 : 0].push_back(row);
    return std::log(static_cast<double>(splitting.size())) - std::log(split) +
           node(static_cast<std::size_t>(tree.left[number]), side[1], splitting, depth + 1) +
           node(static_cast<std::size_t>(tree.right[number]), side[0], splitting, depth + 1);
  }
};

}  // namespace

double score_posterior(const FlatTree& tree, const data::PackedColumns& columns, std::span<const std::int32_t> classes,
                       std::span<const std::int64_t> weights, double alpha, double beta, std::span<const double> rho,
                       std::optional<std::uint32_t> max_depth) {
  check_tree(tree, columns.n_columns, static_cast<std::uint32_t>(rho.size()), max_depth);
  std::vector<std::uint32_t> rows(classes.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<std::uint32_t> all(columns.n_columns);
  std::iota(all.begin(), all.end(), 0u);
  return Scorer{tree, columns, classes, weights, alpha, beta, rho}.node(0, rows, all, 0);
}

}  // namespace hornbeam::verify
