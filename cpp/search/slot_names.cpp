// search/slot_names.cpp: the part of RowSet and RowSetMaker that names the rows of a column.
#include "bits/each_bit.hpp"
#include "search/row_set.hpp"

namespace hornbeam {

namespace {

constexpr std::size_t kPlanes = 128;  // bits of a fingerprint

}  // namespace

void RowSetMaker::make_name_planes(RowSet& rows) const {
#ifndef HORNBEAM_EXACT_SUPPORT_SETS
  if (!rows.name_planes.empty()) return;
  rows.name_planes.resize(rows.n_slot_words * kPlanes);
  rows.has_base_loss.resize(rows.n_slot_words);
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
    Word* const high = &rows.name_planes[w * kPlanes];
    Word* const low = high + kWordBits;
    Word lossy = 0;
    for (std::uint32_t i = 0; i < kWordBits; ++i) {
      const SlotName& name = rows.names[word_at(w) + i];
      high[i] = name.identity.hash();
      low[i] = name.identity.other_hash();
      lossy |= Word{name.base_loss != 0} << i;
    }
    kernels_.transpose(high);
    kernels_.transpose(low);
    rows.has_base_loss[w] = lossy;
  }
#endif
}

SlotName RowSetMaker::name_of(const RowSet& rows, std::uint32_t column, bool with_base_loss) const {
  SlotName name;
  if (rows.name_planes.empty()) {
    for (std::uint32_t w = 0; w < rows.n_slot_words; ++w)
      for_each_bit(rows.word(column, w), word_at(w), [&](std::size_t slot) { name.add(rows.names[slot]); });
    return name;
  }
#ifndef HORNBEAM_EXACT_SUPPORT_SETS
  Word key[2];
  kernels_.name_column(rows.slot_tile().tile, column, rows.name_planes.data(), key);
  name.identity = Fingerprint(Key128{key[0], key[1]});
#endif
  if (with_base_loss)
    for (std::uint32_t w = 0; w < rows.n_slot_words; ++w)
      for_each_bit(rows.word(column, w) & rows.has_base_loss[w], word_at(w),
                   [&](std::size_t slot) { name.base_loss += rows.names[slot].base_loss; });
  return name;
}

}  // namespace hornbeam
