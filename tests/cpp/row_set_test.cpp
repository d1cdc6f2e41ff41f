// row_set_test.cpp: search/row_set against the rows themselves, for the root and chains of children.
#include "search/row_set.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "bounds/support_condition.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/problem.hpp"

namespace hornbeam {

using testing::CostMatrix;
using testing::Group;
using testing::Groups;
using testing::Random;
using testing::TestProblem;

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
  Costs costs;
  StopSignal stop{std::nullopt};
  DistinctRows data;
  std::uint64_t rows_per_leaf;
  Ticks threshold;
  RowSetMaker maker;

  Setup(TestProblem made, const Options& options)
      : problem(std::move(made)),
        matrix{problem.n_classes, problem.n_predictions, problem.costs, options.equivalent_points,
               options.rows_per_leaf > 1},
        costs(matrix.costs()),
        data(problem.columns(), problem.classes, problem.weights, problem.n_classes, stop),
        rows_per_leaf(options.rows_per_leaf),
        threshold(support_threshold(options.support_condition, problem.leaf_cost)),
        maker(data, costs, kernels(), rows_per_leaf, threshold) {}

  /// Whether a group of the set has a column of the data.
  static bool holds(const RowSet& set, std::uint32_t column, std::uint32_t group) {
    const auto place = std::find(set.columns.begin(), set.columns.end(), column) - set.columns.begin();
    return set.test(static_cast<std::uint32_t>(place), group);
  }

