// table_test.cpp: table/subproblem_table against a std::map; memory; threads.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "support/check.hpp"
#include "support/threads.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::testing::table_test {

using namespace hornbeam::table;

namespace {

Fingerprint set_of(std::uint32_t number) {
  Fingerprint set;
  for (std::uint32_t row = 0; row < 20; ++row)
    if (((number >> row) & 1) != 0) set ^= Fingerprint::of_row(row);
  return set;
}

using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

SubproblemKey key_of(const Name& name) { return {set_of(std::get<0>(name)), std::get<1>(name), std::get<2>(name)}; }

Name random_name(Random& draw, std::uint32_t n_sets) {
  return {draw.below(n_sets), draw.choose<std::uint32_t>({kUnlimited, 3, 4}),
          draw.choose<std::uint32_t>({kUnlimited, 3, 4})};
}

/// The best cost that the tests give to a subproblem.
Ticks best_of(const Name& name) { return 1000 + std::get<0>(name) % 50; }

/// A valid interval around the best cost; at the upper end a tree of one of a few shapes.
Interval random_interval(Random& draw, Ticks best) {
  Interval interval;
  interval.lower = best - draw.between(0, 20);
  if (draw.percent(20)) return interval;
  interval.tree.cost = best + draw.between(0, 10);
  interval.tree.shape = {draw.size_between(2, 4), draw.size_between(1, 3)};
  interval.tree.split = draw.below(1000);
  interval.tree.leaves_of_true_side = draw.below(5);
  return interval;
}

auto order_of(const KnownTree& tree) { return std::tuple(tree.cost, tree.shape.leaves, tree.shape.depth); }

/// What T2 says of two intervals of one subproblem.
Interval tightened(const Interval& known, const Interval& fresh) {
  return {std::max(known.lower, fresh.lower), order_of(fresh.tree) < order_of(known.tree) ? fresh.tree : known.tree};
}

bool same(const Interval& a, const Interval& b) {
  return a.lower == b.lower && order_of(a.tree) == order_of(b.tree) && a.tree.split == b.tree.split &&
         a.tree.leaves_of_true_side == b.tree.leaves_of_true_side;
}

constexpr std::uint64_t kNoBytes = 0;

std::uint64_t first_bytes() { return SubproblemTable(false, kNoBytes).bytes(); }

}  // namespace

RANDOM_TEST(a_better_tree_costs_less_or_has_fewer_leaves_or_less_depth, 300) {
  const KnownTree a = random_interval(draw, 1000).tree, b = random_interval(draw, 1000).tree;
  CHECK(a.better_than(b) == (order_of(a) < order_of(b)));
}

RANDOM_TEST(the_table_equals_a_map_of_intervals_that_only_tighten, 20) {
  SubproblemTable table(draw.percent(50), std::nullopt);
  std::map<Name, Interval> expected;
  const std::uint32_t n_sets = draw.choose<std::uint32_t>({10, 300, 5000});
  for (int i = 0; i < 6000; ++i) {
    const Name name = random_name(draw, n_sets);
    const auto known = table.find(key_of(name));
    CHECK_EQUAL(known.has_value(), expected.contains(name));
    if (known) CHECK(same(*known, expected[name]));
    const Interval fresh = random_interval(draw, best_of(name));
    expected[name] = expected.contains(name) ? tightened(expected[name], fresh) : fresh;
    CHECK(same(table.tighten(key_of(name), fresh), expected[name]));
  }
  CHECK_EQUAL(table.size(), expected.size());
  CHECK(table.bytes() >= first_bytes());
  CHECK(!table.is_full());
  for (const auto& [name, interval] : expected) CHECK(same(table.find(key_of(name)).value_or(Interval{}), interval));
}

RANDOM_TEST(a_file_holds_the_lower_ends_of_a_table_and_no_trees, 10) {
  SubproblemTable table(draw.percent(50), std::nullopt);
  std::map<Name, Ticks> expected;
  for (std::uint32_t i = draw.size_between(0, 3000); i > 0; --i) {
    const Name name = random_name(draw, 1000);
    Interval fresh = random_interval(draw, best_of(name));
    if (draw.percent(20)) fresh.lower = 0;  // nothing is proven, so nothing is saved
    if (const Ticks lower = table.tighten(key_of(name), fresh).lower; lower > 0) expected[name] = lower;
  }
  std::vector<std::uint64_t> words;
  table.put_lower_bounds([&](std::uint64_t word) { words.push_back(word); });
  SubproblemTable again(false, std::nullopt);
  CHECK(!again.has_read_bounds());
  std::size_t at = 0;
  again.read_lower_bounds([&] { return words.at(at++); });
  CHECK(again.has_read_bounds());
  CHECK_EQUAL(at, words.size());
  CHECK_EQUAL(again.size(), expected.size());
  for (const auto& [name, lower] : expected) {
    const Interval found = again.find(key_of(name)).value_or(Interval{});
    CHECK_EQUAL(found.lower, lower);
    CHECK(!found.has_tree());
  }
}

