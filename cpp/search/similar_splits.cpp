#include "search/similar_splits.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bounds/similarity.hpp"

namespace hornbeam::search {

namespace {

/// If one true side contains the other: the larger set of each side costs no less than the smaller one, and the smaller
/// one no less than the larger one minus the difference (del <= n).
void raise_nested(const Candidate& from, Candidate& to) {
  for (int x = 0; x < 2; ++x) {
    Side& side = to.side[x];
    const Ticks gone = std::max<Ticks>(from.side[x].largest_loss - side.largest_loss, 0);
    const Ticks more = std::max<Ticks>(side.least_loss - from.side[x].least_loss, 0);
    side.lower = std::min(std::max(side.lower, from.side[x].lower - gone + more), side.upper);
  }
  to.raise();
}

/// Of the rows on one side of the split f and on one side of the split g.
struct SharedRows {
  Ticks distance, least_loss;  // del and q
};

class SimilarSplits {
 public:
  SimilarSplits(SearchThread& thread, Frame& frame, const Candidate& from)
      : counters_(thread.counters),
        model_(thread.problem.model),
        rows_(frame.rows),
        f_(from),
        both_(thread.maker.kept_pair_measures(frame.rows, from.column)),
        leaf_cost_(thread.problem.leaf_cost),
        may_not_add_split_(frame.limits.depth != table::kUnlimited || thread.problem.has_reference()),
        cell_(model_.measures().size()) {}

  void raise(Candidate& g) {
    SharedRows shared[2][2];  // [side of f][side of g]
    for (int f = 0; f < 2; ++f)
      for (int y = 0; y < 2; ++y) shared[f][y] = shared_rows(g, f, y);
    for (int y = 0; y < 2; ++y) {
      const Ticks bound = std::max(f_.side[1].lower - shared[1][1 - y].distance + shared[0][y].least_loss,
                                   f_.side[0].lower - shared[0][1 - y].distance + shared[1][y].least_loss);
      if (bound <= g.side[y].lower) continue;
      g.side[y].lower = std::min(bound, g.side[y].upper);
      ++counters_.similarity;
    }
    g.raise();
  }

 private:
  SharedRows shared_rows(const Candidate& g, int f, int y) {
    for (std::size_t m = 0; m < cell_.size(); ++m) {
      const Ticks f1 = rows_.sums[m * rows_.stride + f_.column], g1 = rows_.sums[m * rows_.stride + g.column];
      const Ticks f1g1 = both_[m * rows_.stride + g.column];
      const Ticks in_g1 = f == 1 ? f1g1 : g1 - f1g1;
      cell_[m] = y == 1 ? in_g1 : (f == 1 ? f1 : rows_.total[m] - f1) - in_g1;
    }
    return {bounds::similarity_distance(model_.largest_loss(cell_.data()), model_.loss(cell_.data()), leaf_cost_,
                                        may_not_add_split_),
            model_.least_loss(cell_.data())};
  }

  Counters& counters_;
  const models::LeafModel& model_;
  const rows::RowSet& rows_;
  const Candidate& f_;
  const Ticks* both_;  // measures of the rows where f and each other column hold
  const Ticks leaf_cost_;
  const bool may_not_add_split_;
  std::vector<Ticks> cell_;
};

void index_candidates(Frame& frame) {
  if (!frame.candidate_of.empty()) return;
  frame.candidate_of.assign(frame.rows.n_columns, kNoCandidate);
  for (std::uint32_t i = 0; i < frame.candidates.size(); ++i) frame.candidate_of[frame.candidates[i].column] = i;
}

}  // namespace

InheritedBounds::InheritedBounds(SearchThread& thread, Frame& whole, const rows::RowSet& part)
    : counters_(thread.counters),
      model_(thread.problem.model),
      whole_(whole),
      part_(part),
      leaf_cost_(thread.problem.leaf_cost),
      // Also under a limit of depth: one of the whole leaves room for one more split than one of the part.
      may_not_add_split_(thread.problem.has_reference()),
      cell_(model_.measures().size()) {
  index_candidates(whole);
}

void InheritedBounds::raise(std::uint32_t column, Candidate& g) {
  const std::uint32_t index = whole_.candidate_of[column];
  if (index == kNoCandidate) return;
  for (int y = 0; y < 2; ++y) {
    Side& side = g.side[y];
    const Ticks of_whole = whole_.candidates[index].side[y].lower;
    if (of_whole <= side.lower || side.is_closed()) continue;
    const Ticks bound = of_whole - distance(column, y);
    if (bound <= side.lower) continue;
    side.lower = std::min(bound, side.upper);
    ++counters_.similarity;
  }
  g.raise();
}

/// del of the rows that are on the side `y` of the column in the whole, and not in the part.
Ticks InheritedBounds::distance(std::uint32_t column, int y) {
  const rows::RowSet& rows = whole_.rows;
  for (std::size_t m = 0; m < cell_.size(); ++m) {
    const std::size_t at = m * rows.stride + column;
    const Ticks holds = rows.sums[at] - part_.sums[at];
    cell_[m] = y == 1 ? holds : rows.total[m] - part_.total[m] - holds;
  }
  return bounds::similarity_distance(model_.largest_loss(cell_.data()), model_.loss(cell_.data()), leaf_cost_,
                                     may_not_add_split_);
}

void inherit(SearchThread& thread, Frame& whole, const rows::RowSet& part, Frame& child) {
  InheritedBounds inherited(thread, whole, part);
  const std::vector<std::uint32_t>&of_child = child.rows.columns, &of_whole = whole.rows.columns;
  std::vector<std::uint32_t> column_of(of_child.size());
  // A child keeps the order of the columns that it keeps.
  auto at = of_whole.begin();
  for (std::size_t c = 0; c < of_child.size(); ++c) {
    at = std::find(at, of_whole.end(), of_child[c]);
    column_of[c] = static_cast<std::uint32_t>(at - of_whole.begin());
  }
  for (Candidate& g : child.candidates) inherited.raise(column_of[g.column], g);
}

void spread_to_nested(SearchThread& thread, Frame& frame, const Candidate& from) {
  const rows::RowSet& rows = frame.rows;
  const Ticks slack =
      std::min(from.side[0].lower + from.least_of_other(0), from.side[1].lower + from.least_of_other(1)) -
      frame.upper();
  if (slack < 0) return;
  index_candidates(frame);
  for (const std::int64_t step : {1, -1}) {
    for (std::int64_t next = from.column + step; next >= 0 && next < rows.n_columns; next += step) {
      const std::uint32_t index = frame.candidate_of[static_cast<std::size_t>(next)];
      if (index == kNoCandidate) continue;
      Candidate& to = frame.candidates[index];
      if (std::abs(to.side[1].largest_loss - from.side[1].largest_loss) > slack) break;
      if (!rows.are_nested(from.column, to.column)) break;
      if (to.is_paired || to.lower >= frame.upper()) continue;
      raise_nested(from, to);
      if (to.lower >= frame.upper()) ++thread.counters.nested_bound;
    }
  }
}

void spread_to_similar(SearchThread& thread, Frame& frame, const Candidate& from, Ticks budget) {
  const auto is_open = [&](const Candidate& g) { return &g != &from && g.lower < frame.target(budget); };
  if (std::none_of(frame.candidates.begin(), frame.candidates.end(), is_open)) return;
  thread.meter.add(std::uint64_t{frame.rows.stride} * frame.rows.slot_tile().tile.n_words);
  SimilarSplits similar(thread, frame, from);
  for (Candidate& g : frame.candidates)
    if (is_open(g)) similar.raise(g);
}

}  // namespace hornbeam::search
