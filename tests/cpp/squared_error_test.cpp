// squared_error_test.cpp: the model of squared error against sums over single rows, in scalars and by every kernel; the
// best clusters against all partitions into runs.
#include "models/squared_error.hpp"

#include <algorithm>

#include "bounds/clusters.hpp"
#include "bounds/pair_stage.hpp"
#include "kernels/kernels.hpp"
#include "models/leaf_model.hpp"
#include "support/check.hpp"
#include "support/kernels.hpp"

namespace hornbeam::testing::squared_error_test {

using namespace hornbeam::kernels;
using namespace hornbeam::models;

namespace {

struct Row {
  std::int64_t weight, target;
};
using Rows = std::vector<Row>;

Rows random_rows(Random& draw, std::size_t n_rows, std::int64_t largest, std::int64_t heaviest) {
  Rows rows;
  for (std::size_t i = 0; i < n_rows; ++i)
    rows.push_back(
        {draw.between(1, heaviest), draw.percent(30) ? largest * draw.between(0, 1) : draw.between(0, largest)});
  return rows;
}

std::vector<std::int64_t> sums_of(const Rows& rows) {
  std::vector<std::int64_t> sums(3, 0);
  for (const auto& [weight, target] : rows) {
    sums[0] += weight;
    sums[1] += weight * target;
    sums[2] += weight * target * target;
  }
  return sums;
}

Ticks loss_of(const Rows& rows, std::int64_t prediction) {
  Ticks sum = 0;
  for (const auto& [weight, target] : rows) sum += weight * (target - prediction) * (target - prediction);
  return sum;
}

/// Of the best integer, which is next to the mean.
Ticks least_loss_of(const Rows& rows) {
  const std::vector<std::int64_t> sums = sums_of(rows);
  if (sums[0] == 0) return 0;
  return std::min(loss_of(rows, sums[1] / sums[0]), loss_of(rows, sums[1] / sums[0] + 1));
}

/// Groups of equal rows with a bit in each column, and the slots that count them.
struct CountedGroups {
  LeafModel model;
  std::vector<Rows> groups;
  std::vector<std::vector<bool>> bits;  // (column, group)
  std::uint32_t stride;
  std::vector<Segment> segments;
  AlignedVector<Word> slots;
  std::uint32_t n_words = 0;

  CountedGroups(Random& draw, std::uint32_t n_columns, bool counts_rows)
      : model(LeafModel::squared_error(1 + (1u << draw.choose<std::uint32_t>({0, 3, 10, 24})), draw.percent(80),
                                       counts_rows)),
        stride(padded_to_lanes(n_columns)) {
    const std::size_t n_groups = draw.size_between(1, 20);
    for (std::size_t g = 0; g < n_groups; ++g)
      groups.push_back(random_rows(draw, draw.size_between(1, 3), model.measures().largest_prediction(), 3));
    for (std::uint32_t c = 0; c < n_columns; ++c) {
      bits.emplace_back(n_groups);
      for (std::size_t g = 0; g < n_groups; ++g) bits[c][g] = draw.percent(50);
    }
    for (std::uint32_t count = 0; count < model.measures().n_counts(); ++count)
      for (std::uint32_t shift = 0; shift < 63; ++shift) add_segment(count, shift);
  }

  SlotTile tile() const {
    return {{slots.data(), n_words, stride}, segments.data(), static_cast<std::uint32_t>(segments.size())};
  }

  std::vector<std::int64_t> counts(std::size_t group) const {
    std::vector<std::int64_t> counts = sums_of(groups[group]);
    counts.resize(model.measures().n_counts());
    if (model.measures().counts_rows) counts.back() = static_cast<std::int64_t>(groups[group].size());
    model.merge(counts.data());
    return counts;
  }

  /// Measures of the groups where columns f and g have these values; of all values of g if it is not a column.
  std::vector<Ticks> measures(std::size_t f, bool of_f, std::size_t g, bool of_g) const {
    std::vector<std::int64_t> sum(model.measures().n_counts());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (bits[f][i] != of_f || (g < bits.size() && bits[g][i] != of_g)) continue;
      const std::vector<std::int64_t> of_group = counts(i);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_group[k];
    }
    std::vector<Ticks> found(model.measures().size());
    model.measures_of(sum.data(), found.data());
    return found;
  }

