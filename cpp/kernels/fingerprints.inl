// kernels/fingerprints.inl
//
// WHAT    The fingerprint of a column's rows: the XOR of their fingerprints, from the bit planes of all fingerprints.
//         Included by lanes.inl.
// CHOICE  A bit of the XOR is the parity of the column in one plane, so a word of 64 rows costs 16 vector steps however
//         many of them are set; row by row it costs four cycles for each.
inline constexpr std::uint32_t kFingerprintBits = 128;

void fingerprint_column(TileView tile, std::uint32_t column, const Word* planes, Word* fingerprint) {
  WordLanes odd[kFingerprintBits / kLanes] = {};
  for (std::uint32_t w = 0; w < tile.n_words; ++w) {
    const Word rows = tile.words[std::size_t{w} * tile.stride + column];
    if (rows == 0) continue;
    const Word* of_word = planes + std::size_t{w} * kFingerprintBits;
#pragma GCC unroll 16
    for (std::uint32_t i = 0; i < kFingerprintBits / kLanes; ++i)
      odd[i] ^= reinterpret_cast<WordLanes>(load(of_word + std::size_t{i} * kLanes)) & rows;
  }
  for (std::uint32_t half = 0; half < 2; ++half) {
    fingerprint[half] = 0;
    for (std::uint32_t i = 0; i < kWordBits / kLanes; ++i) {
      const Lanes parity = popcount(reinterpret_cast<Lanes>(odd[half * kLanes + i])) << Ticks{63};
      fingerprint[half] |= mask_of(parity) << (i * kLanes);
    }
  }
}
