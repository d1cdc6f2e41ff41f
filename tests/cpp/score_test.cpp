// score_test.cpp: verify/score and verify/routing count right and reject what is no tree or breaks a limit; a search
// whose tree costs something else than it says is a fault.
#include "verify/score.hpp"

#include <stdexcept>

#include "api/checks.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::score_test {

using namespace hornbeam::api;
using namespace hornbeam::tree;
using namespace hornbeam::verify;

namespace {

Ticks score_of(const TestProblem& problem, const ResultTree& tree) {
  const FlatTree flat{tree.column, tree.left, tree.right, tree.prediction};
  const auto leaves = leaf_of_rows(flat, problem.columns(), problem.n_predictions, problem.limits);
  return score(flat, leaves, problem.losses(), problem.leaf_cost);
}

/// Adds a random subtree in pre-order; each node predicts what its rows cost least with.
void grow(Random& draw, const TestProblem& problem, const testing::RowNumbers& rows, std::uint32_t depth,
          ResultTree& tree) {
  const std::size_t node = tree.column.size();
  std::uint32_t best = 0;
  std::vector<Ticks> loss(problem.n_predictions, 0);
  for (std::uint32_t k = 0; k < problem.n_predictions; ++k) {
    for (const std::uint32_t row : rows) loss[k] += problem.weights[row] * problem.cost(problem.classes[row], k);
    if (loss[k] < loss[best]) best = k;
  }
  for (std::vector<std::int32_t>* field : {&tree.column, &tree.left, &tree.right}) field->push_back(-1);
  tree.prediction.push_back(static_cast<std::int32_t>(best));
  if (depth == 0 || problem.n_columns == 0) return;
  const std::uint32_t column = draw.below(problem.n_columns);
  const testing::RowNumbers true_side = rows_where(problem, rows, column, true);
  const testing::RowNumbers false_side = rows_where(problem, rows, column, false);
  if (true_side.empty() || false_side.empty()) return;
  tree.column[node] = static_cast<std::int32_t>(column);
  tree.left[node] = static_cast<std::int32_t>(tree.column.size());
  grow(draw, problem, true_side, draw.below(depth), tree);
  tree.right[node] = static_cast<std::int32_t>(tree.column.size());
  grow(draw, problem, false_side, draw.below(depth), tree);
}

/// Four rows of two columns, all different; a leaf costs 10 and an error 1.
TestProblem four_rows() {
  TestProblem problem;
  problem.n_columns = problem.n_classes = problem.n_predictions = 2;
  problem.rows = {{false, false}, {false, true}, {true, false}, {true, true}};
  problem.classes = {0, 1, 1, 1};
  problem.weights = {1, 2, 3, 4};
  problem.costs = {0, 1, 1, 0};
  problem.leaf_cost = 10;
  problem.pack();
  return problem;
}

/// Column 0; where it fails, column 1.
ResultTree three_leaves() {
  return {{0, -1, 1, -1, -1}, {1, -1, 3, -1, -1}, {2, -1, 4, -1, -1}, {1, 1, 1, 1, 0}, 0, {}};
}

}  // namespace

PROBLEM_TEST(the_score_of_a_random_tree_equals_a_walk_through_its_rows, 300, random_problem(draw, {1, 30, 0, 6})) {
  ResultTree tree;
  grow(draw, problem, all_rows(problem), draw.below(5), tree);
  CHECK_EQUAL(score_of(problem, tree), cost_of_tree(problem, tree));
}

TEST(a_tree_costs_its_leaves_and_its_errors) {
  const TestProblem problem = four_rows();
  ResultTree tree = three_leaves();
  CHECK_EQUAL(score_of(problem, tree), 30);
  tree.prediction[1] = 0;  // wrong for the rows of weight 3 and 4
  CHECK_EQUAL(score_of(problem, tree), 37);
  CHECK_EQUAL(score_of(problem, {{-1}, {-1}, {-1}, {0}, 0, {}}), 19);
}

TEST(a_tree_at_its_limits_passes_and_past_them_is_rejected) {
  TestProblem problem = four_rows();
  problem.limits = {2, 3, 1};
  CHECK_EQUAL(score_of(problem, three_leaves()), 30);
  problem.limits = {1, 3, 1};
  CHECK_THROWS(std::logic_error, score_of(problem, three_leaves()));
  problem.limits = {2, 2, 1};
  CHECK_THROWS(std::logic_error, score_of(problem, three_leaves()));
  problem.limits = {2, 3, 2};
  CHECK_THROWS(std::logic_error, score_of(problem, three_leaves()));
}

TEST(a_rule_list_passes_as_one_and_a_tree_that_splits_both_sides_is_rejected) {
  TestProblem problem = four_rows();
  const ResultTree both_sides{
      {0, 1, -1, -1, 1, -1, -1}, {1, 2, -1, -1, 5, -1, -1}, {4, 3, -1, -1, 6, -1, -1}, {1, 1, 1, 1, 1, 1, 0}, 0, {}};
  CHECK_EQUAL(score_of(problem, both_sides), 40);
  problem.limits.is_rule_list = true;
  CHECK_EQUAL(score_of(problem, three_leaves()), 30);
  CHECK_EQUAL(score_of(problem, {{-1}, {-1}, {-1}, {0}, 0, {}}), 19);
  CHECK_THROWS(std::logic_error, score_of(problem, both_sides));
}

TEST(a_single_leaf_may_have_fewer_rows_than_a_leaf_of_a_split) {
  TestProblem problem = four_rows();
  problem.limits.rows_per_leaf = 5;
  CHECK_EQUAL(score_of(problem, {{-1}, {-1}, {-1}, {1}, 0, {}}), 11);
}

TEST(arrays_that_are_no_tree_are_rejected) {
  const TestProblem problem = four_rows();
  const auto reject = [&problem](auto spoil) {
    ResultTree tree = three_leaves();
    spoil(tree);
    CHECK_THROWS(std::logic_error, score_of(problem, tree));
  };
  reject([](ResultTree& tree) { tree = {}; });
  reject([](ResultTree& tree) { tree.left[2] = 0; });    // a child before its parent
  reject([](ResultTree& tree) { tree.left[2] = 2; });    // its own child
  reject([](ResultTree& tree) { tree.right[0] = -1; });  // no child
  reject([](ResultTree& tree) { tree.right[0] = 5; });   // past the end
  reject([](ResultTree& tree) { tree.right[2] = 3; });   // one child twice, one node without parent
  reject([](ResultTree& tree) { tree.left[0] = 3; });    // two parents
  reject([](ResultTree& tree) { tree.column[2] = 2; });  // no such column
  reject([](ResultTree& tree) { tree.prediction[3] = 2; });
  reject([](ResultTree& tree) { tree.prediction[3] = -1; });
  reject([](ResultTree& tree) { tree.left.pop_back(); });
}

TEST(a_search_that_disagrees_with_the_score_of_its_tree_is_a_fault) {
  require_agreement(5, 5, 5);
  require_agreement(5, 5, 4);
  CHECK_THROWS(std::logic_error, require_agreement(6, 5, 4));
  CHECK_THROWS(std::logic_error, require_agreement(4, 5, 4));
  CHECK_THROWS(std::logic_error, require_agreement(5, 5, 6));
}

}  // namespace hornbeam::testing::score_test
