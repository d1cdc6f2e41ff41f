#include "search/priced_rows_of.hpp"

namespace hornbeam::search {

namespace {

/// More take too long for prices of all rows.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 26;
constexpr std::uint32_t kMostColumns = 1024, kMostPredictions = 64;
/// Of the pool of leaves, and of the levels of a check.
constexpr std::uint64_t kBytesOfPool = std::uint64_t{1} << 26, kBytesOfRow = 256;

}  // namespace

bool can_price_rows(const rows::Problem& problem) {
  const models::LeafModel& model = problem.model;
  return problem.bounds.row_prices && problem.leaf_cost > 0 && !problem.has_reference() &&
         !model.measures().has_two_sums() && model.n_predictions() > 1 && model.n_predictions() <= kMostPredictions &&
         problem.rows.n_columns > 0 && problem.rows.n_columns <= kMostColumns &&
         std::uint64_t{problem.rows.n_rows} * problem.rows.n_columns <= kMostCells;
}

pricing::PricedRows priced_rows_of(const rows::Problem& problem) {
  const data::DistinctRows& rows = problem.rows;
  const models::LeafModel& model = problem.model;
  Ticks largest = problem.leaf_cost;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) largest += model.largest_loss_of(rows.weight(row));
  pricing::PricedRows priced(rows.n_rows, rows.n_columns, model.n_predictions(), largest);
  priced.leaf_penalty = priced.units(problem.leaf_cost);
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    for (std::uint32_t k = 0; k < model.n_predictions(); ++k)
      priced.loss[std::size_t{k} * rows.n_rows + row] = priced.units(model.loss_of(rows.weight(row), k));
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      if (rows.test(c, row)) priced.set(row, c);
  }
  return priced;
}

std::uint64_t bytes_to_price(const rows::Problem& problem) {
  const data::DistinctRows& rows = problem.rows;
  // A block of rows is a copy, and the last block is that of all rows.
  return 2 * pricing::PricedRows::bytes(rows.n_rows, rows.n_columns, problem.model.n_predictions()) +
         kBytesOfRow * rows.n_rows + kBytesOfPool;
}

}  // namespace hornbeam::search
