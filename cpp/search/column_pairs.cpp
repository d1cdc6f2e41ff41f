#include "search/column_pairs.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::search {

bool can_pack_pairs(const rows::Problem& problem) {
  return problem.bounds.packing && problem.leaf_cost > 0 && !problem.has_reference() &&
         !problem.model.measures().is_squared_error() && problem.model.n_predictions() > 1;
}

packing::NearPairs pairs_of(const rows::Problem& problem, run::WorkMeter& meter) {
  const data::DistinctRows& rows = problem.rows;
  const models::LeafModel& model = problem.model;
  packing::ThresholdPacker packer;
  packer.reset(rows.n_rows, rows.n_columns);
  std::vector<packing::RowLoss> losses;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    for (std::uint32_t c = 0; c < rows.n_columns; ++c) packer.bin(row, c) = rows.test(c, row) ? 1 : 0;
    const std::int64_t* const weight = rows.weight(row);
    const std::uint32_t best = model.best_prediction(weight);
    Ticks second = kInfinity;
    for (std::uint32_t k = 0; k < model.n_predictions(); ++k)
      if (k != best) second = std::min(second, model.loss_of(weight, k));
    const Ticks least = model.loss_of(weight, best);
    losses.push_back({best, least, second - least});
  }
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) packer.add_thresholds(1);
  packer.open(problem.leaf_cost);
  return {std::move(packer), std::move(losses), problem.leaf_cost, meter};
}

std::vector<Word> bits_of_rows(const data::DistinctRows& rows) {
  const std::size_t n_words = words_for(rows.n_columns);
  std::vector<Word> bits(rows.n_rows * n_words, 0);
  for (std::uint32_t row = 0; row < rows.n_rows; ++row)
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      bits[row * n_words + c / kWordBits] |= Word{rows.test(c, row)} << (c % kWordBits);
  return bits;
}

}  // namespace hornbeam::search
