#include "bindings/problems.hpp"

namespace hornbeam::bindings {

namespace {

PackedColumnsIn packed_columns(ArrayIn<std::uint8_t, 2> bits, std::int64_t n_rows) {
  api::require(n_rows > 0, "n_rows: must be greater than 0");
  api::require(bits.shape(1) == (static_cast<std::size_t>(n_rows) + 7) / 8,
               "columns: needs ceil(n_rows / 8) bytes a row");
  const data::PackedColumns columns{bits.data(), to_count(bits.shape(0), "columns"),
                                    to_count(static_cast<std::size_t>(n_rows), "n_rows")};
  return {std::move(bits), columns};
}

OrderedColumnsIn ordered_columns(ArrayIn<std::uint32_t, 2> bins, ArrayIn<std::uint32_t, 1> n_thresholds) {
  api::require(bins.shape(0) == n_thresholds.shape(0), "n_thresholds: one for each variable is needed");
  std::size_t n_columns = 0;
  for (const std::uint32_t n : span_of(n_thresholds)) n_columns += n;
  to_count(n_columns, "n_thresholds");
  const data::OrderedColumns columns(bins.data(), span_of(n_thresholds), to_count(bins.shape(1), "bins"));
  return {std::move(bins), std::move(n_thresholds), columns};
}

AdditiveProblem squared_error(ArrayOfAnyShape<std::int64_t> sums, std::int64_t n_predictions, std::int64_t leaf_cost,
                              std::optional<ArrayIn<std::int64_t, 1>> row_counts) {
  api::require(n_predictions >= 1 && n_predictions <= std::int64_t{1} << 31, "n_predictions: must be in [1, 2^31]");
  return {std::nullopt,
          std::move(sums),
          std::nullopt,
          leaf_cost,
          std::nullopt,
          std::move(row_counts),
          static_cast<std::uint32_t>(n_predictions)};
}

}  // namespace

api::Input AdditiveProblem::input(const SearchOptions& options) const {
  const std::uint32_t n_targets = costs ? to_count(costs->shape(0), "costs") : 3;
  api::require(!class_codes || class_codes->size() > 0, "class_codes: one for each row is needed");
  api::require(weights.ndim() == (class_codes ? 1 : 2) && (class_codes || weights.shape(1) == n_targets),
               "weights: one for each row is needed, without class_codes one for each row and target");
  return {
      .losses = {{span_of(class_codes), {weights.data(), weights.size()}, n_targets, span_of(row_counts)},
                 costs ? std::span<const Ticks>(costs->data(), costs->size()) : std::span<const Ticks>(),
                 costs ? to_count(costs->shape(1), "costs") : n_predictions},
      .leaf_cost = leaf_cost,
      .tree = options.tree_limits(),
      .limits = options.search_limits(),
      .bounds = options.bounds_of(kExact),
      .reference = span_of(reference),
      .checkpoint = options.checkpoint_options(),
      .triples_above = options.most_rows_searched(),
  };
}

api::RankingInput RankingProblem::input(const SearchOptions& options) const {
  return {span_of(class_codes),  span_of(weights),       half_pair_cost, max_false_positives, leaf_cost,
          options.tree_limits(), options.search_limits()};
}

api::PosteriorInput PosteriorProblem::input(const SearchOptions& options) const {
  api::require(bits >= 0, "bits: must be at least 0");
  return {span_of(class_codes),
          span_of(weights),
          {alpha, beta, span_of(rho), static_cast<std::uint32_t>(bits)},
          options.posterior_limits(),
          options.bounds_of(kPosterior),
          options.checkpoint_options()};
}

void add_problems(const nb::module_& module) {
  nb::class_<PackedColumnsIn>(module, "PackedColumns", "Binary columns: bit r % 8 of byte r // 8 of a column is row r.")
      .def(nb::new_(&packed_columns), nb::arg("columns").noconvert(), nb::arg("n_rows"));
  nb::class_<OrderedColumnsIn>(module, "OrderedColumns",
                               "Thresholds of ordered variables: threshold t of variable v holds in the rows where "
                               "bins[v] <= t.")
      .def(nb::new_(&ordered_columns), nb::arg("bins").noconvert(), nb::arg("n_thresholds").noconvert());
  nb::class_<AdditiveProblem>(module, "Problem", "Rows and additive costs in ticks; see api/solve.hpp.")
      .def(nb::init<std::optional<ArrayIn<std::int32_t, 1>>, ArrayOfAnyShape<std::int64_t>, ArrayIn<std::int64_t, 2>,
                    std::int64_t, std::optional<ArrayIn<std::int32_t, 1>>, std::optional<ArrayIn<std::int64_t, 1>>>(),
           nb::arg("class_codes").noconvert().none(), nb::arg("weights").noconvert(), nb::arg("costs").noconvert(),
           nb::arg("leaf_cost"), nb::arg("reference").noconvert().none() = nb::none(),
           nb::arg("row_counts").noconvert().none() = nb::none())
      .def_static("squared_error", &squared_error, nb::arg("sums").noconvert(), nb::arg("n_predictions"),
                  nb::arg("leaf_cost"), nb::arg("row_counts").noconvert().none() = nb::none(),
                  "Rows by their sums of w, w y and w y^2, with predictions from 0 to n_predictions - 1.");
  nb::class_<RankingProblem>(module, "RankingProblem", "Rows and costs of pairs in ticks; see api/ranking.hpp.")
      .def(nb::init<ArrayIn<std::int32_t, 1>, ArrayIn<std::int64_t, 1>, std::int64_t, std::int64_t, std::int64_t>(),
           nb::arg("class_codes").noconvert(), nb::arg("weights").noconvert(), nb::arg("half_pair_cost"),
           nb::arg("max_false_positives"), nb::arg("leaf_cost"));
  nb::class_<PosteriorProblem>(module, "PosteriorProblem",
                               "Rows and the prior of MAPTree; costs are ticks of 2^-bits nats; see api/posterior.hpp.")
      .def(nb::init<ArrayIn<std::int32_t, 1>, ArrayIn<std::int64_t, 1>, double, double, ArrayIn<double, 1>,
                    std::int64_t>(),
           nb::arg("class_codes").noconvert(), nb::arg("weights").noconvert(), nb::arg("alpha"), nb::arg("beta"),
           nb::arg("rho").noconvert(), nb::arg("bits"));
}

}  // namespace hornbeam::bindings
