// rows/fingerprints.cpp: the part of RowSet and RowSetMaker that makes fingerprints of rows.
#include "base/each_bit.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::rows {

#ifdef HORNBEAM_EXACT_SUPPORT_SETS

void RowSetMaker::make_fingerprint_planes(RowSet&) const {}  // a mask of rows has no fixed number of planes

#else

void RowSetMaker::make_fingerprint_planes(RowSet& rows) const {
  constexpr std::size_t kPlanes = 2 * std::size_t{kWordBits};
  if (rows.has_fingerprint_planes) return;
  rows.has_fingerprint_planes = true;
  rows.fingerprint_planes.resize(rows.n_slot_words * kPlanes);
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
    Word* const high = &rows.fingerprint_planes[w * kPlanes];
    Word* const low = high + kWordBits;
    for (std::uint32_t i = 0; i < kWordBits; ++i) {
      high[i] = rows.slot_supports[word_at(w) + i].fingerprint.hash();
      low[i] = rows.slot_supports[word_at(w) + i].fingerprint.other_hash();
    }
    kernels_.transpose(high);
    kernels_.transpose(low);
  }
}

#endif

SupportSet RowSetMaker::support_of(const RowSet& rows, std::uint32_t column, bool side) const {
  SupportSet support;
#ifndef HORNBEAM_EXACT_SUPPORT_SETS
  if (rows.has_fingerprint_planes) {
    Word key[2];
    kernels_.fingerprint_column(rows.slot_tile().tile, column, rows.fingerprint_planes.data(), key);
    support.fingerprint = Fingerprint(Key128{key[0], key[1]});
    if (!side) support.fingerprint ^= rows.support.fingerprint;
    return support;
  }
#endif
  for (const kernels::Segment& segment : rows.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      for_each_bit(rows.chosen(column, side, w, segment.valid(w)), word_at(w),
                   [&](std::size_t slot) { support.add(rows.slot_supports[slot]); });
  return support;
}

SupportSet RowSetMaker::support_of(const RowSet& rows, std::uint32_t column, bool side, std::uint32_t other) const {
  SupportSet support;
  for (const kernels::Segment& segment : rows.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      for_each_bit(rows.chosen(column, side, w, segment.valid(w)) & rows.chosen(other, true, w, segment.valid(w)),
                   word_at(w), [&](std::size_t slot) { support.add(rows.slot_supports[slot]); });
  return support;
}

}  // namespace hornbeam::rows
