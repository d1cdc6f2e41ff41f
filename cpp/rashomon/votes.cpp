// rashomon/votes.cpp: the part of FilteredGraph that knows what the trees predict for each row: how many of them each
// class, or the least, the largest and the sum of their numbers.
//
// HOLDS   Rows other than the training rows may take different ways through columns that split the training rows at a
//         node in the same way, so a node is visited once for each set of rows that reaches it.
#include <algorithm>
#include <utility>

#include "rashomon/leaf_occurrences.hpp"

namespace hornbeam::rashomon {

namespace {

template <class Sum>
class Votes {
 public:
  Votes(std::uint32_t n_rows, std::uint32_t n_predictions)
      : n_predictions_(n_predictions), counts_(std::size_t{n_rows} * n_predictions) {}

  void add(std::size_t row, std::uint32_t prediction, const Sum& number) {
    counts_[row * n_predictions_ + prediction] += number;
  }
  VoteCounts take() const {
    VoteCounts counts;
    counts.reserve(counts_.size());
    for (const Sum& each : counts_) counts.push_back(each.limbs());
    return counts;
  }

 private:
  const std::uint32_t n_predictions_;
  std::vector<Sum> counts_;
};

template <class Sum>
class Spreads {
 public:
  explicit Spreads(std::uint32_t n_rows) : sums_(n_rows) {
    found_.low.assign(n_rows, ~std::uint32_t{0});
    found_.high.assign(n_rows, 0);
  }

  void add(std::size_t row, std::uint32_t prediction, const Sum& number) {
    if (number.is_zero()) return;
    found_.low[row] = std::min(found_.low[row], prediction);
    found_.high[row] = std::max(found_.high[row], prediction);
    sums_[row] += number * Sum(prediction);
  }
  PredictionSpread take() {
    for (const Sum& each : sums_) found_.sum.push_back(each.limbs());
    return std::move(found_);
  }

 private:
  PredictionSpread found_;
  std::vector<Sum> sums_;
};

/// Of LeafOccurrences: tells a tally which rows a leaf predicts.
template <class Sum, class Tally>
class OfRows {
 public:
  using Sets = Mask;

  OfRows(const RowMasks& rows, Tally& tally) : rows_(rows), tally_(tally) {}

  Mask narrowed(const Mask& mask, const RowMasks::Copy& copy, bool side) const {
    Mask narrow = mask;
    rows_.narrow(narrow, copy.column, side != copy.flipped);
    return narrow;
  }
  static bool is_wanted(const Mask& mask) {
    return std::ranges::any_of(mask, [](Word word) { return word != 0; });
  }
  void add(const Mask& mask, std::uint32_t prediction, Ticks /*cost*/, const Sum& number) {
    RowMasks::for_each_row(mask, [&](std::uint32_t row) { tally_.add(row, prediction, number); });
  }
  void add_stump(const Mask& mask, const RowMasks::Copy& copy, const std::array<std::uint32_t, 2>& predictions,
                 Ticks /*cost*/, const Sum& number) {
    const Word* const holds = rows_.column(copy.column);
    for (std::uint32_t w = 0; w < mask.size(); ++w)
      for (const bool side : {false, true}) {
        const Word rows = mask[w] & (side != copy.flipped ? holds[w] : ~holds[w]);
        for_each_bit(rows, word_at(w), [&](std::size_t row) { tally_.add(row, predictions[side ? 1 : 0], number); });
      }
  }

 private:
  const RowMasks& rows_;
  Tally& tally_;
};

template <class Sum, class Count, class Tally>
auto tallied(FilteredGraph<Count>& trees, const RowMasks& rows, const TreeLimit& limit, run::Run& run, Tally tally) {
  OfRows<Sum, Tally> visitor(rows, tally);
  LeafOccurrences<Count, Sum, OfRows<Sum, Tally>>(trees, limit, visitor, run).visit_all(rows.all());
  return tally.take();
}

}  // namespace

// The graph may have words where the sums over all costs need numbers of any size.

template <class Count>
VoteCounts FilteredGraph<Count>::votes(const RowMasks& rows, const TreeLimit& limit, run::Run& run) {
  const std::uint32_t n_predictions = graph_.problem_.model.n_predictions();
  try {
    return tallied<Count>(*this, rows, limit, run, Votes<Count>(rows.n_rows(), n_predictions));
  } catch (const CountOverflow&) {
    return tallied<BigCount>(*this, rows, limit, run, Votes<BigCount>(rows.n_rows(), n_predictions));
  }
}

template <class Count>
PredictionSpread FilteredGraph<Count>::spread(const RowMasks& rows, const TreeLimit& limit, run::Run& run) {
  try {
    return tallied<Count>(*this, rows, limit, run, Spreads<Count>(rows.n_rows()));
  } catch (const CountOverflow&) {
    return tallied<BigCount>(*this, rows, limit, run, Spreads<BigCount>(rows.n_rows()));
  }
}

template VoteCounts FilteredGraph<WordCount>::votes(const RowMasks&, const TreeLimit&, run::Run&);
template VoteCounts FilteredGraph<BigCount>::votes(const RowMasks&, const TreeLimit&, run::Run&);
template PredictionSpread FilteredGraph<WordCount>::spread(const RowMasks&, const TreeLimit&, run::Run&);
template PredictionSpread FilteredGraph<BigCount>::spread(const RowMasks&, const TreeLimit&, run::Run&);

}  // namespace hornbeam::rashomon
