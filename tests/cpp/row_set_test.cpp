// row_set_test.cpp: rows/row_set against the rows themselves, for the root and chains of children.
#include "rows/row_set.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bounds/support_condition.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::row_set_test {

using namespace hornbeam::bounds;
using namespace hornbeam::data;
using namespace hornbeam::kernels;
using namespace hornbeam::models;
using namespace hornbeam::rows;
using namespace hornbeam::run;

namespace {

using Numbers = std::vector<std::uint32_t>;

struct Options {
  std::uint64_t rows_per_leaf = 1;
  bool equivalent_points = true;
  bool support_condition = true;
};

Options random_options(Random& draw) {
  return {draw.choose<std::uint64_t>({1, 1, 2, 4}), draw.percent(80), draw.percent(70)};
}

/// A random problem in which rows of every class can incur a loss (R1 speaks of no others).
TestProblem costly_problem(Random& draw, const testing::Sizes& sizes) {
  TestProblem problem = random_problem(draw, sizes);
  for (std::uint32_t c = 0; c < problem.n_classes; ++c) {
    Ticks* row = &problem.costs[std::size_t{c} * problem.n_predictions];
    if (std::count(row, row + problem.n_predictions, 0) < problem.n_predictions) continue;
    for (std::uint32_t k = 0; k < problem.n_predictions; ++k) row[k] = k == c ? 0 : 1;
    row[problem.n_predictions == 1 ? 0 : (c + 1) % problem.n_predictions] = 1;
  }
  return problem;
}

/// Everything a maker needs, kept alive together.
struct Setup {
  TestProblem problem;
  CostMatrix matrix;
  LeafModel costs;
  Run stop;
  DistinctRows data;
  std::uint64_t rows_per_leaf;
  Ticks threshold;
  RowSetMaker maker;

  Setup(TestProblem made, const Options& options)
      : problem(std::move(made)),
        matrix{problem.n_classes, problem.n_predictions, problem.costs, options.equivalent_points,
               options.rows_per_leaf > 1},
        costs(matrix.costs()),
        data(problem.columns(), problem.targets(), stop),
        rows_per_leaf(options.rows_per_leaf),
        threshold(support_threshold(options.support_condition, problem.leaf_cost)),
        maker(data, costs, kernels::kernels(), problem.leaf_cost, rows_per_leaf, threshold) {
    matrix.is_convex = costs.measures().is_convex();
  }

