// rashomon/votes.cpp: the part of FilteredGraph that counts how many trees predict each class for each row.
//
// HOLDS   Rows other than the training rows may take different ways through columns that split the training rows at a
//         node in the same way, so a node is visited once for each set of rows that reaches it.
#include <utility>

#include "rashomon/leaf_occurrences.hpp"

namespace hornbeam::rashomon {

namespace {

template <class Sum>
class Votes {
 public:
  using Sets = Mask;

  Votes(const RowMasks& rows, std::uint32_t n_predictions)
      : rows_(rows), n_predictions_(n_predictions), counts_(std::size_t{rows.n_rows()} * n_predictions) {}

  Mask narrowed(const Mask& mask, const RowMasks::Copy& copy, bool side) const {
    Mask narrow = mask;
    rows_.narrow(narrow, copy.column, side != copy.flipped);
    return narrow;
  }
  static bool is_wanted(const Mask& mask) {
    return std::ranges::any_of(mask, [](Word word) { return word != 0; });
  }
  void add(const Mask& mask, std::uint32_t prediction, const Sum& number) {
    RowMasks::for_each_row(mask, [&](std::uint32_t row) { counts_[at(row, prediction)] += number; });
  }
  void add_stump(const Mask& mask, const RowMasks::Copy& copy, const std::array<std::uint32_t, 2>& predictions,
                 const Sum& number) {
    const Word* const holds = rows_.column(copy.column);
    for (std::uint32_t w = 0; w < mask.size(); ++w)
      for (const bool side : {false, true}) {
        const Word rows = mask[w] & (side != copy.flipped ? holds[w] : ~holds[w]);
        for_each_bit(rows, word_at(w), [&](std::size_t row) { counts_[at(row, predictions[side ? 1 : 0])] += number; });
      }
  }
  VoteCounts take() const {
    VoteCounts counts;
    counts.reserve(counts_.size());
    for (const Sum& each : counts_) counts.push_back(each.limbs());
    return counts;
  }

 private:
  std::size_t at(std::size_t row, std::uint32_t prediction) const { return row * n_predictions_ + prediction; }

  const RowMasks& rows_;
  const std::uint32_t n_predictions_;
  std::vector<Sum> counts_;
};

template <class Sum, class Count>
VoteCounts count_votes(FilteredGraph<Count>& trees, std::uint32_t n_predictions, const RowMasks& rows,
                       const TreeLimit& limit, run::Run& run) {
  Votes<Sum> votes(rows, n_predictions);
  LeafOccurrences<Count, Sum, Votes<Sum>>(trees, limit, votes, run).visit_all(rows.all());
  return votes.take();
}

}  // namespace

template <class Count>
VoteCounts FilteredGraph<Count>::votes(const RowMasks& rows, const TreeLimit& limit, run::Run& run) {
  const std::uint32_t n_predictions = graph_.problem_.model.n_predictions();
  try {
    return count_votes<Count>(*this, n_predictions, rows, limit, run);
  } catch (const CountOverflow&) {  // the graph has words, but not the sums over all costs
    return count_votes<BigCount>(*this, n_predictions, rows, limit, run);
  }
}

template VoteCounts FilteredGraph<WordCount>::votes(const RowMasks&, const TreeLimit&, run::Run&);
template VoteCounts FilteredGraph<BigCount>::votes(const RowMasks&, const TreeLimit&, run::Run&);

}  // namespace hornbeam::rashomon