  Groups groups_of(const Numbers& rows) const {
    Groups groups;
    for (const std::uint32_t row : rows)
      groups.push_back({{data.weight(row), data.weight(row) + data.n_classes}, data.row_count[row]});
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

std::vector<bool> bits_of_group(const RowSet& set, std::uint32_t group) {
  std::vector<bool> bits(set.n_columns);
  for (std::uint32_t c = 0; c < set.n_columns; ++c) bits[c] = set.test(c, group);
  return bits;
}

std::vector<bool> bits_of_column(const RowSet& set, std::uint32_t column) {
  std::vector<bool> bits(set.n_groups);
  for (std::uint32_t g = 0; g < set.n_groups; ++g) bits[g] = set.test(column, g);
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

/// R1, R4, and that merging keeps weights, numbers of rows and base losses. Returns the merged groups in order.
Groups check_groups(const Setup& setup, const RowSet& set, const Numbers& rows) {
  const auto expected = rows_of_groups(setup, set, rows);
  CHECK_EQUAL(set.n_groups, expected.size());
  Groups groups;
  std::set<std::vector<bool>> seen;
  for (std::uint32_t g = 0; g < set.n_groups; ++g) {
    const std::vector<bool> bits = bits_of_group(set, g);
    CHECK(seen.insert(bits).second);
    if (!expected.contains(bits)) {
      CHECK(expected.contains(bits));
      return {};
    }
    const Numbers& members = expected.at(bits);
    groups.push_back(merged(setup.groups_of(members)));
    const std::int64_t* weight = &set.class_weight[std::size_t{g} * setup.data.n_classes];
    CHECK(groups.back().weight == std::vector(weight, weight + setup.data.n_classes));
    CHECK_EQUAL(set.row_count[g], groups.back().n_rows);
    CHECK_EQUAL(set.base_loss[g], setup.matrix.least_loss(setup.groups_of(members)));
    Fingerprint identity;
    for (const std::uint32_t row : members) identity ^= Fingerprint::of_row(row);
    CHECK(set.identity[g] == identity);
  }
  return groups;
}

/// R2.
void check_columns(const RowSet& set) {
  CHECK(set.stride % kLanes == 0 && set.stride >= set.n_columns);
  CHECK_EQUAL(set.columns.size(), set.n_columns);
  std::set<std::vector<bool>> seen;
  for (std::uint32_t c = 0; c < set.n_columns; ++c) {
    std::vector<bool> bits = bits_of_column(set, c);
    CHECK(!is_constant(bits));
    if (bits[0]) bits.flip();
    CHECK(seen.insert(bits).second);
  }
}

void check_measures(const Setup& setup, const RowSet& set, const Groups& groups) {
  CHECK(set.total == setup.matrix.measures(groups));
  for (std::uint32_t c = 0; c < set.stride; ++c) {
    Groups held;
    for (std::uint32_t g = 0; g < set.n_groups && c < set.n_columns; ++g)
      if (set.test(c, g)) held.push_back(groups[g]);
    const std::vector<Ticks> expected = setup.matrix.measures(held);
    for (std::size_t m = 0; m < expected.size(); ++m) CHECK_EQUAL(set.sums[m * set.stride + c], expected[m]);
  }
}

void check_pair_measures(Setup& setup, const RowSet& set, const Groups& groups, std::uint32_t column) {
  const Ticks* both = setup.maker.pair_measures(set, column);
  for (std::uint32_t c = 0; c < set.n_columns; ++c) {
    Groups held;
    for (std::uint32_t g = 0; g < set.n_groups; ++g)
      if (set.test(c, g) && set.test(column, g)) held.push_back(groups[g]);
    const std::vector<Ticks> expected = setup.matrix.measures(held);
    for (std::size_t m = 0; m < expected.size(); ++m) CHECK_EQUAL(both[m * set.stride + c], expected[m]);
  }
}

/// Everything about one set but the columns it lacks.
Groups check_set(const Setup& setup, const RowSet& set, const Numbers& rows) {
  Groups groups = check_groups(setup, set, rows);
  if (groups.size() != set.n_groups) return groups;
  check_columns(set);
  check_measures(setup, set, groups);
  Fingerprint whole;
  for (const std::uint32_t row : rows) whole ^= Fingerprint::of_row(row);
  CHECK(set.whole == whole);
  CHECK_EQUAL(set.whole_base_loss, setup.matrix.least_loss(setup.groups_of(rows)));
  CHECK(set.bytes() >= set.bits.size() * sizeof(Word));
  return groups;
}

/// R3, one step: a column of the parent that the child lacks is constant there, or has a side that is too light or has
/// too few rows, or equals or complements one that the child has.
void check_dropped_columns(const Setup& setup, const RowSet& parent, const Groups& groups, std::uint32_t split,
                           bool side, const RowSet& child) {
  std::set<std::vector<bool>> kept;  // on the groups of the parent that are in the child
  std::vector<std::vector<bool>> lacked;
  for (std::uint32_t c = 0; c < parent.n_columns; ++c) {
    std::vector<bool> bits;
    Groups sides[2];
    for (std::uint32_t g = 0; g < parent.n_groups; ++g) {
      if (parent.test(split, g) != side) continue;
      bits.push_back(parent.test(c, g));
      sides[bits.back() ? 1 : 0].push_back(groups[g]);
    }
    if (bits[0]) bits.flip();
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

/// A child that is only counted measures what the groups of its parent do, has the first of equal columns that are not
/// dropped, and its slots give its measures.
void check_counted_child(Setup& setup, const RowSet& parent, const Groups& groups, std::uint32_t split, bool side) {
  RowSet counted;
  setup.maker.count_child(parent, split, side, counted);
  CHECK(counted.only_counted());
  const auto in_child = [&](std::uint32_t g, std::uint32_t column, bool value) {
    return parent.test(split, g) == side && parent.test(column, g) == value;
  };
  std::uint32_t n_kept = 0;
  std::set<std::vector<bool>> seen;
  for (std::uint32_t c = 0; c < parent.n_columns; ++c) {
    Groups all, sides[2];
    for (std::uint32_t g = 0; g < parent.n_groups; ++g)
      if (parent.test(split, g) == side) all.push_back(groups[g]);
    for (std::uint32_t g = 0; g < parent.n_groups; ++g)
      for (int x = 0; x < 2; ++x)
        if (in_child(g, c, x == 1)) sides[x].push_back(groups[g]);
    CHECK(counted.total == setup.matrix.measures(all));
    bool stays = true;
    for (const Groups& each : sides) {
      const Ticks largest_loss = setup.matrix.largest_loss(each);
      stays &= largest_loss > 0 && largest_loss - setup.matrix.least_loss(each) >= setup.threshold;
      stays &= setup.matrix.n_rows(each) >= static_cast<std::int64_t>(setup.rows_per_leaf);
    }
    std::vector<bool> bits;
    for (std::uint32_t g = 0; g < parent.n_groups; ++g)
      if (parent.test(split, g) == side) bits.push_back(parent.test(c, g));
    if (!stays || !seen.insert(bits).second) continue;
    const std::uint32_t place = n_kept++;
    if (place >= counted.n_columns) break;
    CHECK_EQUAL(counted.columns[place], parent.columns[c]);
    const std::vector<Ticks> expected = setup.matrix.measures(sides[1]);
    for (std::size_t m = 0; m < expected.size(); ++m)
      CHECK_EQUAL(counted.sums[m * counted.stride + place], expected[m]);
  }
  CHECK_EQUAL(counted.n_columns, n_kept);
  const Measures measures = setup.costs.measures();
  AlignedVector<Ticks> sums(counted.sums.size());
  kernels().measure(counted.slot_tile(), measures, nullptr, sums.data(), setup.maker.scratch_for(counted));
  CHECK(sums == counted.sums);
  if (parent.n_columns == 0) return;
  for (std::uint32_t c = 1; c < counted.n_columns; ++c) {
    bool only[2] = {false, false};
    for (std::uint32_t g = 0; g < parent.n_groups; ++g) {
      const auto holds = [&](std::uint32_t place) { return setup.holds(parent, counted.columns[place], g); };
      if (parent.test(split, g) == side && holds(0) != holds(c)) only[holds(c) ? 1 : 0] = true;
    }
    CHECK(counted.are_nested(0, c) == !(only[0] && only[1]));
  }
}

void check_chain(Random& draw, Setup& setup) {
  RowSet parent, child;
  setup.maker.make_root(parent, setup.stop);
  setup.maker.hash_groups(parent, setup.stop);
  Numbers rows(setup.data.n_rows);
  for (std::uint32_t row = 0; row < setup.data.n_rows; ++row) rows[row] = row;
  Groups groups = check_set(setup, parent, rows);
  while (parent.n_columns > 0 && groups.size() == parent.n_groups) {
    const std::uint32_t column = draw.below(parent.n_columns);
    const bool side = draw.percent(50);
    check_pair_measures(setup, parent, groups, column);
    check_counted_child(setup, parent, groups, column, side);
    setup.maker.make_child(parent, column, side, child);
    std::erase_if(rows, [&](std::uint32_t row) { return setup.data.test(parent.columns[column], row) != side; });
    check_dropped_columns(setup, parent, groups, column, side, child);
    groups = check_set(setup, child, rows);
    std::swap(parent, child);
  }
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
  CHECK(of_weights.class_weight == of_rows.class_weight);
}

RANDOM_TEST(a_stop_ends_the_making_of_the_root, 1) {
  Setup setup(random_problem(draw, {20, 20, 4, 4}), {});
  setup.stop.stop(Status::interrupted);
  RowSet root;
  CHECK_THROWS(StoppedBeforeSearch, setup.maker.make_root(root, setup.stop));
}

}  // namespace hornbeam
