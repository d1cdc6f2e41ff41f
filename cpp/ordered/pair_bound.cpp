#include "ordered/pair_bound.hpp"

#include <algorithm>
#include <utility>

#include "bounds/packing.hpp"

namespace hornbeam::ordered {

namespace {

/// Opens a packing of the rows of a subproblem.
void open(const sorted::SortedRows& rows, Ticks leaf_penalty, packing::ThresholdPacker& packer) {
  packer.reset(rows.n_rows(), rows.n_variables());
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    const std::uint32_t* const entries = rows.entries(v);
    std::uint32_t bin = 0;
    for (std::uint32_t i = 0; i < rows.n_rows(); ++i) {
      packer.bin(sorted::row_of(entries[i]), v) = bin;
      if (i + 1 < rows.n_rows() && sorted::ends_bin(entries[i])) ++bin;
    }
    packer.add_thresholds(bin);
  }
  packer.open(leaf_penalty);
}

}  // namespace

bool can_pack_pairs(const OrderedProblem& problem) {
  return problem.packs_pairs && problem.costs.leaf > 0 && !problem.rows.has_sums() && problem.rows.n_sums > 1;
}

packing::NearPairs pairs_of(const OrderedProblem& problem, const sorted::SortedRows& rows, run::WorkMeter& meter) {
  const sorted::RowGains& all = problem.rows;
  std::vector<packing::RowLoss> losses;
  std::vector<std::int64_t> gains(all.n_sums);
  for (std::uint32_t row = 0; row < all.n_rows(); ++row) {
    std::fill(gains.begin(), gains.end(), 0);
    all.add(row, gains.data());
    const auto best = std::max_element(gains.begin(), gains.end());
    std::int64_t second = 0;
    for (auto gain = gains.begin(); gain != gains.end(); ++gain)
      if (gain != best) second = std::max(second, *gain);
    losses.push_back(
        {static_cast<std::uint32_t>(best - gains.begin()), 0, problem.costs.error_cost * (*best - second)});
  }
  packing::ThresholdPacker packer;
  open(rows, problem.costs.leaf, packer);
  return {std::move(packer), std::move(losses), problem.costs.leaf, meter};
}

Ticks PairBound::of(const sorted::SortedRows& rows, const packing::PairOrder& order) {
  const std::vector<std::uint32_t>& original = rows.original();
  number_in_part_.resize(problem_.columns.n_rows, 0);
  for (std::uint32_t i = 0; i < rows.n_rows(); ++i) number_in_part_[original[i]] = i + 1;
  open(rows, problem_.costs.leaf, packer_);
  for (std::uint32_t i = 0; i < rows.n_rows(); ++i) packer_.left(i) = order.losses[original[i]].weight;
  Ticks packed = 0;
  order.for_each_pair(
      original, [&](std::uint32_t row) { return number_in_part_[row] != 0; }, pairs_of_part_,
      [&](std::uint32_t a, std::uint32_t b) {
        packed += packer_.pack(number_in_part_[a] - 1, number_in_part_[b] - 1);
        return true;
      });
  for (const std::uint32_t row : original) number_in_part_[row] = 0;
  return bounds::packing_bound(problem_.costs.leaf, 0, packed);
}

}  // namespace hornbeam::ordered
