#include "posterior/posterior_worker.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::posterior {

namespace {

constexpr std::uint64_t kWorkBetweenPolls = std::uint64_t{1} << 21;

/// Of a side that the table has no tree of: a leaf, or a tree of two leaves.
table::KnownTree tree_of(const SideBounds& side) {
  return {side.upper, side.split, table::kUnlimited, {side.leaves, 1}};
}

}  // namespace

PosteriorWorker::PosteriorWorker(const data::DistinctRows& data, PosteriorCosts& costs, RowPairs& pairs,
                                 table::SubproblemTable& table, run::Run& run,
                                 std::optional<std::uint64_t> max_expansions, std::function<void()> poll)
    : data_(data),
      counting_(models::LeafModel::counting(data.n_targets, false)),
      costs_(costs),
      pairs_(pairs),
      table_(table),
      run_(run),
      meter_(run, kWorkBetweenPolls, std::move(poll)),
      maker_(data, counting_, kernels::kernels(), 0, 1, 1),
      scanner_(costs, maker_, pairs, counters_),
      max_expansions_(max_expansions) {}

void PosteriorWorker::open_root(Frame& root) {
  maker_.make_root(root.rows, run_);
  root.pairs = pairs_.all();
}

std::uint64_t PosteriorWorker::bytes() const {
  std::uint64_t sum = data_.bytes() + costs_.bytes() + pairs_.bytes() + table_.bytes() + maker_.bytes();
  for (const auto& frame : frames_)
    if (frame) sum += frame->rows.bytes() + frame->candidates.capacity() * sizeof(Candidate);
  return sum;
}

bool PosteriorWorker::goes_on() {
  if (max_expansions_ && n_expansions_ >= *max_expansions_) run_.stop(run::Status::expansion_limit);
  return meter_.spend(0);
}

/// Checked before a child is made. It takes no more than its parent: its rows as columns and, meanwhile, row by row.
bool PosteriorWorker::has_memory_for_child(const Frame& s) { return run_.check(bytes() + 3 * s.rows.bytes()); }

void PosteriorWorker::take_tree(Frame& s, const Candidate& candidate) const {
  const table::KnownTree tree{s.split + candidate.upper(),
                              s.rows.columns[candidate.column],
                              table::kUnlimited,
                              {candidate.side[0].leaves + candidate.side[1].leaves, 2}};
  if (tree.cost < s.known.tree.cost) s.known.tree = tree;
}

/// Makes the leaf the first tree; returns whether there may be a split.
bool PosteriorWorker::open(Frame& s) {
  const DepthCosts& here = costs_.at(s.depth);
  std::uint32_t n_splits = 0;
  for (const std::uint32_t copies : s.rows.copies) n_splits += copies;
  const Ticks leaf = costs_.likelihood(s.rows.total.data()) + (n_splits > 0 ? here.leaf : 0);
  if (leaf < s.known.tree.cost) s.known.tree = {leaf, table::kNoSplit, table::kUnlimited, {}};
  if (n_splits == 0 || here.split >= kInfinity) return false;
  s.split = here.split + costs_.log_of(n_splits);
  return true;
}

/// One side of a column as a leaf, whose lower bound is 0 if a split of it may pay.
SideBounds PosteriorWorker::leaf_of(const Frame& s, std::uint32_t column, int x) {
  std::vector<Ticks> counts(data_.n_targets);
  Ticks n = 0, most = 0;
  for (std::uint32_t k = 0; k < data_.n_targets; ++k) {
    const Ticks true_side = s.rows.sums[std::size_t{k} * s.rows.stride + column];
    counts[k] = x == 1 ? true_side : s.rows.total[k] - true_side;
    n += counts[k];
    most = std::max(most, counts[k]);
  }
  const DepthCosts& here = costs_.at(s.depth + 1);
  const Ticks leaf = costs_.likelihood(counts.data());
  const Ticks cost = leaf + (n > 1 ? here.leaf : 0);
  return {most == n || here.split >= kInfinity ? leaf : 0, cost, 1, table::kNoSplit};
}

