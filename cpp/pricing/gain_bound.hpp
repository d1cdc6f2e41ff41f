// pricing/gain_bound.hpp
//
// WHAT    An upper bound on what a conjunction and its extensions gain (pricing/leaf_check).
// SAYS    Take a negative row and a group of positive rows such that every open condition that excludes the negative
//         row excludes a row of the group. Then the bound falls by the loss of the negative row or the least gain of
//         the group, whichever is less. So much of each gain of the group is used up.
// WHY     An extension that keeps the negative row has its loss, and one that excludes it lacks a row of the group. No
//         part of a gain is used twice, so what extensions lose adds up.
// CHOICE  Groups of one row first, for all negative rows. Then groups of two for what is left of their losses: the row
//         that the fewest conditions tell from the negative one, and the first that completes it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

class GainBound {
 public:
  struct Row {
    std::uint32_t row;
    Units loss;
  };

  GainBound(const PricedRows& rows, run::WorkMeter& meter) : rows_(rows), meter_(meter) {}

  /// Whether the gain may exceed the limit: of `positive` with their `gains`, all of them above 0, and of `negative`,
  /// all others that lose.
  bool may_exceed(Ticks limit, std::span<const std::uint32_t> positive, std::span<const Units> gains,
                  std::span<const Row> negative, const Conditions& open);

 private:
  void set_positive(std::span<const std::uint32_t> positive, std::span<const Units> gains, const Conditions& open);
  void compare(std::uint32_t negative);
  std::size_t find_equal(std::size_t from) const;
  std::pair<std::size_t, std::size_t> find_pair() const;
  void take(std::size_t i, Units part);

  const PricedRows& rows_;
  run::WorkMeter& meter_;
  // Of the positive rows with a gain that is not assigned, word by word:
  std::size_t n_positive_ = 0, stride_ = 0;
  std::vector<Units> left_;
  std::vector<Word> bits_, met_;     // of the columns, and of the open conditions on them
  std::vector<Word> differs_, any_;  // met and not by the negative row; in any word
  std::vector<Row> pending_;
};

}  // namespace hornbeam::pricing
