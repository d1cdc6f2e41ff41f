#include "bindings/counters.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "bindings/problems.hpp"
#include "data/row_counter.hpp"
#include "data/triple_counter.hpp"

namespace hornbeam::bindings {

namespace {

using BitsIn = std::pair<ArrayIn<std::uint8_t, 1>, std::size_t>;  // packed codes, and the place of the first bit
using FlagsIn = std::variant<ArrayIn<std::uint8_t, 1>, BitsIn>;
using CodesIn = std::variant<ArrayIn<std::uint8_t, 1>, ArrayIn<std::uint32_t, 1>, BitsIn>;

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

data::CodesOfColumn codes_of_column(const CodesIn& given, std::size_t n_rows) {
  data::CodesOfColumn column;
  std::size_t size = n_rows;
  if (const auto* bytes = std::get_if<ArrayIn<std::uint8_t, 1>>(&given)) {
    column.bytes = bytes->data();
    size = bytes->size();
  } else if (const auto* numbers = std::get_if<ArrayIn<std::uint32_t, 1>>(&given)) {
    column.numbers = numbers->data();
    size = numbers->size();
  } else {
    const BitsIn& bits = std::get<BitsIn>(given);
    column.bits = bits.first.data();
    column.first_bit = bits.second;
    api::require(bits.second <= 8 * bits.first.size() && n_rows <= 8 * bits.first.size() - bits.second,
                 "codes: one bit for each row is needed");
  }
  api::require(size == n_rows, "codes: one for each row is needed");
  return column;
}

void add_rows(data::RowCounter& counter, const std::vector<CodesIn>& codes,
              const std::optional<ArrayIn<std::int64_t, 1>>& counts) {
  api::require(!codes.empty() && codes.size() == counter.n_columns(), "codes: one array for each column is needed");
  std::vector<data::CodesOfColumn> columns;
  std::optional<std::size_t> size;
  for (const CodesIn& given : codes) {
    if (const auto* bytes = std::get_if<ArrayIn<std::uint8_t, 1>>(&given))
      size = bytes->size();
    else if (const auto* numbers = std::get_if<ArrayIn<std::uint32_t, 1>>(&given))
      size = numbers->size();
  }
  api::require(size.has_value(), "codes: at least one column must not be of bits");
  const std::size_t n_rows = *size;
  columns.reserve(codes.size());
  for (const CodesIn& given : codes) columns.push_back(codes_of_column(given, n_rows));
  require_counts(counts, n_rows);
  require_room(counter, n_rows);
  api::require(counter.add(columns, n_rows, span_of(counts)), "codes: must be below 2^width of their column");
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

std::vector<ArrayOut<double>> totals_by_code(const data::RowCounter& counter, const ArrayIn<double, 1>& weights,
                                             std::size_t n_columns) {
  api::require(weights.size() == counter.n_rows(), "weights: one for each distinct row is needed");
  require_narrow(counter, n_columns);
  std::vector<ArrayOut<double>> found;
  for (std::vector<double>& totals : counter.totals({weights.data(), weights.size()}, n_columns))
    found.push_back(to_array(std::move(totals)));
  return found;
}

data::TripleCounter make_triples(std::uint32_t n_columns, std::uint32_t n_targets) {
  api::require(n_columns <= 1024 && n_targets <= 256, "n_columns, n_targets: must be at most 1024 and 256");
  return {n_columns, n_targets};
}

void add_triples(data::TripleCounter& counter, const std::vector<FlagsIn>& columns,
                 const ArrayIn<std::uint8_t, 1>& targets) {
  api::require(columns.size() == counter.n_columns(), "columns: one array for each column is needed");
  const auto are_below = [](const ArrayIn<std::uint8_t, 1>& numbers, std::uint32_t end) {
    std::uint8_t largest = 0;  // in a loop that compilers write with vectors, unlike std::max_element
    for (const std::uint8_t number : span_of(numbers)) largest = std::max(largest, number);
    return numbers.size() == 0 || largest < end;
  };
  std::vector<data::CodesOfColumn> flags;
  for (const FlagsIn& column : columns) {
    if (const auto* bytes = std::get_if<ArrayIn<std::uint8_t, 1>>(&column)) {
      api::require(are_below(*bytes, 2), "codes: must be 0 or 1");
      flags.push_back(codes_of_column(*bytes, targets.size()));
    } else {
      flags.push_back(codes_of_column(std::get<BitsIn>(column), targets.size()));
    }
  }
  api::require(are_below(targets, counter.n_targets()), "targets: must be below n_targets");
  counter.add(flags, span_of(targets));
}

void add_merged(data::TripleCounter& triples, const data::RowCounter& rows,
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
  for (std::size_t target = 0; target < cells.size(); ++target) {
    if (cells[target].empty()) continue;
    api::require(target < triples.n_targets(), "targets: must be below n_targets");
    triples.add_cells(static_cast<std::uint32_t>(target), cells[target]);
  }
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

void add_counters(const nanobind::module_& module) {
  nb::class_<data::RowCounter>(module, "RowCounter",
                               "Merges rows, given by a code for each column, and counts them; distinct rows are in "
                               "the order of their first appearance.")
      .def(nb::new_(&make_counter), nb::arg("widths"))
      .def("add", &add_rows, nb::arg("codes"), nb::arg("counts").noconvert().none() = nb::none(),
           "Add rows once, or so many times; a code of column c is below 2^widths[c]. Codes of one bit may be packed, "
           "the lowest bit first, and come with the place of the first bit.")
      .def("add_packed", &add_packed, nb::arg("words").noconvert(), nb::arg("counts").noconvert(),
           "Add rows that a counter with the same widths has packed; return their numbers among the distinct rows.")
      .def("words", &words_of, nb::arg("first"), nb::arg("last"),
           "The distinct rows from `first` to before `last`, packed into words of 64 bits; shape (n_rows, n_words).")
      .def("codes", &codes_of, nb::arg("column"), "The codes of a column in the distinct rows.")
      .def("counts", &counts_of, "How many rows each distinct row stands for.")
      .def("totals", &totals_by_code, nb::arg("weights").noconvert(), nb::arg("n_columns"),
           "The total of weights, one for each distinct row, by the code of each of the first columns.")
      .def_prop_ro("n_rows", &data::RowCounter::n_rows, "Number of distinct rows.")
      .def_prop_ro("n_words", &data::RowCounter::n_words, "Number of words of a packed row.")
      .def_prop_ro("n_bytes", &data::RowCounter::bytes, "Memory of the distinct rows.");
  nb::class_<data::TripleCounter>(module, "TripleCounter",
                                  "Counts the rows of each target where three binary columns hold.")
      .def(nb::new_(&make_triples), nb::arg("n_columns"), nb::arg("n_targets"))
      .def("add", &add_triples, nb::arg("columns").noconvert(), nb::arg("targets").noconvert(),
           "Add rows, given for each column by bytes of 0 or 1, or by bits as in a `RowCounter`.")
      .def("add_merged", &add_merged, nb::arg("rows"), nb::arg("bits").noconvert(),
           "Add the rows of a `RowCounter`, given for each of its first columns by the bits of the columns here that "
           "hold for each code. The next one has the targets.")
      .def("counts", &triples_of, nb::arg("target"),
           "Rows of a target where columns i <= j <= k hold, at [i, j, k]; the others are 0.")
      .def("totals", &totals_of, "All rows of each target.");
}

}  // namespace hornbeam::bindings
