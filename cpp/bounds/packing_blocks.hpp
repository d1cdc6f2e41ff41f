// bounds/packing_blocks.hpp
//
// SAYS     bounds/packing.hpp holds with u = 0 on all pairs of rows of different blocks, for any partition of the rows
//          into blocks.
// SO       A set with too many pairs of rows to compare all of them is closed by a packing within blocks. The blocks
//          share the capacity L of each column.
// WHY      Setting weights of pairs to 0 keeps every total within its limit.
// NEEDS    what bounds/packing.hpp needs.
// KEEPS    what bounds/packing.hpp keeps.
// SOURCE   ours. The rows of a block agree on the most balanced columns, so their pairs are near and use little
//          capacity.
// Switch   packing_blocks
#pragma once

#include <cstdint>

namespace hornbeam::bounds {

/// The words of pairs that a block may take, so that all blocks together take at most `most_words`.
constexpr std::uint64_t most_words_of_block(std::uint64_t most_words, std::uint64_t n_rows_of_block,
                                            std::uint64_t n_rows) {
  return most_words * n_rows_of_block / n_rows;
}

}  // namespace hornbeam::bounds
