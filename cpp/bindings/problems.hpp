// bindings/problems.hpp
//
// WHAT    Columns and problems as Python passes them: arrays that live as long as the object that holds them.
// HOLDS   The shapes are checked when the object is made, all numbers when it is searched (api/*).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/posterior.hpp"
#include "api/ranking.hpp"
#include "bindings/arguments.hpp"
#include "bindings/options.hpp"

namespace hornbeam::bindings {

template <class T>
std::span<const T> span_of(const ArrayIn<T, 1>& array) {
  return {array.data(), array.shape(0)};
}
template <class T>
std::span<const T> span_of(const std::optional<ArrayIn<T, 1>>& array) {
  return array ? span_of(*array) : std::span<const T>();
}

struct PackedColumnsIn {
  ArrayIn<std::uint8_t, 2> bits;
  data::PackedColumns columns;
};

struct OrderedColumnsIn {
  ArrayIn<std::uint32_t, 2> bins;
  ArrayIn<std::uint32_t, 1> n_thresholds;
  data::OrderedColumns columns;
};

struct AdditiveProblem {
  std::optional<ArrayIn<std::int32_t, 1>> class_codes;  // none: a row of weights for each row
  ArrayOfAnyShape<std::int64_t> weights;
  std::optional<ArrayIn<std::int64_t, 2>> costs;  // none: squared error
  std::int64_t leaf_cost;
  std::optional<ArrayIn<std::int32_t, 1>> reference;
  std::optional<ArrayIn<std::int64_t, 1>> row_counts;
  std::uint32_t n_predictions = 0;  // of squared error

  api::Input input(const SearchOptions& options) const;
};

struct RankingProblem {
  ArrayIn<std::int32_t, 1> class_codes;
  ArrayIn<std::int64_t, 1> weights;
  std::int64_t half_pair_cost, max_false_positives, leaf_cost;

  api::RankingInput input(const SearchOptions& options) const;
};

struct PosteriorProblem {
  ArrayIn<std::int32_t, 1> class_codes;
  ArrayIn<std::int64_t, 1> weights;
  double alpha, beta;
  ArrayIn<double, 1> rho;
  std::int64_t bits;

  api::PosteriorInput input(const SearchOptions& options) const;
};

void add_problems(const nb::module_& module);

}  // namespace hornbeam::bindings
