#include "bindings/counters.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "bindings/flag_batches.hpp"
#include "bindings/problems.hpp"
#include "data/row_counter.hpp"
#include "data/triple_counter.hpp"
#include "search/triple_search.hpp"
#include "search/triple_tree.hpp"

namespace hornbeam::bindings {

namespace {

// None: all codes are 0.
using CodesIn = std::variant<std::monostate, ArrayIn<std::uint8_t, 1>, ArrayIn<std::uint32_t, 1>>;
using CodesOrNameIn = std::variant<std::monostate, std::string, ArrayIn<std::uint8_t, 1>, ArrayIn<std::uint32_t, 1>>;

data::RowCounter make_counter(const std::vector<std::uint32_t>& widths) {
  for (const std::uint32_t width : widths) api::require(width <= 32, "widths: must be at most 32");
  return data::RowCounter(widths);
}

void require_counts(const std::optional<ArrayIn<std::int64_t, 1>>& counts, std::size_t n_rows) {
  if (!counts) return;
  api::require(counts->size() == n_rows, "counts: one for each row is needed");
  const auto all = span_of(counts);
  api::require(std::all_of(all.begin(), all.end(), [](std::int64_t count) { return count > 0; }),
               "counts: must be greater than 0");
}

void require_room(const data::RowCounter& counter, std::size_t n_rows) {
  api::require(std::uint64_t{counter.n_rows()} + n_rows <= ~std::uint32_t{0} - std::uint64_t{1},
               "there may be at most 2^32 - 2 distinct rows");
}

/// The codes of a column, and how many they are unless all are 0 or come by name, which is for `use_name`.
template <class Given, class UseName>
std::pair<data::CodesOfColumn, std::optional<std::size_t>> codes_of_column(const Given& given,
                                                                           const UseName& use_name) {
  data::CodesOfColumn column;
  std::optional<std::size_t> size;
  std::visit(
      [&]<class Codes>(const Codes& codes) {
        if constexpr (std::is_same_v<Codes, std::string>)
          use_name(codes);
        else if constexpr (!std::is_same_v<Codes, std::monostate>) {
          if constexpr (std::is_same_v<Codes, ArrayIn<std::uint8_t, 1>>)
            column.bytes = codes.data();
          else
            column.numbers = codes.data();
          size = codes.size();
        }
      },
      given);
  return {column, size};
}

template <class Given>
void require_columns(const data::RowCounter& counter, const std::vector<Given>& codes) {
  api::require(!codes.empty() && codes.size() == counter.n_columns(), "codes: one array for each column is needed");
}

void add_rows(data::RowCounter& counter, const std::vector<CodesIn>& codes,
              const std::optional<ArrayIn<std::int64_t, 1>>& counts) {
  require_columns(counter, codes);
  std::vector<data::CodesOfColumn> columns;
  std::optional<std::size_t> n_rows;
  for (const CodesIn& given : codes) {
    const auto [column, size] = codes_of_column(given, [](const std::string&) {});
    columns.push_back(column);
    if (!n_rows) n_rows = size;
    api::require(!size || size == n_rows, "codes: one for each row is needed");
  }
  api::require(n_rows.has_value(), "codes: at least one column must not be None");
  require_counts(counts, *n_rows);
  require_room(counter, *n_rows);
  const nb::gil_scoped_release no_gil;
  api::require(counter.add(columns, *n_rows, span_of(counts)), "codes: must be below 2^width of their column");
}

/// The rows of a batch are those from `first` on of the codes that are not in it.
bool add_flags(data::RowCounter& counter, const std::vector<nb::capsule>& streams,
               const std::vector<CodesOrNameIn>& codes) {
  require_columns(counter, codes);
  std::vector<std::string> names;
  std::vector<std::size_t> named;
  std::vector<data::CodesOfColumn> columns;
  std::vector<std::size_t> sizes;
  for (const CodesOrNameIn& given : codes) {
    const auto [column, size] = codes_of_column(given, [&](const std::string& name) {
      names.push_back(name);
      named.push_back(columns.size());
    });
    columns.push_back(column);
    if (size) sizes.push_back(*size);
  }
  const std::optional<std::vector<FlagBatch>> batches = read_flags(streams, names);
  if (!batches) return false;
  std::size_t n_rows = 0;
  for (const FlagBatch& batch : *batches) n_rows += batch.n_rows;
  for (const std::size_t size : sizes) api::require(size == n_rows, "codes: one for each row is needed");
  require_room(counter, n_rows);
  const nb::gil_scoped_release no_gil;  // which polars needs to go on reading
  for (const FlagBatch& batch : *batches) {
    for (std::size_t i = 0; i < named.size(); ++i) columns[named[i]] = batch.columns[i];
    api::require(counter.add(columns, batch.n_rows, {}), "codes: must be below 2^width of their column");
    for (data::CodesOfColumn& column : columns) {
      if (column.bytes != nullptr) column.bytes += batch.n_rows;
      if (column.numbers != nullptr) column.numbers += batch.n_rows;
    }
  }
  return true;
}

ArrayOut<std::uint32_t> add_packed(data::RowCounter& counter, const ArrayIn<Word, 2>& words,
                                   const ArrayIn<std::int64_t, 1>& counts) {
  const std::size_t n_rows = words.shape(0);
  api::require(words.shape(1) == counter.n_words(), "words: must be those of a counter with the same widths");
  require_counts(counts, n_rows);
  require_room(counter, n_rows);
  std::vector<std::uint32_t> numbers(n_rows);
  api::require(counter.add_packed({words.data(), words.size()}, span_of(counts), numbers.data()),
               "words: must be those of a counter with the same widths");
  return to_array(std::move(numbers));
}

auto words_of(const data::RowCounter& counter, std::uint32_t first, std::uint32_t last) {
  api::require(first <= last && last <= counter.n_rows(), "first, last: must be ascending, and at most n_rows");
  const std::size_t n_words = counter.n_words();
  std::vector<Word> words;
  words.reserve((last - first) * n_words);
  for (std::uint32_t row = first; row < last; ++row)
    words.insert(words.end(), counter.row(row), counter.row(row) + n_words);
  return to_array<Word, nb::ndarray<nb::numpy, Word, nb::ndim<2>>>(std::move(words), {last - first, n_words});
}

/// The widths of the first columns are those of small codes.
void require_narrow(const data::RowCounter& counter, std::size_t n_columns) {
  constexpr std::uint32_t kMostBits = 16;
  api::require(n_columns <= counter.n_columns(), "there must be so many columns");
  for (std::size_t c = 0; c < n_columns; ++c)
    api::require(counter.width(c) <= kMostBits, "widths: must be at most 16 here");
}

std::vector<ArrayOut<double>> totals_by_code(const data::RowCounter& counter,
                                             const std::optional<ArrayIn<double, 1>>& weights, std::size_t n_columns) {
  api::require(!weights || weights->size() == counter.n_rows(), "weights: one for each distinct row is needed");
  require_narrow(counter, n_columns);
  std::vector<ArrayOut<double>> found;
  for (std::vector<double>& totals : counter.totals(span_of(weights), n_columns))
    found.push_back(to_array(std::move(totals)));
  return found;
}

data::TripleCounter make_triples(std::uint32_t n_columns, std::uint32_t n_targets, bool only_pairs) {
  api::require(n_columns <= 1024 && n_targets <= 256, "n_columns, n_targets: must be at most 1024 and 256");
  return {n_columns, n_targets, only_pairs};
}

void add_triples(data::TripleCounter& counter, const std::vector<ArrayIn<std::uint8_t, 1>>& columns,
                 const ArrayIn<std::uint8_t, 1>& targets) {
  api::require(columns.size() == counter.n_columns(), "columns: one array for each column is needed");
  std::vector<data::CodesOfColumn> flags(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    api::require(columns[c].size() == targets.size(), "columns: one byte for each row is needed");
    api::require(data::are_below(span_of(columns[c]), 2), "columns: must be 0 or 1");
    flags[c].bytes = columns[c].data();
  }
  api::require(data::are_below(span_of(targets), counter.n_targets()), "targets: must be below n_targets");
  const nb::gil_scoped_release no_gil;
  counter.add(flags, span_of(targets));
}

bool add_triples_of_flags(data::TripleCounter& counter, const std::vector<nb::capsule>& streams,
                          const std::vector<std::string>& names, const ArrayIn<std::uint8_t, 1>& targets) {
  api::require(names.size() == counter.n_columns(), "names: one for each column is needed");
  api::require(data::are_below(span_of(targets), counter.n_targets()), "targets: must be below n_targets");
  const std::optional<std::vector<FlagBatch>> batches = read_flags(streams, names);
  if (!batches) return false;
  const nb::gil_scoped_release no_gil;
  std::span<const std::uint8_t> left = span_of(targets);
  for (const FlagBatch& batch : *batches) {
    api::require(batch.n_rows <= left.size(), "targets: one for each row is needed");
    counter.add(batch.columns, left.first(batch.n_rows));
    left = left.subspan(batch.n_rows);
  }
  return true;
}

std::size_t add_merged(data::TripleCounter& triples, const data::RowCounter& rows,
                       const std::vector<ArrayIn<std::uint32_t, 1>>& bits) {
  constexpr std::uint32_t kMostConditions = 24;
  const std::uint32_t n_conditions = triples.n_columns();
  api::require(n_conditions <= kMostConditions, "n_columns: must be at most 24 here");
  api::require(bits.size() < rows.n_columns(), "bits: a column for targets must be left");
  require_narrow(rows, bits.size() + 1);
  std::vector<std::span<const std::uint32_t>> of_columns;
  for (std::size_t c = 0; c < bits.size(); ++c) {
    api::require(bits[c].size() == std::size_t{1} << rows.width(c), "bits: one number for each code is needed");
    for (const std::uint32_t number : of_columns.emplace_back(span_of(bits[c])))
      api::require(number >> n_conditions == 0, "bits: must be below 2^n_columns");
  }
  const std::vector<std::vector<std::int64_t>> cells = rows.cells(of_columns, n_conditions);
  std::vector<bool> is_filled(std::size_t{1} << n_conditions, false);
  for (std::size_t target = 0; target < cells.size(); ++target) {
    if (cells[target].empty()) continue;
    api::require(target < triples.n_targets(), "targets: must be below n_targets");
    triples.add_cells(static_cast<std::uint32_t>(target), cells[target]);
    for (std::size_t cell = 0; cell < is_filled.size(); ++cell)
      if (cells[target][cell] != 0) is_filled[cell] = true;
  }
  return static_cast<std::size_t>(std::count(is_filled.begin(), is_filled.end(), true));
}

using TriplesIn = ArrayIn<std::int64_t, 4>;

std::pair<TreeOut, Ticks> tree_of_triples(const TriplesIn& counts, const ArrayIn<std::int64_t, 1>& totals,
                                          const ArrayIn<std::int64_t, 2>& losses, Ticks leaf_cost,
                                          std::uint64_t min_samples_leaf, std::uint32_t max_depth) {
  const std::size_t n = counts.shape(1), n_targets = totals.size();
  api::require(counts.shape(0) == n_targets && counts.shape(2) == n && counts.shape(3) == n,
               "counts: shape (n_targets, n_columns, n_columns, n_columns) is needed");
  api::require(losses.shape(0) == n_targets && losses.shape(1) > 0,
               "losses: shape (n_targets, n_predictions) is needed");
  api::require(max_depth <= 3, "max_depth: must be at most 3");
  search::TripleCounts triples{static_cast<std::uint32_t>(n), {}, {totals.data(), totals.data() + n_targets}};
  for (std::size_t t = 0; t < n_targets; ++t) triples.held.push_back(counts.data() + t * n * n * n);
  tree::ResultTree tree = search::best_tree(
      triples,
      {{losses.data(), losses.size()}, static_cast<std::uint32_t>(losses.shape(1)), leaf_cost, min_samples_leaf},
      max_depth);
  const Ticks cost = tree.cost;
  return {to_dict(std::move(tree)), cost};
}

auto triples_of(const data::TripleCounter& counter, std::uint32_t target) {
  api::require(target < counter.n_targets(), "target: must be below n_targets");
  const std::size_t n = counter.n_columns();
  const auto counts = counter.counts(target);
  return to_array<std::int64_t, nb::ndarray<nb::numpy, std::int64_t, nb::ndim<3>>>({counts.begin(), counts.end()},
                                                                                   {n, n, n});
}

ArrayOut<std::int64_t> totals_of(const data::TripleCounter& counter) {
  std::vector<std::int64_t> totals;
  totals.reserve(counter.n_targets());
  for (std::uint32_t target = 0; target < counter.n_targets(); ++target) totals.push_back(counter.total(target));
  return to_array(std::move(totals));
}

ArrayOut<std::uint32_t> codes_of(const data::RowCounter& counter, std::size_t column) {
  api::require(column < counter.n_columns(), "column: must be below the number of columns");
  std::vector<std::uint32_t> codes(counter.n_rows());
  for (std::uint32_t row = 0; row < counter.n_rows(); ++row) codes[row] = counter.code(row, column);
  return to_array(std::move(codes));
}

ArrayOut<std::int64_t> counts_of(const data::RowCounter& counter) {
  std::vector<std::int64_t> counts(counter.n_rows());
  for (std::uint32_t row = 0; row < counter.n_rows(); ++row) counts[row] = counter.count(row);
  return to_array(std::move(counts));
}

}  // namespace

void add_counters(nanobind::module_& module) {
  nb::class_<data::RowCounter>(module, "RowCounter",
                               "Merges rows, given by a code for each column, and counts them; distinct rows are in "
                               "the order of their first appearance.")
      .def(nb::new_(&make_counter), nb::arg("widths"))
      .def("add", &add_rows, nb::arg("codes"), nb::arg("counts").noconvert().none() = nb::none(),
           "Add rows once, or so many times; a code of column c is below 2^widths[c]. None: all are 0.")
      .def("add_flags", &add_flags, nb::arg("streams"), nb::arg("codes").noconvert(),
           "Add the rows of Arrow streams once; a column of booleans is given by its name. False, and nothing is "
           "added, if one of them has missing values, or is of another type.")
      .def("add_packed", &add_packed, nb::arg("words").noconvert(), nb::arg("counts").noconvert(),
           "Add rows that a counter with the same widths has packed; return their numbers among the distinct rows.")
      .def("words", &words_of, nb::arg("first"), nb::arg("last"),
           "The distinct rows from `first` to before `last`, packed into words of 64 bits; shape (n_rows, n_words).")
      .def("codes", &codes_of, nb::arg("column"), "The codes of a column in the distinct rows.")
      .def("counts", &counts_of, "How many rows each distinct row stands for.")
      .def("totals", &totals_by_code, nb::arg("weights").noconvert().none(), nb::arg("n_columns"),
           "The total of weights, one for each distinct row, by the code of each of the first columns. None: of the "
           "counts.")
      .def_prop_ro("n_rows", &data::RowCounter::n_rows, "Number of distinct rows.")
      .def_prop_ro("n_words", &data::RowCounter::n_words, "Number of words of a packed row.")
      .def_prop_ro("n_bytes", &data::RowCounter::bytes, "Memory of the distinct rows.");
  nb::class_<data::TripleCounter>(module, "TripleCounter",
                                  "Counts the rows of each target where three binary columns hold.")
      .def(nb::new_(&make_triples), nb::arg("n_columns"), nb::arg("n_targets"), nb::arg("only_pairs") = false,
           "With `only_pairs`, no triples of three different columns are counted.")
      .def("add", &add_triples, nb::arg("columns"), nb::arg("targets").noconvert(),
           "Add rows, given by a byte of 0 or 1 for each column.")
      .def("add_flags", &add_triples_of_flags, nb::arg("streams"), nb::arg("names"), nb::arg("targets").noconvert(),
           "Add the rows of Arrow streams with columns of these names. False, and nothing is added, if one of them "
           "does not have booleans, or misses a value.")
      .def("add_merged", &add_merged, nb::arg("rows"), nb::arg("bits").noconvert(),
           "Add the rows of a `RowCounter`, given for each of its first columns by the bits of the columns here that "
           "hold for each code. The next one has the targets. Return how many rows differ in the columns here.")
      .def("counts", &triples_of, nb::arg("target"),
           "Rows of a target where columns i <= j <= k hold, at [i, j, k]; the others are 0.")
      .def("totals", &totals_of, "All rows of each target.");
  module.def(
      "tree_of_triples", &tree_of_triples, nb::arg("counts").noconvert(), nb::arg("totals").noconvert(),
      nb::arg("losses").noconvert(), nb::arg("leaf_cost"), nb::arg("min_samples_leaf"), nb::arg("max_depth"),
      "The best tree of at most three levels, with its cost, from the counts of a `TripleCounter` for all targets "
      "and what a row of each loses by each prediction.");
  module.attr("MOST_TRIPLE_COLUMNS") = search::kMostTripleColumns;
  module.attr("MOST_TRIPLE_TARGETS") = search::kMostTripleTargets;
}

}  // namespace hornbeam::bindings
