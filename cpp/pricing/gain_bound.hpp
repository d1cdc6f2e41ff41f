// pricing/gain_bound.hpp
//
// WHAT    An upper bound on what a conjunction and its extensions gain (pricing/leaf_check).
// SAYS    Take a negative row and a group of positive rows such that every open condition that excludes the negative
//         row excludes a row of the group. Then the bound falls by the loss of the negative row or the least gain of
//         the group, whichever is less. So much of each gain of the group is used up.
// WHY     An extension that keeps the negative row has its loss, and one that excludes it lacks a row of the group. No
//         part of a gain is used twice, so what extensions lose adds up.
// CHOICE  Groups of one row first, for all negative rows. Then groups of two for what is left of their losses: one of
//         the rows that share the rarest value with the negative row, and the first that completes it. Rows are bits of
//         a word, column by column, since most searches for a row end after a few columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

class GainBound {
 public:
  GainBound(const PricedRows& rows, run::WorkMeter& meter) : rows_(rows), meter_(meter) {}

  /// Takes the rows of a conjunction, of which `gain` says what they gain, or lose if that is below 0.
  template <class Gain>
  void set_rows(std::span<const std::uint32_t> positive, std::span<const std::uint32_t> others, Gain gain) {
    positive_.clear();
    gains_.clear();
    negative_.clear();
    for (const std::span<const std::uint32_t> rows : {positive, others})
      for (const std::uint32_t row : rows)
        if (const Ticks of_row = gain(row); of_row > 0) {
          positive_.push_back(row);
          gains_.push_back(static_cast<Units>(of_row));
        } else if (of_row < 0) {
          negative_.push_back({row, static_cast<Units>(-of_row)});
        }
    find_values();
  }

  /// Whether the conjunction, or an extension by open conditions, may gain more than the limit. Throws Stopped.
  bool may_exceed(Ticks limit, const Conditions& open);
  /// The same with one more condition.
  bool may_exceed(Ticks limit, const Conditions& open, Condition condition);

 private:
  struct Negative {
    std::uint32_t row;
    Units loss;
  };

  void find_values();
  bool may_exceed(Ticks limit, const Conditions& open, std::span<const Negative> negative);
  void find_excluding(const Negative& negative, const Conditions& open);
  bool find_common(std::span<const Word> columns, std::uint32_t negative);
  Units take_equal(Negative& negative);
  Units take_pair(Negative& negative);
  void take(std::size_t i, Units part);
  /// The v-th word of the positive rows that have a value.
  Word having(std::size_t column, bool value, std::size_t v) const {
    return holds_[column * n_words_ + v] ^ (value ? Word{0} : ~Word{0});
  }

  const PricedRows& rows_;
  run::WorkMeter& meter_;
  std::vector<std::uint32_t> positive_;
  std::vector<Units> gains_, left_;
  std::vector<Negative> negative_, kept_, pending_;
  std::size_t n_words_ = 0;               // of a bit for each positive row
  std::vector<Word> holds_;               // by column: the rows where it holds
  std::vector<std::uint32_t> n_holding_;  // how many they are
  std::vector<Word> live_, common_;       // rows with a gain that is left; those of them that are looked for
  std::vector<Word> excluding_, apart_;   // columns
  std::uint64_t n_steps_ = 0;             // words of rows looked at
};

}  // namespace hornbeam::pricing
