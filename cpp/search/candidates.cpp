// search/candidates.cpp: the part of Worker that bounds the candidate splits of one frame.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "bounds/reference.hpp"
#include "bounds/similarity.hpp"
#include "bounds/subset.hpp"
#include "search/worker.hpp"

namespace hornbeam {

/// Lists the splits that can win by one look at each column, lowest bound first.
void Worker::list_candidates(Frame& frame) {
  const Looks& looks = maker_.look(frame.rows);
  const Ticks *bound = looks.bound, *stump_loss = looks.stump_loss;
  const std::uint32_t n_columns = frame.rows.n_columns;
  const std::uint32_t most = frame.room.leaves == kUnlimited ? 1 : frame.room.leaves - 1;
  const auto best_stump = static_cast<std::uint32_t>(std::min_element(stump_loss, stump_loss + n_columns) - stump_loss);
  if (best_stump < n_columns && stump_loss[best_stump] < kInfinity)
    take_tree(frame, candidate_of(frame, looks, best_stump, 1, most));
  order_.clear();
  for (std::uint32_t c = 0; c < n_columns; ++c)
    if (bound[c] < frame.upper()) order_.emplace_back(bound[c], c);
  std::sort(order_.begin(), order_.end());
  frame.candidates.reserve(order_.size());
  for (const auto& [unused, column] : order_) {
    const Candidate candidate = candidate_of(frame, looks, column, 1, most);
    if (candidate.rest < frame.upper()) frame.candidates.push_back(candidate);
  }
}

/// The split on `column`. Where leaves are limited, the true side gets at least and at most so many of them.
Candidate Worker::candidate_of(const Frame& frame, const Looks& looks, std::uint32_t column,
                               std::uint32_t least_of_true_side, std::uint32_t most_of_true_side) const {
  Candidate candidate;
  candidate.column = column;
  candidate.is_range = least_of_true_side != most_of_true_side;
  for (int x = 0; x < 2; ++x) {
    Side& side = candidate.side[x];
    side.largest_loss = looks.largest_loss[x][column];
    side.loss = looks.loss[x][column];
    side.least_loss = looks.least_loss[x][column];
    side.base_loss = 0;
    side.room.depth = frame.room.depth_of_side();
    if (frame.room.leaves != kUnlimited)
      side.room.leaves = x == 1 ? most_of_true_side : frame.room.leaves - least_of_true_side;
    side.upper = problem_.leaf_cost + side.loss;
    side.shape = {1, 0};
    side.large = side.room.only_leaf() ? kInfinity : cost_of_two_leaves_or_more(problem_.leaf_cost, side.least_loss);
    side.lower = std::min(side.upper, side.large);
  }
  candidate.rest = 0;
  candidate.raise_rest();
  return candidate;
}

/// The tree of the candidate's two known trees becomes the frame's if it is better.
void Worker::take_tree(Frame& frame, const Candidate& candidate) {
  if (candidate.is_range) return take_small_tree(frame, candidate);
  const KnownTree tree{candidate.upper(), frame.rows.columns[candidate.column], candidate.side[1].room.leaves,
                       candidate.shape()};
  if (tree.better_than(frame.tree)) frame.tree = tree;
}

/// Of a range only leaves and stumps on the sides are known to fit together.
void Worker::take_small_tree(Frame& frame, const Candidate& range) {
  const std::uint32_t leaves = frame.room.leaves;
  for (int small = 0; small < 2; ++small) {  // the side that is a leaf if the two trees do not fit
    Ticks cost = 0;
    TreeShape shape[2];
    for (int x = 0; x < 2; ++x) {
      const Side& side = range.side[x];
      const bool as_leaf = side.shape.leaves > 2 || (x == small && leaves < 4);
      cost += as_leaf ? problem_.leaf_cost + side.loss : side.upper;
      shape[x] = as_leaf ? TreeShape{1, 0} : side.shape;
    }
    const std::uint32_t of_true = std::clamp(leaves / 2, shape[1].leaves, leaves - shape[0].leaves);
    const KnownTree tree{cost,
                         frame.rows.columns[range.column],
                         of_true,
                         {shape[0].leaves + shape[1].leaves, std::max(shape[0].depth, shape[1].depth) + 1}};
    if (tree.better_than(frame.tree)) frame.tree = tree;
  }
}

/// Runs the pair stage for every candidate that the budget admits.
void Worker::pair_candidates(Frame& frame, Ticks budget) {
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    if (frame.candidates[i].is_paired || frame.candidates[i].rest >= frame.cut(budget)) continue;
    if (stopped()) return;
    pair(frame, frame.candidates[i]);
    if (similarity_holds(frame)) spread_to_neighbours(frame, frame.candidates[i]);
  }
}

