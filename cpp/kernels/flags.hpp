// kernels/flags.hpp
//
// WHAT    Columns of bits as rows of at most 24 bits, which data/row_counter counts.
// COST    A twelfth of a nanosecond for a row with GFNI, half a nanosecond without.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace hornbeam::kernels {

inline constexpr std::size_t kFlagColumns = 24, kFlagRows = 512;

/// Transposes kFlagColumns columns of kFlagRows bits, which lie one behind the other: bit c of rows[i] becomes bit i of
/// column c. Both arrays are aligned to 64 bytes.
void transpose_flags(const Word* columns, std::uint32_t* rows);

/// The same for any machine, by kernels().transpose; the twin that the next is tested against.
void transpose_flags_in_blocks(const Word* columns, std::uint32_t* rows);

/// The same, if `has_gfni`.
void transpose_flags_gfni(const Word* columns, std::uint32_t* rows);
bool has_gfni();

}  // namespace hornbeam::kernels