void PosteriorWorker::grow(Frame& s) {
  if (open(s)) {
    Candidate best{};
    best.column = scanner_.scan_columns(s.rows, s.pairs, s.depth, column_bounds_);
    meter_.add(std::uint64_t{s.rows.n_columns} * (8 + 2 * s.rows.n_slot_words));
    const Ticks lower = s.split + *std::min_element(column_bounds_.begin(), column_bounds_.end());
    s.known.raise(std::min(s.known.tree.cost, lower));
    for (int x = 0; x < 2; ++x) best.side[x] = leaf_of(s, best.column, x);
    if (s.split + best.upper() < s.known.tree.cost) {
      find_fingerprints(s, best);
      for (int x = 0; x < 2; ++x) {
        if (best.side[x].is_closed() || !goes_on() || !has_memory_for_child(s)) continue;
        Frame& child = child_of(s, best, x);
        grow(child);
        best.side[x].update_tree(child.known.tree);
      }
      remember_sides(s, best);
      take_tree(s, best);
    }
  }
  record(s);
}

/// Bounds a node and its splits: the leaf, then cheap bounds for all columns, then pairs for those that are left.
void PosteriorWorker::expand(Frame& s, Ticks budget) {
  ++n_expansions_;
  s.candidates.clear();
  s.others = kInfinity;
  if (open(s)) {
    const Ticks target = s.known.target(budget);
    choose_candidates(s, target);
    scan_candidates(s, target);
  }
  update_lower_bound(s);
}

/// Lists the columns whose cheap bound is below `target` as candidates, in the order of these bounds, kept in side[0].
void PosteriorWorker::choose_candidates(Frame& s, Ticks target) {
  scanner_.scan_columns(s.rows, s.pairs, s.depth, column_bounds_);
  meter_.add(s.rows.n_columns);
  for (std::uint32_t c = 0; c < s.rows.n_columns; ++c) {
    if (s.split + column_bounds_[c] >= target) {
      s.others = std::min(s.others, s.split + column_bounds_[c]);
      ++counters_.perfect_split;
      continue;
    }
    Candidate candidate{};
    candidate.column = c;
    candidate.side[0].lower = column_bounds_[c];
    s.candidates.push_back(candidate);
  }
  std::sort(s.candidates.begin(), s.candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.side[0].lower < b.side[0].lower; });
}

void PosteriorWorker::scan_candidates(Frame& s, Ticks target) {
  std::size_t n_left = 0;
  for (Candidate& candidate : s.candidates) {
    Ticks lower = s.split + candidate.side[0].lower;
    if (lower < target && !goes_on()) target = lower;  // after a stop the others, of larger bounds, keep those
    if (lower < target) {
      scanner_.scan_pairs(s.rows, s.pairs, candidate.column, s.depth, candidate.side);
      meter_.add(std::uint64_t{s.rows.n_columns} * (8 + s.rows.n_slot_words));
      take_tree(s, candidate);
      target = std::min(target, s.known.tree.cost);
      lower = s.split + candidate.lower();
      if (lower >= target) ++counters_.pair_scans;
    }
    if (lower >= target || candidate.is_closed())
      s.others = std::min(s.others, lower);
    else
      s.candidates[n_left++] = candidate;
  }
  s.candidates.resize(n_left);
}

/// Raises the lower bound of `s` to that of its leaf and its splits.
void PosteriorWorker::update_lower_bound(Frame& s) {
  Ticks lower = std::min(s.known.tree.cost, s.others);
  for (const Candidate& candidate : s.candidates) lower = std::min(lower, s.split + candidate.lower());
  s.known.raise(lower);
}

void PosteriorWorker::find_fingerprints(Frame& s, Candidate& candidate) {
  if (std::exchange(candidate.has_fingerprints, true)) return;
  maker_.make_fingerprint_planes(s.rows);
  candidate.fingerprint[1] = maker_.support_of(s.rows, candidate.column, true).fingerprint;
  candidate.fingerprint[0] = candidate.fingerprint[1];
  candidate.fingerprint[0] ^= s.rows.support.fingerprint;
}

/// Adopts what the table knows of both sides; returns whether that raises a bound.
bool PosteriorWorker::refresh(Frame& s, Candidate& candidate) {
  find_fingerprints(s, candidate);
  const Ticks before = candidate.lower();
  for (int x = 0; x < 2; ++x)
    if (const auto known = table_.find({candidate.fingerprint[x], s.depth + 1})) candidate.side[x].update(*known);
  take_tree(s, candidate);
  return candidate.lower() > before;
}

/// So that the tree can be read off without counting again.
void PosteriorWorker::remember_sides(const Frame& s, const Candidate& candidate) {
  for (int x = 0; x < 2; ++x) {
    const SideBounds& side = candidate.side[x];
    const table::SubproblemKey key{candidate.fingerprint[x], s.depth + 1};
    const auto known = table_.find(key);
    if (!known || !known->has_tree()) table_.tighten(key, {side.lower, tree_of(side)});
  }
}

