// models/convex_costs.hpp
//
// WHAT    The model of a cost matrix with two targets and many predictions, each of which is the best one for some
//         ratio of the two weights, such as hazard ratios on a grid (fitting/hazards.py). A leaf loses what it loses
//         with AnyCosts, but from the two weights instead of a sum for each prediction.
// FLOW    models/convex_table recognizes the matrix and makes the table -> models/formulas.hpp chooses.
// HOLDS   Costs of the first target rise with the prediction, those of the second fall, and so do the ratios of second
//         to first weight at which neighbors lose the same rise: the *ties*. The best prediction is the number of ties
//         below the ratio of the weights. Both are quotients of integers whose order rounding keeps: if second / first
//         and more / less differ, they do by a factor of at least 1 + 1 / (first more) or 1 + 1 / (second less). Both
//         products are losses, which stay below 2^52 (api/solve.cpp checks it), and no two numbers that differ by a
//         larger factor than 1 + 2^-52 are rounded to the same one. Where they are equal, both predictions lose the
//         same.
// CHOICE  A *bucket* has the ratios whose leading bits in floating point are equal, and contains at most one tie. So
//         the best prediction is one of two, and one comparison tells which.
#pragma once

#include <bit>
#include <concepts>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "models/cost_matrix.hpp"
#include "models/exact_doubles.hpp"

namespace hornbeam::models {

/// The numbers of a table at some places. GCC makes no gathers of the loop, which takes three times as long; with the
/// narrower ones of AVX2 it would take as long as it does.
template <class Number>
HORNBEAM_INLINE Number look_up(const Ticks* table, Number place) {
  if constexpr (std::integral<Number>) {
    return table[place];
  } else {
#ifdef __AVX512F__
    return reinterpret_cast<Number>(_mm512_mask_i64gather_epi64(
        _mm512_setzero_si512(), 0xff, reinterpret_cast<__m512i>(place), table, sizeof(Ticks)));
#else
    Number found;
    for (std::size_t lane = 0; lane < sizeof(Number) / sizeof(Ticks); ++lane) found[lane] = table[place[lane]];
    return found;
#endif
  }
}

/// The bits of second / first, for integers from 0 to 2^52. They rise with the quotient. Where `first` is 0 they are
/// those of infinity, or of no number.
template <class Number>
HORNBEAM_INLINE Number bits_of_quotient(Number second, Number first) {
  if constexpr (std::integral<Number>) {
    return std::bit_cast<Ticks>(static_cast<double>(second) / static_cast<double>(first));
  } else {
    return reinterpret_cast<Number>(ExactDoubles<Number>::of(second) / ExactDoubles<Number>::of(first));
  }
}

/// By how much less than the largest loss the best prediction loses, given the two weights.
template <class Number>
HORNBEAM_INLINE Number convex_explained(const ConvexBuckets& buckets, Number first, Number second) {
  const Number ratio = bits_of_quotient<Number>(second, first);
  Number bucket = (ratio >> buckets.shift) - buckets.first;
  bucket = bucket > 0 ? bucket : Number{};
  bucket = bucket < buckets.last ? bucket : Number{} + buckets.last;
  const Number above = ratio > look_up<Number>(buckets.tie, bucket) ? Number{} + 1 : Number{};
  const Number place = 2 * bucket + above;
  return first * look_up<Number>(buckets.gain[0], place) + second * look_up<Number>(buckets.gain[1], place);
}

template <std::uint32_t kNumber>
struct ConvexCosts {
  static constexpr std::uint32_t kTargets = kNumber;  // 2, or 0 if rows are counted
  static constexpr std::uint32_t kSums = 2;
  static constexpr bool kHasTwoSums = true;

  template <class Number>
  HORNBEAM_INLINE static void values(const Measures&, const Number* counts, Number* values) {
    for (std::uint32_t i = 0; i < kSums; ++i) values[i] = counts[i];
  }

  /// The largest loss.
  static Ticks baseline(const Measures& m, const std::int64_t* weight) {
    return weight[0] * m.largest_cost[0] + weight[1] * m.largest_cost[1];
  }

  template <class Number>
  HORNBEAM_INLINE static Number explained(const Measures& m, Number first, Number second) {
    return convex_explained<Number>(m.buckets, first, second);
  }

  template <class Number, class Array>
  HORNBEAM_INLINE static Cell<Number> cell(const Measures& m, const Array& measures) {
    const Number first = measures[0], second = measures[1];
    const Number largest_loss = first * m.largest_cost[0] + second * m.largest_cost[1];
    return {largest_loss, largest_loss - explained<Number>(m, first, second), measures[kSums]};
  }

  template <class Array>
  static Ticks loss_if(const Measures& m, const Array& measures, std::uint32_t prediction) {
    return measures[0] * m.cost[prediction] + measures[1] * m.cost[std::size_t{m.n_predictions} + prediction];
  }

  static Ticks loss_of(const Measures& m, const std::int64_t* weight, std::uint32_t prediction) {
    return loss_if(m, weight, prediction);
  }
  static std::uint32_t best_prediction(const Measures& m, const std::int64_t* weight) {
    return AnyCosts::best_prediction(m, weight);
  }
  static Ticks least_loss_of_leaf(const Measures& m, const std::int64_t* weight) {
    return baseline(m, weight) - explained<Ticks>(m, weight[0], weight[1]);
  }
  static void find_lost(const Measures& m, std::int64_t* counts) { counts[kSums] = least_loss_of_leaf(m, counts); }
};

}  // namespace hornbeam::models