 private:
  void add_segment(std::uint32_t count, std::uint32_t shift) {
    std::vector<std::size_t> holding;
    for (std::size_t g = 0; g < groups.size(); ++g)
      if ((counts(g)[count] >> shift & 1) != 0) holding.push_back(g);
    if (holding.empty()) return;
    const auto n_slots = static_cast<std::uint32_t>(holding.size());
    segments.push_back({n_words, n_words + 1, count, shift, n_slots});
    slots.resize(std::size_t{++n_words} * stride);
    for (std::size_t c = 0; c < bits.size(); ++c)
      for (std::size_t i = 0; i < holding.size(); ++i)
        if (bits[c][holding[i]]) slots[std::size_t{n_words - 1} * stride + c] |= Word{1} << i;
  }
};

/// The least cost of clusters of these groups, which are in the order of their means, by trying every last cluster.
Ticks least_cost_of_runs(const std::vector<Rows>& groups, Ticks leaf_cost) {
  std::vector<Ticks> least(groups.size() + 1, kInfinity);
  least[0] = 0;
  for (std::size_t end = 1; end <= groups.size(); ++end) {
    Rows cluster;
    for (std::size_t begin = end; begin-- > 0;) {
      cluster.insert(cluster.end(), groups[begin].begin(), groups[begin].end());
      least[end] = std::min(least[end], least[begin] + leaf_cost + least_loss_of(cluster));
    }
  }
  return least.back();
}

/// The same of any clusters, by giving each group to each of those so far, or a new one.
Ticks least_cost_of_clusters(const std::vector<Rows>& groups, std::size_t at, std::vector<Rows>& clusters,
                             Ticks leaf_cost) {
  if (at == groups.size()) {
    Ticks cost = 0;
    for (const Rows& cluster : clusters) cost += leaf_cost + least_loss_of(cluster);
    return cost;
  }
  Ticks least = kInfinity;
  const auto with = [&](std::size_t i) {  // by number, since a deeper call may move the clusters
    const std::size_t before = clusters[i].size();
    clusters[i].insert(clusters[i].end(), groups[at].begin(), groups[at].end());
    least = std::min(least, least_cost_of_clusters(groups, at + 1, clusters, leaf_cost));
    clusters[i].resize(before);
  };
  for (std::size_t i = 0; i < clusters.size(); ++i) with(i);
  clusters.emplace_back();
  with(clusters.size() - 1);
  clusters.pop_back();
  return least;
}

std::vector<bounds::TargetSums> sums_of_groups(const std::vector<Rows>& groups) {
  std::vector<bounds::TargetSums> found;
  for (const Rows& rows : groups) {
    const std::vector<std::int64_t> sums = sums_of(rows);
    found.push_back({sums[0], sums[1], sums[2]});
  }
  return found;
}

}  // namespace

RANDOM_TEST(a_leaf_of_squared_error_loses_what_the_best_integer_does, 1000) {
  const std::int64_t largest = draw.choose<std::int64_t>({0, 1, 9, 1000, (1 << 24) - 1});
  const LeafModel model = LeafModel::squared_error(static_cast<std::uint32_t>(largest + 1), true, false);
  const Rows rows = random_rows(draw, draw.size_between(1, 6), largest, draw.choose<std::int64_t>({1, 7, 64}));
  const std::vector<std::int64_t> sums = sums_of(rows);
  const std::uint32_t best = model.best_prediction(sums.data());
  CHECK_EQUAL(model.least_loss_of_leaf(sums.data()), least_loss_of(rows));
  CHECK_EQUAL(model.loss_of(sums.data(), best), least_loss_of(rows));
  if (best > 0) CHECK(model.loss_of(sums.data(), best - 1) > least_loss_of(rows));  // the lowest of several
  const auto other = static_cast<std::uint32_t>(draw.between(0, largest));
  CHECK_EQUAL(model.loss_of(sums.data(), other), loss_of(rows, other));
}

RANDOM_TEST(merged_groups_of_squared_error_lose_what_their_rows_do, 500) {
  const LeafModel model = LeafModel::squared_error(41, true, false);
  std::vector<std::int64_t> counts(4);
  Rows all;
  Ticks apart = 0;
  for (std::size_t g = draw.size_between(1, 4); g > 0; --g) {
    const Rows rows = random_rows(draw, draw.size_between(1, 3), 40, 5);
    std::vector<std::int64_t> of_group = sums_of(rows);
    of_group.push_back(0);
    CHECK_EQUAL(model.merge(of_group.data()), least_loss_of(rows) > 0);
    CHECK_EQUAL(model.least_loss_of(of_group.data()), least_loss_of(rows));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += of_group[i];
    all.insert(all.end(), rows.begin(), rows.end());
    apart += least_loss_of(rows);
  }
  std::vector<Ticks> measures(model.measures().size());
  model.measures_of(counts.data(), measures.data());
  const Cell<Ticks> cell = model.cell(measures.data());
  CHECK_EQUAL(cell.loss, least_loss_of(all));
  CHECK_EQUAL(cell.least_loss, apart);
  CHECK(cell.largest_loss >= std::max(loss_of(all, 0), loss_of(all, 40)));
  CHECK_EQUAL(model.loss_if(measures.data(), 13), loss_of(all, 13));
  CHECK_EQUAL(model.merge(counts.data()), least_loss_of(all) > apart);
  CHECK_EQUAL(model.least_loss_of(counts.data()), least_loss_of(all));
}

