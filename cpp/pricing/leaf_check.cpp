#include "pricing/leaf_check.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hornbeam::pricing {

LeafCheck::LeafCheck(const PricedRows& rows, run::WorkMeter& meter, OnLeaf on_leaf)
    : rows_(rows), kernels_(kernels::kernels()), meter_(meter), on_leaf_(std::move(on_leaf)) {}

bool LeafCheck::make_feasible(std::vector<Units>& prices, std::uint64_t most_work) {
  prices_ = &prices;
  end_ = meter_.spent() + most_work;
  path_.clear();
  for (std::uint32_t prediction = 0; prediction < rows_.n_predictions; ++prediction) {
    loss_ = rows_.losses(prediction);
    Level& all = level(0);
    all.positive.clear();
    all.others.clear();
    for (std::uint32_t row = 0; row < rows_.n_rows; ++row) (gain(row) > 0 ? all.positive : all.others).push_back(row);
    all.open = all.used = Conditions(rows_.n_words());
    for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
      for (const bool value : {false, true}) all.open.add({c, value});
    if (!extend(0)) return false;
  }
  return true;
}

LeafCheck::Level& LeafCheck::level(std::size_t depth) {
  while (levels_.size() <= depth) levels_.push_back(std::make_unique<Level>(rows_, meter_));
  return *levels_[depth];
}

/// Makes the conjunction and all of its extensions feasible. False if there is too much work.
bool LeafCheck::extend(std::size_t depth) {
  Level& at = level(depth);
  const std::size_t n_lines = rows_.stride() / PricedRows::kColumnsOfLine;
  meter_.require(16 + (3 * at.positive.size() * (1 + n_lines) + 3 * at.others.size()) / 4);
  if (meter_.spent() > end_) return false;
  // Prices have fallen since the rows were told apart.
  std::erase_if(at.positive, [&](std::uint32_t row) {
    if (gain(row) > 0) return false;
    at.others.push_back(row);
    return true;
  });
  at.gains.clear();
  Ticks positive = 0;
  for (const std::uint32_t row : at.positive) positive += at.gains.emplace_back(static_cast<Units>(gain(row)));
  if (positive <= rows_.leaf_penalty || !close(at)) return true;
  Ticks negative = 0;
  for (const std::uint32_t row : at.others) negative += gain(row);
  if (const Ticks excess = positive + negative - rows_.leaf_penalty; excess > 0) {
    give_leaf(at);
    positive -= lower_prices(at, excess, positive);
    if (positive <= rows_.leaf_penalty) return true;
    for (std::size_t i = 0; i < at.positive.size(); ++i) at.gains[i] = static_cast<Units>(gain(at.positive[i]));
  }
  find_candidates(at, positive);
  at.bound.set_rows(at.positive, at.others, [this](std::uint32_t row) { return gain(row); });
  const std::size_t n_idle = count_idle(at);
  // Those that keep the least first: they have the fewest extensions, and no later conjunction uses them again.
  while (at.candidates.size() > n_idle) {
    const Condition condition = at.candidates.back().condition;
    at.candidates.pop_back();
    at.open.drop(condition);
    if (!at.bound.may_exceed(rows_.leaf_penalty, at.open, condition)) continue;
    Level& next = level(depth + 1);
    rows_.keep(at.positive, condition, next.positive);
    rows_.keep(at.others, condition, next.others);
    next.open = at.open;
    next.used = at.used;
    next.used.add(condition);
    path_.push_back(condition);
    if (!extend(depth + 1)) return false;
    path_.pop_back();
  }
  return true;
}

/// The number of leading conditions, those that keep the most gain, of which no conjunction may exceed its cost, found
/// by bisection.
std::size_t LeafCheck::count_idle(Level& at) {
  std::size_t idle = 0, most = at.candidates.size();
  while (most - idle > 1) {
    const std::size_t n = (idle + most) / 2;
    Conditions open(rows_.n_words());
    for (std::size_t i = 0; i < n; ++i) open.add(at.candidates[i].condition);
    (at.bound.may_exceed(rows_.leaf_penalty, open) ? most : idle) = n;
  }
  return idle;
}

/// Adds all conditions that hold for all positive rows. False if one of them has been tried before: then all extensions
/// have been looked at with it, which only excludes rows that are not positive.
bool LeafCheck::close(Level& at) {
  const std::uint32_t n_words = rows_.n_words();
  Conditions common(n_words);
  common.holds.assign(n_words, ~Word{0});
  common.fails.assign(n_words, ~Word{0});
  if (rows_.n_columns % kWordBits != 0)
    common.fails.back() = common.holds.back() = (Word{1} << (rows_.n_columns % kWordBits)) - 1;
  for (const std::uint32_t row : at.positive)
    for (std::uint32_t w = 0; w < n_words; ++w) {
      common.holds[w] &= rows_.row(row)[w];
      common.fails[w] &= ~rows_.row(row)[w];
    }
  for (std::uint32_t w = 0; w < n_words; ++w) {
    if ((common.holds[w] & ~at.open.holds[w] & ~at.used.holds[w]) != 0) return false;
    if ((common.fails[w] & ~at.open.fails[w] & ~at.used.fails[w]) != 0) return false;
    at.used.holds[w] |= common.holds[w];
    at.used.fails[w] |= common.fails[w];
    at.open.holds[w] &= ~common.holds[w];
    at.open.fails[w] &= ~common.fails[w];
  }
  std::erase_if(at.others, [&](std::uint32_t row) { return common.exclude(rows_.row(row)); });
  return true;
}

/// Open conditions that keep more than the leaf penalty, those that keep the most first.
void LeafCheck::find_candidates(Level& at, Ticks positive_gain) {
  at.kept.assign(rows_.stride(), 0);
  kernels_.add_masked(rows_.masks.data(), rows_.stride(), at.positive.data(), at.gains.data(), at.positive.size(),
                      at.kept.data());
  at.candidates.clear();
  for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
    for (const bool value : {false, true}) {
      const Condition condition{c, value};
      if (!at.open.has(condition)) continue;
      const Ticks kept = value ? at.kept[c] : positive_gain - at.kept[c];
      if (kept > rows_.leaf_penalty)
        at.candidates.push_back({kept, condition});
      else
        at.open.drop(condition);
    }
  std::sort(at.candidates.begin(), at.candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.kept > b.kept; });
}

/// Describes the leaf by its path, and by those of its other conditions that exclude a row.
void LeafCheck::give_leaf(const Level& at) {
  std::vector<Condition> conditions = path_;
  std::vector<std::uint32_t> rows = rows_.meeting(conditions), next;
  for (std::size_t i = 0; i < rows.size();)
    if (const std::optional<Condition> condition = at.used.excluding(rows_.row(rows[i]))) {
      conditions.push_back(*condition);
      rows_.keep(rows, *condition, next);
      rows.swap(next);
    } else {
      ++i;
    }
  on_leaf_(std::move(conditions), std::move(rows));
}

/// Lowers the prices of positive rows by at least the excess, in proportion to their gains. Returns by how much.
Ticks LeafCheck::lower_prices(const Level& at, Ticks excess, Ticks positive_gain) {
  Ticks lowered = 0;
  for (const std::uint32_t row : at.positive) {
    const Ticks by = (gain(row) * excess + positive_gain - 1) / positive_gain;
    (*prices_)[row] -= static_cast<Units>(by);
    lowered += by;
  }
  return lowered;
}

}  // namespace hornbeam::pricing