  Groups groups_of(const Numbers& rows) const {
    Groups groups;
    for (const std::uint32_t row : rows)
      groups.push_back({{data.weight(row), data.weight(row) + data.n_targets}, data.row_count[row]});
    return groups;
  }
};

Group merged(const Groups& groups) {
  Group sum{std::vector<std::int64_t>(groups.front().weight.size()), 0};
  for (const Group& group : groups) {
    for (std::size_t c = 0; c < sum.weight.size(); ++c) sum.weight[c] += group.weight[c];
    sum.n_rows += group.n_rows;
  }
  return sum;
}

/// The slots in use, and what each counts.
struct Slot {
  std::size_t index;
  std::uint32_t target, shift;
};

std::vector<Slot> slots_of(const RowSet& set) {
  std::vector<Slot> slots;
  for (const Segment& segment : set.segments)
    for (std::uint32_t i = 0; i < segment.n_slots; ++i)
      slots.push_back({std::size_t{segment.begin} * kWordBits + i, segment.target, segment.shift});
  return slots;
}

bool test(const RowSet& set, std::uint32_t column, std::size_t slot) {
  return ((set.word(column, static_cast<std::uint32_t>(slot / kWordBits)) >> (slot % kWordBits)) & 1) != 0;
}

std::vector<bool> bits_of_column(const RowSet& set, std::uint32_t column) {
  std::vector<bool> bits;
  for (const Slot& slot : slots_of(set)) bits.push_back(test(set, column, slot.index));
  return bits;
}

bool is_constant(const std::vector<bool>& bits) {
  return std::count(bits.begin(), bits.end(), bits[0]) == std::ssize(bits);
}

/// The rows of each group of the set: those that agree with it on every column that is left.
std::map<std::vector<bool>, Numbers> rows_of_groups(const Setup& setup, const RowSet& set, const Numbers& rows) {
  std::map<std::vector<bool>, Numbers> found;
  for (const std::uint32_t row : rows) {
    std::vector<bool> bits(set.n_columns);
    for (std::uint32_t c = 0; c < set.n_columns; ++c) bits[c] = setup.data.test(set.columns[c], row);
    found[bits].push_back(row);
  }
  return found;
}

/// R1 and R4. Returns the groups with the values of the columns that are left.
std::map<std::vector<bool>, Group> check_groups(const Setup& setup, const RowSet& set, const Numbers& rows) {
  struct Expected {
    std::vector<std::int64_t> counts;
    Fingerprint fingerprint;
    Ticks base_loss = 0;
  };
  const std::uint32_t n_counts = setup.costs.measures().n_counts();
  std::map<std::vector<bool>, Expected> found;
  for (const Slot& slot : slots_of(set)) {
    std::vector<bool> bits(set.n_columns);
    for (std::uint32_t c = 0; c < set.n_columns; ++c) bits[c] = test(set, c, slot.index);
    Expected& made = found[bits];
    made.counts.resize(n_counts);
    made.counts[slot.target] += std::int64_t{1} << slot.shift;
    made.fingerprint ^= set.slot_supports[slot.index].fingerprint;
    made.base_loss += set.slot_supports[slot.index].base_loss;
  }
  std::map<std::vector<bool>, Group> groups;
  for (const auto& [bits, members] : rows_of_groups(setup, set, rows)) {
    const Group& group = groups[bits] = merged(setup.groups_of(members));
    Expected expected;
    expected.counts = group.weight;
    expected.counts.resize(n_counts);
    if (setup.matrix.counts_rows) expected.counts.back() = group.n_rows;
    setup.costs.merge(expected.counts.data());
    for (const std::uint32_t row : members)
      expected.fingerprint ^= setup.data.fingerprint(row, setup.matrix.counts_rows);
    expected.base_loss = setup.matrix.least_loss(setup.groups_of(members));
    if (!found.contains(bits)) {
      CHECK_EQUAL(std::count(expected.counts.begin(), expected.counts.end(), 0), n_counts);
      continue;
    }
    CHECK(found[bits].fingerprint == expected.fingerprint);
    CHECK_EQUAL(found[bits].base_loss, expected.base_loss);
    CHECK_EQUAL(setup.costs.least_loss_of(found[bits].counts.data()),
                setup.costs.least_loss_of(expected.counts.data()));
    for (std::uint32_t c = 0; c < setup.data.n_targets; ++c) CHECK_EQUAL(found[bits].counts[c], expected.counts[c]);
    found.erase(bits);
  }
  CHECK(found.empty());
  return groups;
}

/// R2.
void check_columns(const RowSet& set) {
  CHECK(set.stride % kNarrowLanes == 0 && set.stride >= set.n_columns);
  CHECK_EQUAL(set.columns.size(), set.n_columns);
  std::set<std::vector<bool>> seen;
  for (std::uint32_t c = 0; c < set.n_columns; ++c) {
    std::vector<bool> bits = bits_of_column(set, c);
    CHECK(!is_constant(bits));
    if (bits[0]) bits.flip();
    CHECK(seen.insert(bits).second);
  }
}

using GroupsByBits = std::map<std::vector<bool>, Group>;

/// The groups where the columns hold.
Groups groups_where(const GroupsByBits& groups, const Numbers& columns) {
  Groups found;
  for (const auto& [bits, group] : groups)
    if (std::all_of(columns.begin(), columns.end(), [&](std::uint32_t c) { return bits[c]; })) found.push_back(group);
  return found;
}

void check_measures(const Setup& setup, const RowSet& set, const GroupsByBits& groups) {
  CHECK(set.total == setup.matrix.measures(groups_where(groups, {})));
  for (std::uint32_t c = 0; c < set.stride; ++c) {
    const std::vector<Ticks> expected = setup.matrix.measures(c < set.n_columns ? groups_where(groups, {c}) : Groups{});
    for (std::size_t m = 0; m < expected.size(); ++m) CHECK_EQUAL(set.sums[m * set.stride + c], expected[m]);
  }
}

/// Also where they are kept from before, and not those of another column or of the last rows of this set.
void check_pair_measures(Setup& setup, RowSet& set, const GroupsByBits& groups, std::uint32_t column) {
  const Ticks* both = setup.maker.pair_measures(set, column);
  for (const std::uint32_t kept_before : {column, (column + 1) % set.n_columns}) {
    setup.maker.kept_pair_measures(set, kept_before);
    const Ticks* kept = setup.maker.kept_pair_measures(set, column);
    for (std::uint32_t c = 0; c < set.n_columns; ++c) {
      const std::vector<Ticks> expected = setup.matrix.measures(groups_where(groups, {column, c}));
      for (std::size_t m = 0; m < expected.size(); ++m) {
        CHECK_EQUAL(both[m * set.stride + c], expected[m]);
        CHECK_EQUAL(kept[m * set.stride + c], expected[m]);
      }
    }
  }
}

/// Everything about one set but the columns it lacks.
GroupsByBits check_set(const Setup& setup, const RowSet& set, const Numbers& rows) {
  GroupsByBits groups = check_groups(setup, set, rows);
  check_columns(set);
  check_measures(setup, set, groups);
  Fingerprint all;
  for (const std::uint32_t row : rows) all ^= setup.data.fingerprint(row, setup.matrix.counts_rows);
  CHECK(set.support.fingerprint == all);
  CHECK_EQUAL(set.support.base_loss, setup.matrix.least_loss(setup.groups_of(rows)));
  CHECK(set.bytes() >= set.slots.size() * sizeof(Word));
  return groups;
}

/// R3, one step: a column of the parent that the child lacks is constant there, or has a side that is too light or has
/// too few rows, or equals or complements one that the child has.
void check_dropped_columns(const Setup& setup, const RowSet& parent, const GroupsByBits& groups, std::uint32_t split,
                           bool side, const RowSet& child) {
  std::set<std::vector<bool>> kept;  // on the groups of the parent that are in the child and weigh
  std::vector<std::vector<bool>> lacked;
  for (std::uint32_t c = 0; c < parent.n_columns; ++c) {
    std::vector<bool> bits;
    Groups sides[2];
    for (const auto& [values, group] : groups) {
      if (values[split] != side) continue;
      sides[values[c] ? 1 : 0].push_back(group);
      if (setup.matrix.counts_rows || merged({group}).weight != std::vector<std::int64_t>(setup.data.n_targets))
        bits.push_back(values[c]);
    }
    if (!bits.empty() && bits[0]) bits.flip();
    const auto may_go = [&setup](const Groups& of_side) {
      const Ticks worth = setup.matrix.largest_loss(of_side) - setup.matrix.least_loss(of_side);
      const bool few = setup.matrix.n_rows(of_side) < static_cast<std::int64_t>(setup.rows_per_leaf);
      return of_side.empty() || worth < setup.threshold || few;
    };
    const bool has = std::find(child.columns.begin(), child.columns.end(), parent.columns[c]) != child.columns.end();
    CHECK(!has || !(may_go(sides[0]) || may_go(sides[1])));
    if (has)
      kept.insert(bits);
    else if (!may_go(sides[0]) && !may_go(sides[1]))
      lacked.push_back(bits);
  }
  for (const std::vector<bool>& bits : lacked) CHECK(kept.contains(bits));
}

/// A child that is only counted has the measures of the groups of its parent that it holds.
void check_counted(Setup& setup, RowSet& parent, const GroupsByBits& groups, std::uint32_t split, bool side) {
  RowSet counted;
  setup.maker.count_child(parent, split, side, counted);
  Groups all;
  for (const auto& [values, group] : groups)
    if (values[split] == side) all.push_back(group);
  CHECK(counted.total == setup.matrix.measures(all));
  CHECK_EQUAL(counted.n_columns, parent.n_columns);
  for (std::uint32_t c = 0; c < parent.n_columns; ++c) {
    Groups true_side;
    for (const auto& [values, group] : groups)
      if (values[split] == side && values[c]) true_side.push_back(group);
    const std::vector<Ticks> expected = setup.matrix.measures(true_side);
    for (std::size_t m = 0; m < expected.size(); ++m) CHECK_EQUAL(counted.sums[m * counted.stride + c], expected[m]);
    const std::uint32_t other = (c + 1) % parent.n_columns;
    bool only_c = false, only_other = false;
    for (const Slot& slot : slots_of(parent)) {
      if (test(parent, split, slot.index) != side) continue;
      only_c |= test(parent, c, slot.index) && !test(parent, other, slot.index);
      only_other |= test(parent, other, slot.index) && !test(parent, c, slot.index);
    }
    CHECK(counted.are_nested(c, other) == !(only_c && only_other));
  }
}

/// Support sets from bit planes are those made slot by slot, but for the base loss.
SupportSet check_supports(const Setup& setup, RowSet& set, std::uint32_t column, bool side) {
  const SupportSet support = setup.maker.support_of(set, column, side);
  setup.maker.make_fingerprint_planes(set);
  CHECK(setup.maker.support_of(set, column, side).fingerprint == support.fingerprint);
  return support;
}

void check_chain(Random& draw, Setup& setup) {
  RowSet parent, child;
  setup.maker.make_root(parent, setup.stop);
  Numbers rows(setup.data.n_rows);
  for (std::uint32_t row = 0; row < setup.data.n_rows; ++row) rows[row] = row;
  GroupsByBits groups = check_set(setup, parent, rows);
  while (parent.n_columns > 0) {
    const std::uint32_t column = draw.below(parent.n_columns);
    const bool side = draw.percent(50);
    check_pair_measures(setup, parent, groups, column);
    setup.maker.make_slot_rows(parent);
    check_counted(setup, parent, groups, column, side);
    const SupportSet support = check_supports(setup, parent, column, side);
    setup.maker.make_child(parent, column, side, support, child);
    std::erase_if(rows, [&](std::uint32_t row) { return setup.data.test(parent.columns[column], row) != side; });
    check_dropped_columns(setup, parent, groups, column, side, child);
    groups = check_set(setup, child, rows);
    std::swap(parent, child);
  }
}

/// The first column holds in half of the rows. The first 2 * `n_equal` rows each have a copy of the other class, which
/// only the last column tells apart; that column is too light for a split.
TestProblem large_problem(Random& draw, std::uint32_t n_rows, std::uint32_t n_equal, Ticks leaf_cost) {
  constexpr std::uint32_t kColumns = 18;
  TestProblem problem;
  problem.n_columns = kColumns;
  problem.n_classes = problem.n_predictions = 2;
  problem.costs = {0, 1, 1, 0};
  problem.leaf_cost = leaf_cost;
  for (std::uint32_t r = 0; r < n_rows; ++r) {
    std::vector<bool> row(kColumns);
    for (std::uint32_t c = 0; c + 1 < kColumns; ++c) row[c] = ((r >> c) & 1) != 0;
    const std::int32_t label = draw.percent(50) ? 1 : 0;
    problem.rows.push_back(row);
    problem.classes.push_back(label);
    if (r >= 2 * n_equal) continue;
    row.back() = true;
    problem.rows.push_back(row);
    problem.classes.push_back(1 - label);
  }
  problem.weights.assign(problem.rows.size(), 1);
  problem.pack();
  return problem;
}

/// How many of the same large children in turn have their equal rows merged, all or none.
std::uint32_t n_merged_of(Setup& setup, std::uint32_t n_children, Ticks n_equal) {
  RowSet root, child;
  setup.maker.make_root(root, setup.stop);
  setup.maker.make_slot_rows(root);
  std::uint32_t n_merged = 0;
  for (std::uint32_t i = 0; i < n_children; ++i) {
    setup.maker.make_child(root, 0, true, setup.maker.support_of(root, 0, true), child);
    const Ticks least_loss = setup.costs.least_loss(child.total.data());
    CHECK(least_loss == 0 || least_loss == n_equal);
    if (least_loss > 0) ++n_merged;
  }
  return n_merged;
}

}  // namespace