RANDOM_TEST(every_kernel_measures_squared_error_as_counting_group_by_group, 300) {
  const std::uint32_t n_columns = draw.size_between(1, 20);
  const CountedGroups counted(draw, n_columns, draw.percent(25));
  const Measures& m = counted.model.measures();
  const SlotTile tile = counted.tile();
  AlignedVector<Word> scratch(kernel_scratch_words(tile, m));
  AlignedVector<Ticks> sums(std::size_t{m.size()} * counted.stride), values(8 * std::size_t{counted.stride});
  std::vector<Ticks> total = counted.measures(0, true, n_columns, false);
  const std::vector<Ticks> other = counted.measures(0, false, n_columns, false);
  for (std::size_t i = 0; i < total.size(); ++i) total[i] += other[i];
  const Ticks leaf_cost = draw.between(0, counted.model.loss(total.data()) / 3 + 1), threshold = draw.between(1, 9);
  const Ticks rows_per_leaf = m.counts_rows ? 2 : 0;
  for (const Kernels* kernels : kernels_of_this_machine()) {
    kernels->measure(tile, m, nullptr, sums.data(), scratch.data());
    const PairInput input{sums.data(), total.data(), leaf_cost, threshold, rows_per_leaf, {}};
    Ticks* const at = values.data();
    const std::size_t n = counted.stride;
    const SplitScan scan{{at, at + n}, {at + 2 * n, at + 3 * n}, {at + 4 * n, at + 5 * n}, at + 6 * n, at + 7 * n};
    kernels->scan_splits(m, input, counted.stride, scan, scratch.data());
    for (std::uint32_t c = 0; c < n_columns; ++c) {
      for (const bool side : {false, true}) {
        const std::vector<Ticks> expected = counted.measures(c, side, n_columns, false);
        const Cell<Ticks> cell = counted.model.cell(expected.data());
        if (side)
          for (std::uint32_t i = 0; i < m.size(); ++i) CHECK_EQUAL(sums[std::size_t{i} * n + c], expected[i]);
        CHECK_EQUAL(scan.loss[side][c], cell.loss);
        CHECK_EQUAL(scan.largest_loss[side][c], cell.largest_loss);
        CHECK_EQUAL(scan.least_loss[side][c], cell.least_loss);
      }
      PairSide found[2];
      kernels->pair_stage(tile, m, input, c, found, scratch.data());
      for (const bool side : {false, true}) {
        bounds::PairMinima<Ticks> expected{kInfinity, kInfinity, 0};
        for (std::uint32_t g = 0; g < n_columns; ++g) {
          const std::vector<Ticks> yes = counted.measures(c, side, g, true), no = counted.measures(c, side, g, false);
          const Cell<Ticks> p = counted.model.cell(yes.data()), r = counted.model.cell(no.data());
          bool allowed = std::min(p.largest_loss - p.least_loss, r.largest_loss - r.least_loss) >= threshold;
          if (m.counts_rows) allowed = allowed && std::min(yes[m.rows_index()], no[m.rows_index()]) >= rows_per_leaf;
          bounds::take_pair<Ticks, Ticks>(p, r, allowed ? 1 : 0, leaf_cost, kInfinity, expected);
        }
        const PairSide& of_side = found[side ? 0 : 1];
        CHECK_EQUAL(of_side.stump_loss, expected.stump_loss);
        CHECK_EQUAL(of_side.three_leaf_loss, expected.three_leaf_loss);
        CHECK_EQUAL(of_side.four_leaves, expected.four_leaves != 0);
      }
    }
  }
}

RANDOM_TEST(the_best_clusters_are_the_best_runs_of_groups_in_the_order_of_their_means, 1000) {
  std::vector<Rows> groups;
  const std::int64_t largest = draw.choose<std::int64_t>({1, 5, 100, (1 << 20) - 1});
  for (std::size_t g = draw.size_between(0, 40); g > 0; --g)
    groups.push_back(random_rows(draw, draw.size_between(1, 2), largest, draw.choose<std::int64_t>({1, 9})));
  const Ticks leaf_cost = draw.choose<Ticks>({0, 1, largest, largest * largest / 50, largest * largest});
  std::vector<bounds::TargetSums> sums = sums_of_groups(groups);
  const Ticks found = bounds::Clusters().least_cost(sums, leaf_cost);
  std::stable_sort(groups.begin(), groups.end(), [](const Rows& a, const Rows& b) {
    return sums_of(a)[1] * sums_of(b)[0] < sums_of(b)[1] * sums_of(a)[0];
  });
  CHECK_EQUAL(found, least_cost_of_runs(groups, leaf_cost));
}

RANDOM_TEST(no_partition_into_clusters_is_better_than_the_best_runs, 300) {
  std::vector<Rows> groups;
  for (std::size_t g = draw.size_between(1, 7); g > 0; --g)
    groups.push_back(random_rows(draw, draw.size_between(1, 2), draw.choose<std::int64_t>({3, 20}), 4));
  const Ticks leaf_cost = draw.between(0, 60);
  std::vector<bounds::TargetSums> sums = sums_of_groups(groups);
  std::vector<Rows> clusters;
  CHECK_EQUAL(bounds::Clusters().least_cost(sums, leaf_cost), least_cost_of_clusters(groups, 0, clusters, leaf_cost));
}

}  // namespace hornbeam::testing::squared_error_test
