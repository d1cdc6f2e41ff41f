#include "primal/coarse_lookahead.hpp"

#include <algorithm>
#include <cmath>

#include "lookahead/lookahead_search.hpp"
#include "primal/sample.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::size_t kOfVariable = 10, kLeastConditions = 512, kMostConditions = 2048;
constexpr std::size_t kLeastPoints = std::size_t{1} << 12;  // if there are as many
// What is read at most, in words: by LicketySPLIT at a level of the tree, and by all three levels.
constexpr double kReadOfLevel = 1u << 26, kReadOfThreeLevels = 1u << 28;
constexpr double kReadForWork = 4;  // by all three levels, for each point read before: less in a small table
constexpr std::uint64_t kReadBetweenPolls = std::uint64_t{1} << 17;  // as many points as the words between two polls

void add_subtree(const tree::ResultTree& tree, std::size_t node, const std::vector<Split>& conditions,
                 Preorder& preorder) {
  if (tree.column[node] < 0) return preorder.push_back(std::nullopt);
  preorder.emplace_back(conditions[static_cast<std::size_t>(tree.column[node])]);
  for (const std::int32_t child : {tree.left[node], tree.right[node]})
    add_subtree(tree, static_cast<std::size_t>(child), conditions, preorder);
}

}  // namespace

std::uint32_t CoarseLookahead::n_conditions() const {
  std::uint32_t n = 0;
  for (const Variable& variable : points_.variables) n += variable.n_conditions();
  return n;
}

/// Few conditions see more points.
CoarseLookahead::Size CoarseLookahead::size_of(Kind kind) const {
  const double all = points_.size(), n = n_conditions(), least_words = std::min<double>(all, kLeastPoints) / 64 + 1;
  double conditions = std::clamp<double>(static_cast<double>(kOfVariable * points_.variables.size()), kLeastConditions,
                                         kMostConditions);
  const double read = std::min(kReadOfThreeLevels, kReadForWork * static_cast<double>(meter_.spent()));
  if (kind == Kind::three_levels) conditions = std::floor(std::cbrt(read / least_words));
  conditions = std::min(conditions, n);
  const double words = kind == Kind::three_levels ? read / std::pow(std::max(conditions, 1.0), 3)
                                                  : kReadOfLevel / std::pow(std::max(conditions, 1.0), 2);
  const double points = std::min(all, std::max<double>(kLeastPoints, std::floor(words) * 64));
  return {static_cast<std::size_t>(conditions), static_cast<std::size_t>(points)};
}

/// All conditions if they are few.
std::vector<Split> CoarseLookahead::choose(std::span<const std::uint32_t> all, std::size_t most) {
  if (n_conditions() > most) {
    finder_.load(all);
    return finder_.candidates(most, SplitFinder::Criterion::gini);
  }
  std::vector<Split> conditions;
  for (std::uint32_t v = 0; v < points_.variables.size(); ++v)
    for (std::uint32_t bin = 0; bin < points_.variables[v].n_conditions(); ++bin) conditions.push_back({v, bin});
  return conditions;
}

std::uint64_t CoarseLookahead::estimate(Kind kind, std::uint32_t depth) const {
  const auto [conditions, points] = size_of(kind);
  const std::size_t levels = kind == Kind::three_levels ? conditions : depth;
  return conditions * conditions * (points / 64 + 1) * levels / 4;
}

Preorder CoarseLookahead::grow(std::span<const std::uint32_t> all, Ticks leaf_penalty, Kind kind, std::uint32_t depth) {
  const auto [most, n] = size_of(kind);
  const std::vector<Split> conditions = choose(all, most);
  std::vector<std::uint32_t> sampled;
  std::vector<std::int32_t> target;
  std::vector<std::int64_t> weight;
  for_each_sampled(all.size(), n, [&](std::size_t i) {
    sampled.push_back(all[i]);
    target.push_back(static_cast<std::int32_t>(points_.target[all[i]]));
    weight.push_back(points_.weight[all[i]]);
  });
  const std::size_t bytes = (n + 7) / 8;
  std::vector<std::uint8_t> packed(bytes * conditions.size(), 0);
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    points_.variables[conditions[c].variable].with_condition(conditions[c].bin, [&](auto holds) {
      for (std::size_t i = 0; i < n; ++i)
        packed[c * bytes + i / 8] |= static_cast<std::uint8_t>((holds(sampled[i]) ? 1 : 0) << (i % 8));
    });
  }
  meter_.spend(n * conditions.size());
  const data::PackedColumns columns{packed.data(), static_cast<std::uint32_t>(conditions.size()),
                                    static_cast<std::uint32_t>(n)};
  run::Run run({}, [this](const run::Progress&) { return !meter_.spend(kReadBetweenPolls); });
  const double share = static_cast<double>(n) / static_cast<double>(all.size());
  Preorder preorder;
  run.guard([&] {
    const data::DistinctRows rows(columns, {target, weight, points_.n_targets}, run);
    const TreeLimits limits{
        depth, std::nullopt,
        std::max<std::uint64_t>(static_cast<std::uint64_t>(share * static_cast<double>(rows_per_leaf_)), 1)};
    const rows::Problem problem{rows, model_, static_cast<Ticks>(share * static_cast<double>(leaf_penalty)), limits,
                                Bounds{}};
    const bool is_recursive = kind == Kind::lickety_split;
    const lookahead::Lookahead lookahead{is_recursive ? 1u : 2u, is_recursive, true, !is_recursive};
    const run::Outcome found = lookahead::search_lookahead(problem, lookahead, run, {});
    add_subtree(found.tree, 0, conditions, preorder);
  });
  if (preorder.empty()) preorder.emplace_back();
  return preorder;
}

}  // namespace hornbeam::primal