RANDOM_TEST(chains_of_children_of_small_problems_equal_their_rows, 300) {
  TestProblem problem = costly_problem(draw, {1, 40, 0, 9});
  Setup setup(std::move(problem), random_options(draw));
  check_chain(draw, setup);
}

RANDOM_TEST(chains_of_children_of_many_words_equal_their_rows, 40) {
  TestProblem problem = costly_problem(draw, {100, 400, 8, 30});
  problem.leaf_cost /= 50;
  Setup setup(std::move(problem), random_options(draw));
  check_chain(draw, setup);
}

RANDOM_TEST(row_sets_without_support_sets_have_the_same_slots, 60) {
  const TestProblem problem = random_problem(draw, {1, 200, 1, 70});
  Run stop;
  const DistinctRows data(problem.columns(), problem.targets(), stop);
  const std::uint64_t rows_per_leaf = draw.choose<std::uint64_t>({1, 3});
  const LeafModel model = LeafModel::counting(problem.n_classes, rows_per_leaf > 1);
  RowSetMaker maker(data, model, kernels::kernels(), problem.leaf_cost, rows_per_leaf, 1);
  RowSetMaker bare(data, model, kernels::kernels(), problem.leaf_cost, rows_per_leaf, 1);
  bare.without_supports();
  RowSet set, child, bare_set, bare_child;
  maker.make_root(set, stop);
  bare.make_root(bare_set, stop);
  while (true) {
    CHECK(bare_set.slots == set.slots && bare_set.columns == set.columns);
    CHECK(bare_set.sums == set.sums && bare_set.total == set.total);
    CHECK(bare_set.slot_supports.empty());
    if (set.n_columns == 0) break;
    const std::uint32_t column = draw.below(set.n_columns);
    const bool side = draw.percent(50);
    maker.make_slot_rows(set);
    bare.make_slot_rows(bare_set);
    maker.make_child(set, column, side, maker.support_of(set, column, side), child);
    bare.make_child(bare_set, column, side, {}, bare_child);
    std::swap(set, child);
    std::swap(bare_set, bare_child);
  }
}

