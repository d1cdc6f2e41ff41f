// pricing/leaf_check.hpp
//
// WHAT    Makes prices of rows feasible for bounds/row_prices.hpp: looks at all conjunctions of conditions, and lowers
//         the prices of those rows whose total exceeds what they cost as a leaf.
// HOLDS   Prices only fall, so what has been looked at stays feasible, and one pass is enough.
// CHOICE  For each prediction, a row's price less its loss is its gain. A conjunction is determined by its rows of
//         positive gain: conditions that hold for all of them are added at once, and none is reached twice. A
//         conjunction is not extended where no extension may gain more than the leaf penalty: because its positive
//         gains do not exceed it, or because losses that no condition avoids without losing a gain leave too little
//         (pricing/gain_bound). The latter is asked for each condition, with those that keep more gain as the only
//         others, and for all conditions that keep the most at once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernels.hpp"
#include "pricing/gain_bound.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

class LeafCheck {
 public:
  /// `on_leaf` gets each leaf found to cost less than its rows.
  using OnLeaf = std::function<void(std::vector<Condition> conditions, std::vector<std::uint32_t> rows)>;

  LeafCheck(const PricedRows& rows, run::WorkMeter& meter, OnLeaf on_leaf);

  /// Lowers the prices until they are feasible. Gives up after so much work: then it returns false. Throws Stopped.
  bool make_feasible(std::vector<Units>& prices, std::uint64_t most_work);

 private:
  struct Candidate {
    Ticks kept;  // positive gain of the rows that meet it
    Condition condition;
  };
  /// A conjunction that is extended, and what its extensions may use.
  struct Level {
    Level(const PricedRows& rows, run::WorkMeter& meter) : bound(rows, meter) {}
    std::vector<std::uint32_t> positive, others;
    std::vector<Units> gains;  // of the positive rows
    std::vector<Units> kept;   // by column, of the rows where it holds
    std::vector<Candidate> candidates;
    Conditions open, used;
    GainBound bound;
  };

  Ticks gain(std::uint32_t row) const { return Ticks{(*prices_)[row]} - loss_[row]; }
  Level& level(std::size_t depth);
  bool extend(std::size_t depth);
  bool close(Level& at);
  void find_candidates(Level& at, Ticks positive_gain);
  void give_leaf(const Level& at);
  Ticks lower_prices(const Level& at, Ticks excess, Ticks positive_gain);
  std::size_t count_idle(Level& at);

  const PricedRows& rows_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  const OnLeaf on_leaf_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Condition> path_;  // to the conjunction at hand
  std::vector<Units>* prices_ = nullptr;
  const Units* loss_ = nullptr;  // of the prediction at hand
  std::uint64_t end_ = 0;        // of the work
};

}  // namespace hornbeam::pricing
