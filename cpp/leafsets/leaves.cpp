#include "leafsets/leaves.hpp"

#include <algorithm>

#include "bits/each_bit.hpp"

namespace hornbeam {

bool Leaf::asks(std::uint32_t column) const {
  return std::any_of(literals.begin(), literals.end(), [column](std::uint32_t each) { return each / 2 == column; });
}

Leaves::Leaves(const DistinctRows& rows, const Costs& costs) : rows_(rows), costs_(costs) {
  auto root = std::make_unique<Leaf>();
  root->captured.assign(words_for(rows.n_rows), ~Word{0});
  if (rows.n_rows % kWordBits != 0) root->captured.back() = (Word{1} << (rows.n_rows % kWordBits)) - 1;
  root->dead.assign(rows.n_columns, false);
  measure(*root);
  keep(std::move(root));
}

LeafId Leaves::side(LeafId number, std::uint32_t column, bool value) {
  Leaf& leaf = *leaves_[number];
  if (leaf.sides.empty()) {
    leaf.sides.assign(rows_.n_columns, {kNoLeaf, kNoLeaf});
    bytes_ += leaf.sides.size() * sizeof(leaf.sides[0]);
  }
  LeafId& known = leaf.sides[column][value];
  if (known != kNoLeaf) return known;
  const std::uint32_t literal = 2 * column + value;
  Fingerprint name = leaf.name;
  name ^= Fingerprint::of_row(literal);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return known = found->second;
  auto part = std::make_unique<Leaf>();
  part->captured = leaf.captured;
  const Word flip = value ? 0 : ~Word{0};
  for (std::size_t w = 0; w < part->captured.size(); ++w)
    part->captured[w] &= rows_.bits[w * rows_.stride + column] ^ flip;
  part->literals = leaf.literals;
  part->literals.push_back(literal);
  part->name = name;
  part->dead = leaf.dead;
  measure(*part);
  return known = keep(std::move(part));
}

void Leaves::make_column_losses(LeafId number) {
  std::vector<Ticks>& losses = leaves_[number]->column_loss;
  if (losses.empty()) bytes_ += rows_.n_columns * sizeof(Ticks);
  losses.assign(rows_.n_columns, kInfinity);
}

Ticks Leaves::loss_of_moved(LeafId number, std::uint32_t one, std::uint32_t other) const {
  const Leaf& leaf = *leaves_[number];
  Ticks moved = 0;
  for (std::uint32_t w = 0; w < leaf.captured.size(); ++w) {
    const Word* bits = &rows_.bits[std::size_t{w} * rows_.stride];
    for_each_bit(leaf.captured[w] & (bits[one] ^ bits[other]), word_at(w), [&](std::size_t row) {
      for (std::uint32_t c = 0; c < rows_.n_classes; ++c)
        moved += rows_.weight(static_cast<std::uint32_t>(row))[c] * costs_.largest(c);
    });
  }
  return std::min(moved, leaf.largest_loss - moved);
}

void Leaves::measure(Leaf& leaf) const {
  leaf.class_weight.assign(rows_.n_classes, 0);
  for (std::uint32_t w = 0; w < leaf.captured.size(); ++w)
    for_each_bit(leaf.captured[w], word_at(w), [&](std::size_t index) {
      const auto row = static_cast<std::uint32_t>(index);
      const std::int64_t* weight = rows_.weight(row);
      for (std::uint32_t c = 0; c < rows_.n_classes; ++c) leaf.class_weight[c] += weight[c];
      leaf.n_rows += rows_.row_count[row];
      leaf.least_loss += costs_.loss_of(weight, costs_.best_prediction(weight));
    });
  for (std::uint32_t c = 0; c < rows_.n_classes; ++c) leaf.largest_loss += leaf.class_weight[c] * costs_.largest(c);
  leaf.prediction = costs_.best_prediction(leaf.class_weight.data());
  leaf.loss = costs_.loss_of(leaf.class_weight.data(), leaf.prediction);
}

LeafId Leaves::keep(std::unique_ptr<Leaf> leaf) {
  const auto number = static_cast<LeafId>(leaves_.size());
  bytes_ += sizeof(Leaf) + leaf->captured.size() * sizeof(Word) + leaf->literals.size() * sizeof(std::uint32_t) +
            leaf->class_weight.size() * sizeof(std::int64_t) + leaf->dead.size() / 8 + leaf->name.heap_bytes() +
            sizeof(std::pair<Fingerprint, LeafId>) + 3 * sizeof(void*);
  by_name_.emplace(leaf->name, number);
  leaves_.push_back(std::move(leaf));
  return number;
}

}  // namespace hornbeam
