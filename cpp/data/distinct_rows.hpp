// data/distinct_rows.hpp
//
// WHAT    The training data as the search sees it: equal rows merged to one distinct row with a weight per target.
// FLOW    api/solve packs -> here -> rows/row_set (the root).
// HOLDS   Immutable. Distinct rows are numbered in the order of their first appearance. Some of them, by `of`, keep
//         their fingerprints, so that a set of rows has the same one wherever it is searched.
#pragma once

#include <span>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/types.hpp"
#include "data/packed_columns.hpp"
#include "data/row_targets.hpp"
#include "kernels/kernels.hpp"
#include "run/run.hpp"

namespace hornbeam::data {

struct DistinctRows {
  /// `reference_losses` is empty or has the loss of a reference on each row. Throws Stopped.
  DistinctRows(const PackedColumns& columns, const RowTargets& targets, run::Run& run,
               std::span<const Ticks> reference_losses = {});

  /// Those of the rows with these numbers, in their order. Throws Stopped.
  DistinctRows of(const std::vector<std::uint32_t>& numbers, run::Run& run) const;

  std::uint32_t n_targets;
  std::uint32_t n_columns;
  std::uint32_t n_rows = 0;                 // distinct ones
  std::uint32_t stride;                     // of `bits`, columns padded to lanes
  AlignedVector<Word> bits;                 // word-major: bit r % 64 of bits[(r / 64) * stride + column]
  std::vector<std::int64_t> target_weight;  // (n_rows, n_targets)
  std::vector<std::int64_t> row_count;      // (n_rows): how many rows it stands for
  std::vector<Ticks> reference_loss;        // (n_rows), empty without a reference
  std::vector<std::uint32_t> first_number;  // (n_rows) among all rows, where these are some of them; otherwise empty

  bool test(std::uint32_t column, std::uint32_t row) const {
    return (bits[std::size_t{row / kWordBits} * stride + column] >> (row % kWordBits)) & 1;
  }
  /// Rows without weight have no fingerprint unless rows are counted: nothing depends on where they are.
  Fingerprint fingerprint(std::uint32_t row, bool counts_rows) const;
  const std::int64_t* weight(std::uint32_t row) const { return &target_weight[std::size_t{row} * n_targets]; }
  kernels::TileView view() const { return {bits.data(), words_for(n_rows), stride}; }
  std::size_t bytes() const {
    return bits.capacity() * sizeof(Word) +
           (target_weight.capacity() + row_count.capacity() + reference_loss.capacity()) * sizeof(std::int64_t) +
           first_number.capacity() * sizeof(std::uint32_t);
  }

 private:
  DistinctRows() = default;
};

}  // namespace hornbeam::data