void Worker::pair(Frame& frame, Candidate& candidate) {
  candidate.is_paired = true;
  if (!problem_.switches.pair_stage) return;
  const Ticks leaf_cost = problem_.leaf_cost;
  const SlotTile slots = frame.rows.slot_tile();
  PairSide found[2];
  maker_.pair_stage(frame.rows, candidate.column, found);
  budget_.add(std::uint64_t{slots.tile.stride} * (slots.tile.n_words + 8));
  for (int x = 0; x < 2; ++x) {
    Side& side = candidate.side[x];
    const PairSide& pairs = found[1 - x];  // the kernel lists the true side first
    if (side.room.only_leaf()) continue;
    if (pairs.stump_loss < kInfinity) side.know_tree(2 * leaf_cost + pairs.stump_loss, {2, 1});
    side.large = kInfinity;
    if (!side.room.only_stump()) {
      if (pairs.three_leaf_loss < kInfinity) side.large = 3 * leaf_cost + pairs.three_leaf_loss;
      if (pairs.four_leaves) side.large = std::min(side.large, 4 * leaf_cost + side.least_loss);
    }
    side.lower = std::max(side.lower, std::min(side.upper, side.large));
  }
  candidate.raise_rest();
  take_tree(frame, candidate);
}

/// bounds/similarity.hpp from a candidate just paired to the columns beside it that are nested with it (thresholds of
/// one variable). There the distance is a difference of sums, and what the pair stage has proven beyond the best tree
/// spares the neighbours their own pair stage. (Beyond the budget would do for now, but they would be paired later.)
void Worker::spread_to_neighbours(Frame& frame, const Candidate& from) {
  const RowSet& rows = frame.rows;
  const Ticks slack = from.side[0].lower + from.side[1].lower - frame.upper();
  if (slack < 0) return;
  if (frame.candidate_of.empty()) {
    frame.candidate_of.assign(rows.n_columns, kNoCandidate);
    for (std::uint32_t i = 0; i < frame.candidates.size(); ++i) frame.candidate_of[frame.candidates[i].column] = i;
  }
  for (const std::int64_t step : {1, -1}) {
    for (std::int64_t next = from.column + step; next >= 0 && next < rows.n_columns; next += step) {
      const std::uint32_t index = frame.candidate_of[static_cast<std::size_t>(next)];
      if (index == kNoCandidate) continue;
      Candidate& to = frame.candidates[index];
      if (std::abs(to.side[1].largest_loss - from.side[1].largest_loss) > slack) break;
      if (!rows.are_nested(from.column, to.column)) break;
      if (!to.is_paired && to.rest < frame.upper()) take_nested_bound(from, to);
    }
  }
}

/// Where one true side holds the other: the larger set of each side costs no less, the smaller no less than the
/// larger without the difference (del <= n).
void Worker::take_nested_bound(const Candidate& from, Candidate& to) {
  for (int x = 0; x < 2; ++x) {
    Side& side = to.side[x];
    const Ticks gone = std::max<Ticks>(from.side[x].largest_loss - side.largest_loss, 0);
    const Ticks more = std::max<Ticks>(side.least_loss - from.side[x].least_loss, 0);
    side.lower = std::min(std::max(side.lower, from.side[x].lower - gone + more), side.upper);
  }
  to.raise_rest();
}

