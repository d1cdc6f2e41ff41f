// kernels/masked_sums.inl
//
// WHAT    For each column, the sum of the values of those rows where it holds. Included by lanes.inl.
// CHOICE  Masks of one byte, row by row: a row brings a cache line for 64 columns, whose sums stay in registers.

void add_masked(const std::int8_t* masks, std::size_t stride, const std::uint32_t* rows, const std::int32_t* values,
                std::size_t n_rows, std::int32_t* sums) {
  typedef std::int8_t Bytes __attribute__((vector_size(kNarrowLanes)));
  constexpr std::size_t kBlocks = 4;
  for (std::size_t line = 0; line < stride; line += kBlocks * kNarrowLanes) {
    NarrowLanes sum[kBlocks] = {};
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::int8_t* const mask = masks + rows[i] * stride + line;
      const NarrowLanes value = NarrowLanes{} + values[i];
      for (std::size_t b = 0; b < kBlocks; ++b) {
        Bytes bytes;
        __builtin_memcpy(&bytes, mask + b * kNarrowLanes, sizeof bytes);
        sum[b] += __builtin_convertvector(bytes, NarrowLanes) & value;
      }
    }
    for (std::size_t b = 0; b < kBlocks; ++b) {
      NarrowLanes all;
      std::int32_t* const to = sums + line + b * kNarrowLanes;
      __builtin_memcpy(&all, to, sizeof all);
      all += sum[b];
      __builtin_memcpy(to, &all, sizeof all);
    }
  }
}