TEST(bounds_that_are_read_tighten_what_the_table_has) {
  SubproblemTable saved(false, std::nullopt), table(false, std::nullopt);
  saved.tighten({set_of(1)}, {10, {}});
  saved.tighten({set_of(2)}, {10, {}});
  std::vector<std::uint64_t> words;
  saved.put_lower_bounds([&](std::uint64_t word) { words.push_back(word); });
  table.tighten({set_of(1)}, {7, {30, 5, kUnlimited, {}}});
  table.tighten({set_of(2)}, {12, {}});
  std::size_t at = 0;
  table.read_lower_bounds([&] { return words.at(at++); });
  const Interval one = table.find({set_of(1)}).value_or(Interval{});
  CHECK(one.lower == 10 && one.tree.cost == 30 && one.tree.split == 5);
  CHECK_EQUAL(table.find({set_of(2)}).value_or(Interval{}).lower, 12);
}

TEST(a_table_grows_by_what_its_entries_need) {
  SubproblemTable table(false, std::nullopt);
  for (std::uint32_t i = 0; i < 100'000; ++i) table.tighten({set_of(i)}, {1, {}});
  CHECK_EQUAL(table.size(), 100'000u);
  CHECK(table.bytes() <= 100'000 * 56 * 5 / 2 + 100'000 * set_of(1).heap_bytes());
}

RANDOM_TEST(a_full_table_stays_within_its_bytes_and_keeps_what_it_has, 10) {
  const std::uint64_t limit = first_bytes() * draw.size_between(0, 40) / 8;
  SubproblemTable table(draw.percent(50), limit);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Interval fresh{static_cast<Ticks>(i), {}};
    CHECK(same(table.tighten({set_of(i)}, fresh), fresh));
    if (table.find({set_of(i)})) kept.push_back(i);
  }
  CHECK(table.is_full());
  CHECK(table.bytes() <= std::max(limit, first_bytes()) + table.size() * set_of(1 << 19).heap_bytes());
  CHECK_EQUAL(table.size(), kept.size());
  CHECK(!kept.empty());
  for (const std::uint32_t i : kept) {
    CHECK_EQUAL(table.find({set_of(i)}).value_or(Interval{}).lower, static_cast<Ticks>(i));
    CHECK_EQUAL(table.tighten({set_of(i)}, {static_cast<Ticks>(i) + 1, {}}).lower, static_cast<Ticks>(i) + 1);
  }
}

RANDOM_TEST(a_table_forgets_the_least_effort_first_and_nothing_of_what_it_keeps, 10) {
  const std::uint64_t limit = first_bytes() * draw.size_between(8, 40) / 8;
  SubproblemTable table(draw.percent(50), draw.percent(50) ? std::optional(4 * limit) : std::nullopt);
  const std::uint32_t n = draw.size_between(0, 20'000);
  std::map<std::uint32_t, std::uint8_t> effort;
  for (std::uint32_t i = 0; i < n; ++i) {
    effort[i] = i == n / 2 ? SubproblemTable::kNeverForgotten : static_cast<std::uint8_t>(draw.below(40));
    table.tighten({set_of(i)}, {static_cast<Ticks>(i), {2 * kLargestTotal, i, 3, {i, i}}}, {effort[i]});
    if (!table.find({set_of(i)})) effort.erase(i);
  }
  const std::uint64_t n_before = table.size();
  CHECK(table.forget(limit));
  CHECK_EQUAL(table.size() + table.n_forgotten(), n_before);
  CHECK(!table.is_full());
  CHECK(table.bytes() <= limit + table.size() * set_of(1 << 19).heap_bytes());
  std::uint64_t n_kept = 0, n_forgotten = 0, effort_kept = 0, effort_forgotten = 0;
  for (const auto& [i, of_entry] : effort) {
    const auto known = table.find({set_of(i)});
    CHECK(known.has_value() || of_entry != SubproblemTable::kNeverForgotten);
    if (known) CHECK(same(*known, {static_cast<Ticks>(i), {2 * kLargestTotal, i, 3, {i, i}}}));
    (known ? n_kept : n_forgotten) += 1;
    (known ? effort_kept : effort_forgotten) += of_entry;
  }
  CHECK_EQUAL(n_kept, table.size());
  CHECK(n_forgotten < 100 || effort_kept * n_forgotten > effort_forgotten * n_kept * 3 / 2);
  // It takes new entries again: here, one for every 32 places of 56 bytes.
  for (std::uint32_t i = 0; i < limit / 1792; ++i) table.tighten({set_of(i + 500'000)}, {1, {}});
  CHECK(!table.is_full());
}

RANDOM_TEST(a_table_that_has_forgotten_fills_all_of_its_bytes_again, 10) {
  const std::uint64_t limit = first_bytes() * draw.size_between(40, 100);
  SubproblemTable table(draw.percent(50), limit);
  std::uint32_t n = 0;
  const auto fill = [&] {
    while (!table.is_full()) table.tighten({set_of(n++)}, {1, {}});
  };
  fill();
  CHECK(table.forget(limit));
  // Half of all places are used, and 3/4 may be: the fullest of 64 shards is ahead of the others by less than 1/7.
  const std::uint64_t bytes_of_place = sizeof(set_of(0)) + 40;
  CHECK(table.size() * bytes_of_place * 20 > limit * 9);
  fill();
  CHECK(table.size() * bytes_of_place * 20 > limit * 13);
  CHECK(table.bytes() <= limit + table.size() * set_of(1 << 19).heap_bytes());
}

TEST(an_entry_that_is_not_tightened_again_loses_effort_whenever_the_table_forgets) {
  SubproblemTable table(false, std::nullopt);
  const std::uint64_t limit = 2 * first_bytes();
  table.tighten({set_of(1)}, {1, {}}, {4});
  table.tighten({set_of(2)}, {1, {}}, {4});
  for (int repeat = 0; repeat < 6; ++repeat) {
    CHECK(table.find({set_of(2)}) &&
          (repeat > 2 || table.find({set_of(1)})));  // by then it counts for no more than the rest
    table.tighten({set_of(2)}, {1, {}}, {4});
    for (std::uint32_t i = 0; i < 5000; ++i) table.tighten({set_of(100'000 * (repeat + 1) + i)}, {1, {}}, {2});
    CHECK(table.forget(limit));
  }
  CHECK(!table.find({set_of(1)}) && table.find({set_of(2)}));
}

TEST(a_table_of_no_more_than_its_first_entries_forgets_nothing) {
  SubproblemTable table(false, kNoBytes);
  for (std::uint32_t i = 0; i < 20'000; ++i) table.tighten({set_of(i)}, {1, {}});
  CHECK(!table.forget(first_bytes() - 1) && table.is_full() && table.n_forgotten() == 0);
}

RANDOM_TEST(threads_tighten_the_same_entries_and_none_is_lost, 3) {
  constexpr std::uint32_t kThreads = 4;
  SubproblemTable table(true, std::nullopt);
  std::vector<std::map<Name, Interval>> told(kThreads);
  const std::uint64_t seed = draw.word();
  testing::run_on_threads(kThreads, [&](std::uint32_t thread) {
    Random own(seed + thread);
    for (int i = 0; i < 3000; ++i) {
      const Name name = random_name(own, 400);
      const Interval fresh = random_interval(own, best_of(name));
      std::map<Name, Interval>& mine = told[thread];
      mine[name] = mine.contains(name) ? tightened(mine[name], fresh) : fresh;
      const Interval merged = table.tighten(key_of(name), fresh);
      CHECK(merged.lower >= mine[name].lower && order_of(merged.tree) <= order_of(mine[name].tree));
      CHECK(merged.lower <= best_of(name) && best_of(name) <= merged.tree.cost);
      CHECK(table.find(key_of(name)).has_value());
    }
  });

  std::map<Name, Interval> expected;
  for (const auto& mine : told)
    for (const auto& [name, interval] : mine)
      expected[name] = expected.contains(name) ? tightened(expected[name], interval) : interval;
  CHECK_EQUAL(table.size(), expected.size());
  for (const auto& [name, interval] : expected) {
    const Interval found = table.find(key_of(name)).value_or(Interval{});
    CHECK(found.lower == interval.lower && order_of(found.tree) == order_of(interval.tree));
  }
}

TEST(threads_that_fill_the_table_stay_within_its_bytes) {
  const std::uint64_t limit = first_bytes() * 3;
  for (int repeat = 0; repeat < 5; ++repeat) {
    SubproblemTable table(true, limit);
    testing::run_on_threads(4, [&table](std::uint32_t thread) {
      for (std::uint32_t i = 0; i < 3000; ++i) table.tighten({set_of(4 * i + thread)}, {1, {}});
    });
    CHECK(table.is_full());
    CHECK(table.bytes() <= limit + table.size() * set_of(1 << 19).heap_bytes());
  }
}

}  // namespace hornbeam::testing::table_test