/// Replaces a range by two parts, below and above a fair share.
void Worker::divide(Frame& frame, std::size_t index) {
  const Candidate whole = frame.candidates[index];
  const std::uint32_t least = frame.room.leaves - whole.side[0].room.leaves, most = whole.side[1].room.leaves;
  const std::uint32_t middle = std::clamp(whole.fair_share(frame.room.leaves), least, most - 1);
  frame.candidates[index] = part_of(frame, whole, least, middle);
  frame.candidates.push_back(part_of(frame, whole, middle + 1, most));
  for (const Candidate& half : {frame.candidates[index], frame.candidates.back()}) take_tree(frame, half);
  count_bytes(frame);
}

/// The candidate with a smaller range of leaves for its true side.
Candidate Worker::part_of(const Frame& frame, Candidate whole, std::uint32_t least_of_true_side,
                          std::uint32_t most_of_true_side) const {
  whole.is_range = least_of_true_side != most_of_true_side;
  whole.side[1].room.leaves = most_of_true_side;
  whole.side[0].room.leaves = frame.room.leaves - least_of_true_side;
  for (Side& side : whole.side) {
    if (side.room.only_leaf()) {
      side.upper = problem_.leaf_cost + side.loss;
      side.shape = {1, 0};
    }
    if (side.room.only_leaf() || (side.room.only_stump() && problem_.switches.pair_stage)) side.large = kInfinity;
    side.lower = std::max(side.lower, std::min(side.upper, side.large));
  }
  whole.raise_rest();
  return whole;
}

/// Makes many names cheaper where many are asked for and their base losses are not (Room::without_idle_limits). One by
/// one, a slot in four is looked at, for four steps; with planes, a name costs 16 steps a word and some more.
void Worker::expect_names(Frame& frame, Ticks budget) {
  constexpr std::int64_t kStepsOfWord = 16, kStepsOfName = 60, kStepsToMakeWord = 300;
  const bool is_limited = frame.room.depth != kUnlimited || frame.room.leaves != kUnlimited;
  if (problem_.has_reference() || (is_limited && problem_.leaf_cost > 0)) return;
  const std::int64_t n_words = frame.rows.n_slot_words;
  std::int64_t n_slots = 0;
  for (const Segment& segment : frame.rows.segments) n_slots += segment.n_slots;
  const std::int64_t spared = n_slots - kStepsOfWord * n_words - kStepsOfName;
  if (spared <= 0) return;
  const auto needs_name = [&](const Candidate& candidate) {
    return !candidate.has_keys && candidate.rest < frame.cut(budget);
  };
  if (std::count_if(frame.candidates.begin(), frame.candidates.end(), needs_name) * spared > kStepsToMakeWord * n_words)
    maker_.make_name_planes(frame.rows);
}

/// Names both sides: one pass over the slots of the smaller one.
void Worker::find_keys(const Frame& frame, Candidate& candidate) {
  candidate.has_keys = true;
  const RowSet& rows = frame.rows;
  const int smaller = candidate.side[1].largest_loss <= candidate.side[0].largest_loss ? 1 : 0;
  const SlotName name = maker_.name_of(rows, candidate.column, smaller == 1);
  candidate.key[smaller].set = candidate.key[1 - smaller].set = name.identity;
  candidate.key[1 - smaller].set ^= rows.whole.identity;
  candidate.side[smaller].base_loss = name.base_loss;
  candidate.side[1 - smaller].base_loss = rows.whole.base_loss - name.base_loss;
  candidate.side[smaller].reference_loss = name.reference_loss;
  candidate.side[1 - smaller].reference_loss = rows.whole.reference_loss - name.reference_loss;
  for (int x = 0; x < 2; ++x) {
    const Side& side = candidate.side[x];
    const Room room = side.room.without_idle_limits(problem_.leaf_cost, side.loss, side.base_loss);
    candidate.key[x].depth = room.depth;
    candidate.key[x].leaves = room.leaves;
  }
  if (!problem_.has_reference()) return;
  for (Side& side : candidate.side)
    if (!side.room.only_leaf()) guess(side.reference_loss, side.upper, side.lower);
  candidate.raise_rest();
}

/// bounds/reference.hpp for a set; remembers if it says more than what is proven.
void Worker::guess(Ticks reference_loss, Ticks upper, Ticks& lower) {
  const Ticks guessed = std::min(upper, guessed_bound(problem_.leaf_cost, reference_loss));
  if (guessed <= lower) return;
  lower = guessed;
  shared_.has_guessed.store(true, std::memory_order_relaxed);
}

