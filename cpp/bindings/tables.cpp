#include "bindings/tables.hpp"

#include <nanobind/stl/variant.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "bindings/problems.hpp"
#include "data/node_statistics.hpp"
#include "data/numbered_labels.hpp"
#include "data/packed_columns.hpp"
#include "data/thresholds.hpp"

namespace hornbeam::bindings {

namespace {

bool pack_table_into(const ArrayIn<std::uint8_t, 2>& table,
                     const nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<2>, nb::device::cpu>& packed) {
  api::require(
      packed.shape(0) == table.shape(1) && packed.shape(1) == (table.shape(0) + 7) / 8 && packed.stride(1) == 1,
      "packed: needs a row of ceil(n_rows / 8) bytes for each column");
  return data::pack_table(table.data(), table.shape(0), table.shape(1), packed.data(), packed.stride(0));
}

std::vector<std::uint32_t> changing_of(const PackedColumnsIn& given) {
  std::vector<std::uint32_t> changing;
  for (std::uint32_t column = 0; column < given.columns.n_columns; ++column)
    if (!given.columns.is_constant(column)) changing.push_back(column);
  return changing;
}

template <class Number>
bool are_below(const ArrayIn<Number, 1>& numbers, std::size_t end) {
  return std::all_of(numbers.data(), numbers.data() + numbers.size(),
                     [end](Number number) { return number >= 0 && static_cast<std::size_t>(number) < end; });
}

/// The greatest common divisor of weights above 0, and their total, rounded where it is above 2^53.
std::pair<std::int64_t, double> divisor_and_total(const ArrayIn<std::int64_t, 1>& weights) {
  std::int64_t divisor = 0;
  double total = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (divisor != 1) divisor = std::gcd(divisor, weights.data()[row]);
    total += static_cast<double>(weights.data()[row]);
  }
  return {divisor, total};
}

std::vector<std::int64_t> class_totals(const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                                       std::size_t n_classes) {
  api::require(classes.size() == weights.size() && are_below(classes, n_classes),
               "classes: must be a number in [0, n_classes) for each weight");
  std::vector<std::int64_t> totals(n_classes, 0);
  for (std::size_t row = 0; row < classes.size(); ++row)
    totals[static_cast<std::size_t>(classes.data()[row])] += weights.data()[row];
  return totals;
}

std::optional<std::pair<ArrayOut<std::int64_t>, ArrayOut<std::int32_t>>> number_labels_of(
    const ArrayIn<std::int64_t, 1>& labels) {
  auto numbered = data::number_labels({labels.data(), labels.size()});
  if (!numbered) return std::nullopt;
  return std::pair(to_array(std::move(numbered->classes)), to_array(std::move(numbered->codes)));
}

auto thresholds_between_of(const ArrayIn<double, 1>& numbers) {
  return to_array(data::thresholds_between({numbers.data(), numbers.size()}));
}

auto bins_of_numbers(const ArrayIn<double, 1>& numbers, const ArrayIn<std::int64_t, 1>& order,
                     const ArrayIn<double, 1>& thresholds) {
  api::require(order.size() == numbers.size() && are_below(order, numbers.size()),
               "order: must be numbers in [0, n_numbers), one for each number");
  return to_array(data::bins_of(span_of(numbers), span_of(order), span_of(thresholds)));
}

using WeightsIn = std::variant<ArrayOfAnyShape<std::int64_t>, ArrayOfAnyShape<double>>;

std::pair<ArrayOut<std::int64_t>, nb::ndarray<nb::numpy, double, nb::ndim<2>>> node_statistics_of(
    const ArrayIn<std::int32_t, 1>& left, const ArrayIn<std::int32_t, 1>& right,
    const ArrayIn<std::int32_t, 1>& leaf_of_row, const std::optional<ArrayIn<std::int32_t, 1>>& target,
    const WeightsIn& weights, std::uint32_t n_targets, const std::optional<ArrayIn<std::int64_t, 1>>& counts) {
  const std::size_t n_nodes = left.size(), n_rows = leaf_of_row.size();
  const std::size_t n_weights = std::visit([](const auto& given) { return given.size(); }, weights);
  api::require(right.size() == n_nodes && n_weights == (target ? n_rows : n_rows * n_targets),
               "right, weights: their lengths must be those of left and leaf_of_row");
  api::require((!target || target->size() == n_rows) && (!counts || counts->size() == n_rows),
               "target, counts: their lengths must be that of leaf_of_row");
  api::require(are_below(leaf_of_row, n_nodes) && (!target || are_below(*target, n_targets)),
               "leaf_of_row, target: must be numbers of nodes and targets");
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (left.data()[node] < 0) continue;
    for (const std::int32_t child : {left.data()[node], right.data()[node]})
      api::require(child > static_cast<std::int64_t>(node) && static_cast<std::size_t>(child) < n_nodes,
                   "left, right: a child must come after its parent");
  }
  data::NodeStatistics found = std::visit(
      [&]<class Weight>(const ArrayOfAnyShape<Weight>& given) {
        return data::node_statistics<Weight>(
            span_of(left), span_of(right), span_of(leaf_of_row),
            {span_of(target), {given.data(), given.size()}, n_targets, span_of(counts)});
      },
      weights);
  return {to_array(std::move(found.n_rows)), to_array<double, nb::ndarray<nb::numpy, double, nb::ndim<2>>>(
                                                 std::move(found.target_weights), {n_nodes, n_targets})};
}

}  // namespace

void add_tables(nanobind::module_& module) {
  module.def("pack_table", &pack_table_into, nb::arg("table").noconvert(), nb::arg("packed").noconvert(),
             "Pack a table of bytes into columns of bits; False if a byte is neither 0 nor 1.");
  module.def("changing_columns", &changing_of, nb::arg("columns"), "Number the packed columns that are not constant.");
  module.def("number_labels", &number_labels_of, nb::arg("labels").noconvert(),
             "The distinct labels and of each label its place among them; None if they are 2^16 or more apart.");
  module.def(
      "thresholds_between", &thresholds_between_of, nb::arg("numbers").noconvert(),
      "A threshold of few digits between each two neighbors of rising numbers: at least the lower, below the higher.");
  module.def("bins_of", &bins_of_numbers, nb::arg("numbers").noconvert(), nb::arg("order").noconvert(),
             nb::arg("thresholds").noconvert(),
             "The place of the first threshold that each number does not exceed, given the order that sorts them.");
  module.def("divisor_and_total", &divisor_and_total, nb::arg("weights").noconvert(),
             "The greatest common divisor of weights, and their total, rounded where it is above 2^53.");
  module.def("class_totals", &class_totals, nb::arg("classes").noconvert(), nb::arg("weights").noconvert(),
             nb::arg("n_classes"), "Add up the weight of each class; all together must stay below 2^63.");
  module.def(
      "node_statistics", &node_statistics_of, nb::arg("left").noconvert(), nb::arg("right").noconvert(),
      nb::arg("leaf_of_row").noconvert(), nb::arg("target").noconvert().none(), nb::arg("weights").noconvert(),
      nb::arg("n_targets"), nb::arg("counts").noconvert().none() = nb::none(),
      "Rows of each node of a tree, and their weight by target. A row stands for as many as `counts` says, which "
      "weigh the same.");
}

}  // namespace hornbeam::bindings