RANDOM_TEST(a_root_of_weighted_rows_equals_the_root_of_as_many_single_rows, 30) {
  TestProblem weighted = random_problem(draw, {5, 20, 2, 6});
  for (std::int64_t& weight : weighted.weights) weight = draw.between(1, 9);
  TestProblem repeated = weighted;
  for (std::uint32_t r = 0; r < weighted.n_rows(); ++r)
    for (; repeated.weights[r] > 1; --repeated.weights[r]) {
      repeated.rows.push_back(weighted.rows[r]);
      repeated.classes.push_back(weighted.classes[r]);
      repeated.weights.push_back(1);
    }
  repeated.pack();
  Setup one(weighted, {}), many(repeated, {});
  RowSet of_weights, of_rows;
  one.maker.make_root(of_weights, one.stop);
  many.maker.make_root(of_rows, many.stop);
  CHECK(of_weights.total == of_rows.total);
  CHECK(of_weights.sums == of_rows.sums);
  CHECK(of_weights.slots == of_rows.slots);
}

RANDOM_TEST(large_sets_are_merged_while_that_pays, 2) {
  constexpr std::uint32_t kChildren = 64, kRows = 12'000;
  constexpr Ticks kLeafCost = 400;
  Setup paying(large_problem(draw, kRows, 150, kLeafCost), {}), idle(large_problem(draw, kRows, 10, kLeafCost), {});
  CHECK_EQUAL(n_merged_of(paying, kChildren, 150), kChildren);
  CHECK_EQUAL(n_merged_of(idle, kChildren, 10), 4u);  // the first, and every sixteenth of the others
}

RANDOM_TEST(a_stop_ends_the_making_of_the_root, 1) {
  Setup setup(random_problem(draw, {20, 20, 4, 4}), {});
  setup.stop.stop(Status::interrupted);
  RowSet root;
  CHECK_THROWS(Stopped, setup.maker.make_root(root, setup.stop));
}

}  // namespace hornbeam::testing::row_set_test