/// Names both sides and starts to fetch what `refresh` will read: the look-ups of a frame's candidates miss the caches,
/// so they had better miss them together.
void Worker::expect(const Frame& frame, Candidate& candidate) {
  if (!candidate.has_keys) find_keys(frame, candidate);
  for (int x = 0; x < 2; ++x)
    if (!candidate.side[x].is_closed()) shared_.table.prefetch(candidate.key[x]);
}

/// Takes over what the table knows of both sides.
void Worker::refresh(Frame& frame, Candidate& candidate) {
  if (!candidate.has_keys) find_keys(frame, candidate);
  for (int x = 0; x < 2; ++x) {
    const Side &side = candidate.side[x], &other = candidate.side[1 - x];
    Interval known;
    if (!side.is_closed())
      if (const auto entry = shared_.table.find(candidate.key[x])) known = *entry;
    // best(this side) + best(other side) >= lower(set), unless that is a guess.
    if (!problem_.has_reference()) known.lower = std::max(known.lower, frame.lower - other.upper);
    learn_side(frame, candidate, x, known);
  }
}

void Worker::learn_side(Frame& frame, Candidate& candidate, int x, const Interval& known) {
  Side& side = candidate.side[x];
  side.know_tree(known.tree.cost, known.tree.shape);
  side.lower = std::min(std::max(side.lower, known.lower), side.upper);
  candidate.raise_rest();
  take_tree(frame, candidate);
  if (subset_holds(frame))
    frame.lower = std::max(frame.lower, subset_bound(side.lower, candidate.side[1 - x].least_loss));
}

/// bounds/similarity.hpp from the split just raised to every open candidate.
void Worker::spread_similarity(Frame& frame, const Candidate& from, Ticks budget) {
  const auto is_open = [&](const Candidate& g) { return &g != &from && g.rest < frame.cut(budget); };
  if (std::none_of(frame.candidates.begin(), frame.candidates.end(), is_open)) return;
  const RowSet& rows = frame.rows;
  const std::size_t stride = rows.stride;
  const Ticks* both = maker_.pair_measures(rows, from.column);
  budget_.add(std::uint64_t{rows.stride} * rows.slot_tile().tile.n_words);
  for (Candidate& g : frame.candidates) {
    if (!is_open(g)) continue;
    Ticks distance[2][2], least_loss[2][2];  // [side of f][side of g]: del and q of the rows on both sides
    for (int f = 0; f < 2; ++f) {
      for (int y = 0; y < 2; ++y) {
        for (std::uint32_t m = 0; m < measures_.size(); ++m) {
          const Ticks f1 = rows.sums[m * stride + from.column], g1 = rows.sums[m * stride + g.column];
          const Ticks f1g1 = both[m * stride + g.column];
          const Ticks in_g1 = f == 1 ? f1g1 : g1 - f1g1;
          cell_[m] = y == 1 ? in_g1 : (f == 1 ? f1 : rows.total[m] - f1) - in_g1;
        }
        distance[f][y] =
            similarity_distance(problem_.costs.largest_loss(cell_.data()), problem_.costs.loss(cell_.data()),
                                problem_.leaf_cost, frame.room.depth != kUnlimited || problem_.has_reference());
        least_loss[f][y] = problem_.costs.least_loss(cell_.data());
      }
    }
    for (int y = 0; y < 2; ++y) {
      const Ticks bound = std::max(from.side[1].lower - distance[1][1 - y] + least_loss[0][y],
                                   from.side[0].lower - distance[0][1 - y] + least_loss[1][y]);
      if (bound > g.side[y].lower) g.side[y].lower = std::min(bound, g.side[y].upper);
    }
    g.raise_rest();
  }
}

bool Worker::subset_holds(const Frame& frame) const {
  return problem_.switches.subset && frame.room.depth == kUnlimited && frame.room.leaves == kUnlimited &&
         !problem_.limits_rows();
}

bool Worker::similarity_holds(const Frame& frame) const {
  return problem_.switches.similarity && frame.room.leaves == kUnlimited && !problem_.limits_rows();
}

}  // namespace hornbeam