PosteriorWorker::Frame& PosteriorWorker::child_of(Frame& s, const Candidate& candidate, int x) {
  if (frames_.size() < s.depth + std::size_t{2}) frames_.resize(s.depth + std::size_t{2});
  if (!frames_[s.depth + 1]) frames_[s.depth + 1] = std::make_unique<Frame>();
  Frame& child = *frames_[s.depth + 1];
  maker_.make_slot_rows(s.rows);
  rows::SupportSet support;
  support.fingerprint = candidate.fingerprint[x];
  maker_.make_child(s.rows, candidate.column, x == 1, support, child.rows);
  meter_.add(std::uint64_t{s.rows.n_slot_words} * s.rows.words_per_slot * 16);
  child.pairs = s.pairs;
  pairs_.keep_side(s.rows.columns[candidate.column], x == 1, child.pairs);
  child.depth = s.depth + 1;
  child.known = table_.find({support.fingerprint, child.depth}).value_or(table::Interval{});
  // A budget may end the child before it has seen the tree of two leaves that the parent counts on.
  if (!child.known.has_tree()) child.known.tree = tree_of(candidate.side[x]);
  child.known.raise(candidate.side[x].lower);
  return child;
}

/// Raises the sides of a candidate until its bound reaches `target` or it is closed.
void PosteriorWorker::raise(Frame& s, Candidate& candidate, Ticks target) {
  while (goes_on() && !candidate.is_closed()) {
    if (!has_memory_for_child(s)) return;
    SideBounds* side = candidate.side;
    const Ticks missing = target - s.split - candidate.lower();
    if (missing <= 0) return;
    // The side with less work so far, by half of what is missing: the cheaper proof is tried first, and the other side
    // may prove the second half.
    const bool both_open = !side[0].is_closed() && !side[1].is_closed();
    int x = side[1].is_closed() ? 0 : 1;
    if (both_open && candidate.work[0] < candidate.work[1]) x = 0;
    const std::uint64_t before = n_expansions_;
    Frame& child = child_of(s, candidate, x);
    solve(child, side[x].lower + (both_open ? (missing + 1) / 2 : missing));
    candidate.work[x] += n_expansions_ - before;
    side[x].update(child.known);
    refresh(s, candidate);
  }
}

void PosteriorWorker::solve(Frame& s, Ticks budget) {
  expand(s, budget);
  while (goes_on()) {
    Candidate* least = nullptr;
    for (Candidate& candidate : s.candidates)
      if (!candidate.is_closed() && (least == nullptr || candidate.lower() < least->lower())) least = &candidate;
    const Ticks target = s.known.target(budget);
    if (least == nullptr || s.split + least->lower() >= target) break;
    // A look-up before any work: other paths may have led to the same sides.
    if (least->has_fingerprints || !refresh(s, *least)) raise(s, *least, target);
    update_lower_bound(s);
  }
  record(s);
}

void PosteriorWorker::improve(Frame& s, std::uint32_t width, std::uint64_t until) {
  const table::SubproblemKey visited{s.rows.support.fingerprint, s.depth,
                                     width};  // a round of a width visits a pair once
  if (table_.find(visited)) return;
  expand(s, kInfinity);
  const Ticks before = s.known.tree.cost;
  table_.tighten(visited, {});
  std::vector<Candidate> tries = s.candidates;
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(width, tries.size()));
  std::partial_sort(tries.begin(), tries.begin() + n, tries.end(),
                    [](const Candidate& a, const Candidate& b) { return a.upper() < b.upper(); });
  tries.resize(static_cast<std::size_t>(n));
  for (Candidate& candidate : tries) {
    refresh(s, candidate);
    remember_sides(s, candidate);
    for (int x = 0; x < 2 && meter_.spent() < until && goes_on(); ++x) {
      const SideBounds& side = candidate.side[x];
      if (side.is_closed() || s.split + candidate.lower() >= s.known.tree.cost) continue;
      if (!has_memory_for_child(s)) break;
      improve(child_of(s, candidate, x), width, until);
      refresh(s, candidate);
    }
  }
  if (s.known.tree.cost < before) ++counters_.greedy_trees;
  record(s);
}

}  // namespace hornbeam::posterior
