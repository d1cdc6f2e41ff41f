#include "leafsets/leaves.hpp"

#include <algorithm>

#include "base/each_bit.hpp"

namespace hornbeam::leafsets {

bool Leaf::tests(std::uint32_t column) const {
  return std::any_of(literals.begin(), literals.end(), [column](std::uint32_t each) { return each / 2 == column; });
}

Leaves::Leaves(const data::DistinctRows& rows, const models::LeafModel& model) : rows_(rows), model_(model) {
  for (Measured& side : sides_) side.class_weight = memory_.take<std::int64_t>(rows.n_targets);
  Leaf root;
  root.captured = memory_.take<Word>(words_for(rows.n_rows));
  std::fill(root.captured.begin(), root.captured.end(), ~Word{0});
  if (rows.n_rows % kWordBits != 0) root.captured.back() = (Word{1} << (rows.n_rows % kWordBits)) - 1;
  root.class_weight = memory_.take<std::int64_t>(rows.n_targets);
  root.dead = ColumnFlags(memory_.take<Word>(words_for(rows.n_columns)));
  for (std::uint32_t w = 0; w < root.captured.size(); ++w) measure_word(w, root.captured[w], root);
  finish(root);
  keep(std::move(root));
}

LeafId Leaves::side(LeafId number, std::uint32_t column, bool value) {
  Leaf& leaf = leaves_[number];
  if (leaf.sides.empty()) {
    leaf.sides = memory_.take<std::array<LeafId, 2>>(rows_.n_columns);
    std::fill(leaf.sides.begin(), leaf.sides.end(), std::array{kNoLeaf, kNoLeaf});
  }
  LeafId& known = leaf.sides[column][value];
  if (known != kNoLeaf) return known;
  const std::uint32_t literal = 2 * column + value;
  Fingerprint fingerprint = leaf.fingerprint;
  fingerprint ^= Fingerprint::of_row(literal);
  // The last number may be without a leaf: of one that memory did not suffice for.
  const LeafId found = by_fingerprint_.find_or_add(fingerprint.hash(), leaves_.size(), [&](LeafId each) {
    return each < leaves_.size() && leaves_[each].fingerprint == fingerprint;
  });
  if (found < leaves_.size()) return known = found;
  Leaf part;
  part.captured = memory_.take<Word>(leaf.captured.size());
  part.class_weight = memory_.take<std::int64_t>(rows_.n_targets);
  part.literals = memory_.take<std::uint32_t>(leaf.literals.size() + 1);
  std::copy(leaf.literals.begin(), leaf.literals.end(), part.literals.begin());
  part.literals.back() = literal;
  part.fingerprint = fingerprint;
  part.dead = leaf.dead.share();
  const Word flip = value ? 0 : ~Word{0};
  for (std::uint32_t w = 0; w < part.captured.size(); ++w) {
    part.captured[w] = leaf.captured[w] & (rows_.bits[std::size_t{w} * rows_.stride + column] ^ flip);
    measure_word(w, part.captured[w], part);
  }
  finish(part);
  return known = keep(std::move(part));
}

const std::array<Measured, 2>& Leaves::measure_sides(LeafId number, std::uint32_t column) {
  const Leaf& leaf = leaves_[number];
  auto& [false_side, true_side] = sides_;
  for (Measured* side : {&false_side, &true_side}) *side = {side->class_weight};
  std::fill(true_side.class_weight.begin(), true_side.class_weight.end(), 0);
  for (std::uint32_t w = 0; w < leaf.captured.size(); ++w)
    measure_word(w, leaf.captured[w] & rows_.bits[std::size_t{w} * rows_.stride + column], true_side);
  for (std::uint32_t c = 0; c < rows_.n_targets; ++c)
    false_side.class_weight[c] = leaf.class_weight[c] - true_side.class_weight[c];
  false_side.n_rows = leaf.n_rows - true_side.n_rows;
  false_side.least_loss = leaf.least_loss - true_side.least_loss;
  finish(false_side);
  finish(true_side);
  return sides_;
}

void Leaves::make_column_losses(LeafId number) {
  std::span<Ticks>& losses = leaves_[number].column_loss;
  if (losses.empty()) losses = memory_.take<Ticks>(rows_.n_columns);
  std::fill(losses.begin(), losses.end(), kInfinity);
}

Ticks Leaves::loss_of_moved(LeafId number, std::uint32_t one, std::uint32_t other) const {
  const Leaf& leaf = leaves_[number];
  Ticks moved = 0;
  for (std::uint32_t w = 0; w < leaf.captured.size(); ++w) {
    const Word* bits = &rows_.bits[std::size_t{w} * rows_.stride];
    for_each_bit(leaf.captured[w] & (bits[one] ^ bits[other]), word_at(w), [&](std::size_t row) {
      moved += model_.largest_loss_of(rows_.weight(static_cast<std::uint32_t>(row)));
    });
  }
  return std::min(moved, leaf.largest_loss - moved);
}

void Leaves::measure_word(std::uint32_t w, Word captured, Measured& measured) {
  for_each_bit(captured, word_at(w), [&](std::size_t index) {
    const auto row = static_cast<std::uint32_t>(index);
    const std::int64_t* weight = rows_.weight(row);
    for (std::uint32_t c = 0; c < rows_.n_targets; ++c) measured.class_weight[c] += weight[c];
    measured.n_rows += rows_.row_count[row];
    measured.least_loss += model_.least_loss_of_leaf(weight);
    ++work_;
  });
  ++work_;
}

void Leaves::finish(Measured& measured) const {
  measured.largest_loss = model_.largest_loss_of(measured.class_weight.data());
  measured.prediction = model_.best_prediction(measured.class_weight.data());
  measured.loss = model_.loss_of(measured.class_weight.data(), measured.prediction);
}

std::size_t Leaves::bytes() const {
  return memory_.bytes() + leaves_.size() * sizeof(Leaf) + by_fingerprint_.bytes() + bytes_;
}

LeafId Leaves::keep(Leaf leaf) {
  const LeafId number = leaves_.size();
  bytes_ += leaf.fingerprint.heap_bytes();
  leaves_.push_back(std::move(leaf));
  return number;
}

}  // namespace hornbeam::leafsets
