// rows/slot_names.cpp: the part of RowSet and RowSetMaker that names the rows of a column.
#include "base/each_bit.hpp"
#include "rows/row_set.hpp"

namespace hornbeam {

#ifdef HORNBEAM_EXACT_SUPPORT_SETS

void RowSetMaker::make_name_planes(RowSet&) const {}  // a mask of rows has no fixed number of planes

#else

void RowSetMaker::make_name_planes(RowSet& rows) const {
  constexpr std::size_t kPlanes = 2 * std::size_t{kWordBits};
  if (!rows.name_planes.empty()) return;
  rows.name_planes.resize(rows.n_slot_words * kPlanes);
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
    Word* const high = &rows.name_planes[w * kPlanes];
    Word* const low = high + kWordBits;
    for (std::uint32_t i = 0; i < kWordBits; ++i) {
      high[i] = rows.names[word_at(w) + i].identity.hash();
      low[i] = rows.names[word_at(w) + i].identity.other_hash();
    }
    kernels_.transpose(high);
    kernels_.transpose(low);
  }
}

#endif

SlotName RowSetMaker::name_of(const RowSet& rows, std::uint32_t column, bool side) const {
  SlotName name;
#ifndef HORNBEAM_EXACT_SUPPORT_SETS
  if (!rows.name_planes.empty()) {
    Word key[2];
    kernels_.name_column(rows.slot_tile().tile, column, rows.name_planes.data(), key);
    name.identity = Fingerprint(Key128{key[0], key[1]});
    if (!side) name.identity ^= rows.whole.identity;
    return name;
  }
#endif
  for (const Segment& segment : rows.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      for_each_bit(rows.chosen(column, side, w, segment.valid(w)), word_at(w),
                   [&](std::size_t slot) { name.add(rows.names[slot]); });
  return name;
}

SlotName RowSetMaker::name_of(const RowSet& rows, std::uint32_t column, bool side, std::uint32_t other) const {
  SlotName name;
  for (const Segment& segment : rows.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      for_each_bit(rows.chosen(column, side, w, segment.valid(w)) & rows.chosen(other, true, w, segment.valid(w)),
                   word_at(w), [&](std::size_t slot) { name.add(rows.names[slot]); });
  return name;
}

}  // namespace hornbeam
