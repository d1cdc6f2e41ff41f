#include "search/bound_raiser.hpp"

#include <algorithm>
#include <numeric>

#include "bounds/packing.hpp"
#include "bounds/packing_slack.hpp"
#include "bounds/row_prices.hpp"

namespace hornbeam::search {

namespace {

/// Below this many open candidates, or so little depth, searching a frame costs less than packing its rows.
constexpr std::ptrdiff_t kLeastOpenToPack = 8;
/// Of the work so far, packings within blocks that close nothing get one part in so many. One that closes its frame
/// gives back so many times its work: where most do, the share limits nothing.
constexpr std::uint64_t kShareOfBlocks = 64;
constexpr std::uint64_t kRefundOfBlocks = 4;

/// What is proven of a subproblem by its best tree of at most so many levels: any other one has two leaves more.
table::Interval proven_by_levels(std::uint32_t levels, const table::KnownTree& best, std::uint32_t depth,
                                 Ticks leaf_cost) {
  return {depth <= levels ? best.cost : std::min(best.cost, (levels + 2) * leaf_cost), best};
}

}  // namespace

BoundRaiser::BoundRaiser(SearchThread& thread, ChildMaker& children, CandidateList& candidates)
    : thread_(thread),
      children_(children),
      candidates_(candidates),
      two_levels_(thread.problem, thread.kernels, thread.meter),
      clustering_(thread.problem),
      packer_(thread.problem, thread.kernels),
      known_pairs_(thread.problem) {
  SharedState& shared = thread.shared;
  if (two_levels_.is_usable() || !shallow::SumSolver::is_usable(thread.problem)) return;
  thread.maker.number_rows();
  std::call_once(shared.is_coded, [&] {
    shared.coded_rows = std::make_unique<const shallow::CodedRows>(thread.problem);
    shared.frame_bytes += shared.coded_rows->bytes();
  });
  sum_solver_.emplace(thread.problem, *shared.coded_rows, thread.kernels, thread.meter);
}

void BoundRaiser::raise_by_clusters(Frame& frame) {
  if (frame.is_clustered || !clustering_.is_usable()) return;
  frame.is_clustered = true;
  thread_.maker.make_slot_rows(frame.rows);
  const Ticks bound = std::min(frame.upper(), frame.least_loss + clustering_.least_cost(frame.rows));
  thread_.meter.add(clustering_.work());
  if (bound <= frame.lower) return;
  ++thread_.counters.clusters;
  frame.raise(bound);
}

void BoundRaiser::raise_by_row_prices(Frame& frame, Ticks budget) {
  if (frame.rows.numbers.empty()) return;
  const std::shared_ptr<const pricing::FeasiblePrices> prices = thread_.shared.row_prices();
  if (prices == nullptr || frame.priced_by == prices->total) return;
  frame.priced_by = prices->total;
  Ticks total = 0;
  for (const std::uint32_t row : frame.rows.numbers) total += prices->of_row[row];
  thread_.meter.add(frame.rows.numbers.size());
  frame.raise(std::min(frame.upper(), bounds::bound_by_prices(total, prices->shift)));
  if (frame.has_reached(budget)) ++thread_.counters.row_prices;
}

/// By the pairs of all rows, as soon as there are any.
void BoundRaiser::raise_by_known_pairs(Frame& frame, Ticks budget) {
  if (frame.has_known_pairs || frame.rows.numbers.empty() || !thread_.shared.has_pairs()) return;
  const std::shared_ptr<const packing::PairOrder> order = thread_.shared.pairs->get();
  frame.has_known_pairs = true;
  if (known_credit_.leaves_out()) return;
  const Ticks bound = known_pairs_.bound(frame.rows, *order, thread_.shared.row_bits, frame.upper());
  thread_.meter.add(known_pairs_.work());
  frame.raise(std::min(frame.upper(), bound));
  if (frame.has_reached(budget)) ++thread_.counters.packing;
  raise_by_slack(frame, bound, budget,
                 [&](std::uint32_t column) { return known_pairs_.unused(frame.rows.columns[column]); });
  known_credit_.count(frame.has_reached(budget));
}

void BoundRaiser::raise_by_packing(Frame& frame, Ticks budget) {
  if (frame.is_packed || !packer_.is_usable() || frame.limits.depth < kLeastDepthToPack) return;
  raise_by_known_pairs(frame, budget);
  if (frame.has_reached(budget)) return;
  // Otherwise a large set is packed only if many of its rows are equal.
  const bool is_large = packer_.may_need_blocks(frame.rows), in_blocks = is_large && may_pack_blocks();
  if (is_large && !in_blocks && !packer_.tries_large_sets()) return;
  const auto is_open = [&](const Candidate& candidate) { return candidate.lower < frame.target(budget); };
  if (std::count_if(frame.candidates.begin(), frame.candidates.end(), is_open) < kLeastOpenToPack) return;
  frame.is_packed = true;
  if (!in_blocks && packing_credit_.leaves_out()) return;
  thread_.maker.make_slot_rows(frame.rows);
  const Ticks without = bounds::packing_bound(thread_.problem.leaf_cost, frame.least_loss, 0);
  const Ticks packed = packer_.pack(frame.rows, frame.target(budget) - without, frame.upper() - without, in_blocks);
  thread_.meter.add(packer_.work());
  frame.raise(std::min(frame.upper(), without + packed));
  if (frame.has_reached(budget))
    ++(packer_.is_in_blocks() ? thread_.counters.packing_blocks : thread_.counters.packing);
  raise_by_slack(frame, without + packed, budget, [&](std::uint32_t column) { return packer_.unused(column); });
  const bool has_closed = frame.has_reached(budget);
  if (in_blocks) {
    if (has_closed)
      lost_on_blocks_ -= std::min(lost_on_blocks_, kRefundOfBlocks * packer_.work());
    else
      lost_on_blocks_ += packer_.work();
    return;
  }
  packing_credit_.count(has_closed);
}

/// By what a packing of its rows has left of the columns.
template <class Unused>
void BoundRaiser::raise_by_slack(Frame& frame, Ticks packing_bound, Ticks budget, Unused unused) {
  if (!thread_.problem.bounds.packing_slack || frame.has_reached(budget)) return;
  for (Candidate& candidate : frame.candidates) {
    if (candidate.lower >= frame.target(budget)) continue;
    candidate.lower = std::max(candidate.lower, bounds::bound_with_column(packing_bound, unused(candidate.column)));
    if (candidate.lower >= frame.target(budget)) ++thread_.counters.packing_slack;
  }
  frame.raise(std::min(frame.upper(), CandidateList::lowest(frame)));
}

/// Whether the search is a long one, and the next packing within blocks keeps to its share even if it closes nothing.
bool BoundRaiser::may_pack_blocks() const {
  const auto& [most_words, least_work] = thread_.problem.block_packing;
  const std::uint64_t spent = thread_.meter.spent();
  return thread_.problem.bounds.packing_blocks && spent >= least_work &&
         kShareOfBlocks * (lost_on_blocks_ + 2 * most_words) <= spent;
}

/// Two if no more are allowed or can pay, since a tree of more levels has at least four leaves; three if there are few
/// columns and no more are allowed, but not of a rule list.
std::uint32_t BoundRaiser::needed_levels(const Frame& frame, const Candidate& candidate, int x) const {
  const Side& side = candidate.side[x];
  if (sum_solver_) return needed_levels_by_sums(side.limits, side.upper, side.least_loss, frame.rows.n_columns);
  if (!two_levels_.is_usable()) return 0;
  if (side.limits.depth <= 2 || side.upper <= 4 * thread_.problem.leaf_cost + side.least_loss) return 2;
  return candidate.key[x].depth == 3 && thread_.problem.has_few_columns() && !candidate.is_of_list ? 3 : 0;
}

/// Three also without a limit on the depth, if trees of more levels, which have at least five leaves, cannot pay.
std::uint32_t BoundRaiser::needed_levels_by_sums(const NodeLimits& limits, Ticks upper, Ticks least_loss,
                                                 std::uint32_t n_columns) const {
  for (const std::uint32_t levels : {2u, 3u})
    if ((limits.depth <= levels || upper <= (levels + 2) * thread_.problem.leaf_cost + least_loss) &&
        (levels == 2 || sum_solver_->takes_three_levels(n_columns)))
      return levels;
  return 0;
}

std::uint32_t BoundRaiser::levels_of_whole(const NodeLimits& limits, const table::Interval& known,
                                           Ticks least_loss) const {
  if (limits.depth < 2 || known.is_closed()) return 0;
  const std::uint32_t levels = needed_levels_by_sums(limits, known.upper(), least_loss, thread_.problem.rows.n_columns);
  return levels > 0 ? levels : levels_by_cells(limits, known.upper(), least_loss);
}

/// Four or five where cells can be counted; 0 otherwise.
std::uint32_t BoundRaiser::levels_by_cells(const NodeLimits& limits, Ticks upper, Ticks least_loss) const {
  const std::optional<std::uint64_t>& most_bytes = thread_.shared.run.limits().bytes;
  const std::uint32_t n_columns = thread_.problem.rows.n_columns;
  if (limits.depth < shallow::CellSolver::kLeastLevels || !thread_.problem.model.measures().has_two_sums()) return 0;
  for (std::uint32_t levels = shallow::CellSolver::kLeastLevels; levels <= shallow::CellSolver::kMostLevels; ++levels)
    if (limits.depth <= levels || upper <= (levels + 2) * thread_.problem.leaf_cost + least_loss) {
      const bool has_room =
          !most_bytes || thread_.shared.bytes() + shallow::CellSolver::bytes(levels, n_columns) <= *most_bytes;
      const bool is_faster = shallow::CellSolver::is_faster(levels, thread_.problem, *thread_.shared.coded_rows);
      return has_room && is_faster ? levels : 0;
    }
  return 0;
}

void BoundRaiser::solve_whole(const Part& all, const NodeLimits& limits, const table::Interval& known,
                              std::uint32_t levels) {
  thread_.count_subproblem();
  std::vector<std::uint32_t> columns(thread_.problem.rows.n_columns);
  std::iota(columns.begin(), columns.end(), 0u);
  if (levels >= shallow::CellSolver::kLeastLevels) return solve_by_cells(all, columns, limits, known, levels);
  const auto found = sum_solver_->solve(all.rows, columns, levels);
  if (!found) return;
  ++(levels == 2 ? thread_.counters.two_levels : thread_.counters.three_levels);
  const bool is_better = found->better_than(known.tree);
  if (is_better) record_sides(all, limits, found->split);
  const table::KnownTree& best = is_better ? *found : known.tree;
  thread_.shared.table.tighten({all.set, limits.depth, limits.leaves}, {best.cost, best},
                               {table::SubproblemTable::kNeverForgotten, 0});
}

void BoundRaiser::solve_by_cells(const Part& all, std::span<const std::uint32_t> columns, const NodeLimits& limits,
                                 const table::Interval& known, std::uint32_t levels) {
  SharedState& shared = thread_.shared;
  const std::uint64_t bytes = shallow::CellSolver::bytes(levels, thread_.problem.rows.n_columns);
  shared.frame_bytes += bytes;
  shallow::CellSolver solver(thread_.problem, *shared.coded_rows, thread_.kernels, thread_.meter);
  if (solver.solve(all.rows, columns, levels)) {
    ++thread_.counters.cells;
    const table::KnownTree found = record_cell(solver, all, limits, {}, levels);
    const table::KnownTree& best = found.better_than(known.tree) ? found : known.tree;
    shared.table.tighten({all.set, limits.depth, limits.leaves}, {best.cost, best},
                         {table::SubproblemTable::kNeverForgotten, 0});
  }
  shared.frame_bytes -= bytes;
}

/// The best tree of a cell. All its subtrees get entries of their own, so that it can be read off, but for stumps,
/// which are found again then.
table::KnownTree BoundRaiser::record_cell(const shallow::CellSolver& solver, const Part& part, const NodeLimits& limits,
                                          const shallow::Cell& cell, std::uint32_t levels) {
  const rows::Problem& problem = thread_.problem;
  const Ticks loss = problem.model.least_loss_of_leaf(part.weight.data()), leaf = problem.leaf_cost + loss;
  if (levels == 1) {
    const Ticks gain = solver.gain_of_stump(cell);
    const table::TreeShape shape = gain > 0 ? table::TreeShape{2, 1} : table::TreeShape{1, 0};
    return {leaf - gain, table::kNoSplit, table::kUnlimited, shape};
  }
  const std::optional<std::uint32_t> root = solver.root_of(cell);
  if (!root) return {leaf, table::kNoSplit, table::kUnlimited, {1, 0}};
  const auto sides = sides_of(problem, part, solver.column(*root), true);
  table::KnownTree tree{0, solver.column(*root), table::kUnlimited, {0, 0}};
  const NodeLimits own = limits.without_idle_limits(problem.leaf_cost, loss, part.base_loss);
  for (int x = 0; x < 2; ++x) {
    const table::KnownTree side =
        record_cell(solver, sides[x], {own.depth_of_side(), table::kUnlimited}, cell.with(*root, x == 1), levels - 1);
    tree.cost += side.cost;
    tree.shape.leaves += side.shape.leaves;
    tree.shape.depth = std::max(tree.shape.depth, side.shape.depth + 1);
  }
  thread_.shared.table.tighten({part.set, own.depth, own.leaves},
                               proven_by_levels(levels, tree, own.depth, problem.leaf_cost));
  return tree;
}

/// The two sides below the root of the tree found get entries of their own, so that it can be read off.
void BoundRaiser::record_sides(const Part& all, const NodeLimits& limits, std::uint32_t split) {
  const auto sides = sides_of(thread_.problem, all, split, true);
  for (int x = 0; x < 2; ++x) {
    const shallow::Below below = sum_solver_->below_root(x == 1);
    if (below.tree.shape.depth < 2) continue;
    const NodeLimits of_side = NodeLimits{limits.depth_of_side(), table::kUnlimited}.without_idle_limits(
        thread_.problem.leaf_cost, below.loss, sides[x].base_loss);
    thread_.shared.table.tighten({sides[x].set, of_side.depth, of_side.leaves},
                                 proven_by_levels(2, below.tree, of_side.depth, thread_.problem.leaf_cost));
  }
}

void BoundRaiser::solve_shallow(Frame& frame, Candidate& candidate, int x, std::uint32_t levels) {
  thread_.count_subproblem();
  const std::uint64_t spent_before = thread_.meter.spent();
  const Side& side = candidate.side[x];
  const auto found = find_shallow(frame, candidate, x, levels);
  if (found && found->shape.depth == 3) record_below(frame, candidate, x);
  if (thread_.stopped() || !found) return;
  ++(levels == 2 ? thread_.counters.two_levels : thread_.counters.three_levels);
  table::KnownTree best = *found;
  if (const table::KnownTree leaf{thread_.problem.leaf_cost + side.loss, table::kNoSplit, table::kUnlimited, {1, 0}};
      leaf.better_than(best))
    best = leaf;
  const table::Interval known =
      thread_.shared.table.tighten(candidate.key[x], {std::min(side.upper, best.cost), best},
                                   proof_of(frame, candidate, thread_.meter.spent() - spent_before));
  candidates_.update_side(frame, candidate, x, known);
}

std::optional<table::KnownTree> BoundRaiser::find_shallow(const Frame& frame, const Candidate& candidate, int x,
                                                          std::uint32_t levels) {
  if (sum_solver_) return sum_solver_->solve_side(frame.rows, candidate.column, x == 1, levels);
  const Ticks upper = candidate.side[x].upper;
  return levels == 2 ? two_levels_.solve(frame.rows, candidate.column, x == 1, upper)
                     : two_levels_.solve_three_levels(frame.rows, candidate.column, x == 1, upper);
}

/// The two sides below the root of a tree of three levels get entries of their own, so that it can be read off.
void BoundRaiser::record_below(const Frame& frame, const Candidate& candidate, int x) {
  const std::uint32_t root = sum_solver_ ? sum_solver_->best_root() : two_levels_.best_root();
  rows::SupportSet support = thread_.maker.support_of(frame.rows, candidate.column, x == 1, root);
  const NodeLimits of_side{candidate.key[x].depth, candidate.key[x].leaves};
  for (const bool holds : {true, false}) {
    const shallow::Below below =
        sum_solver_ ? sum_solver_->below_root(holds) : two_levels_.below_root(frame.rows, holds);
    const NodeLimits limits = NodeLimits{of_side.depth_of_side(), table::kUnlimited}.without_idle_limits(
        thread_.problem.leaf_cost, below.loss, support.base_loss);
    if (below.tree.shape.depth == 2)
      thread_.shared.table.tighten({support.fingerprint, limits.depth, limits.leaves},
                                   proven_by_levels(2, below.tree, limits.depth, thread_.problem.leaf_cost));
    support.fingerprint ^= candidate.key[x].set;
    support.base_loss = candidate.side[x].base_loss - support.base_loss;
  }
}

}  // namespace hornbeam::search
