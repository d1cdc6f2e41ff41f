// rashomon/counts.hpp
//
// WHAT    Exact numbers of trees: words, which throw when they overflow, and numbers of any size.
// FLOW    A set is counted in words first; if they overflow, it is counted again in numbers of any size.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hornbeam::rashomon {

struct CountOverflow {};

class WordCount {
 public:
  WordCount() = default;
  explicit WordCount(std::uint64_t value) : value_(value) {}
  /// Nothing if it needs more than a word.
  static std::optional<WordCount> of(const std::vector<std::uint64_t>& limbs) {
    for (std::size_t i = 1; i < limbs.size(); ++i)
      if (limbs[i] != 0) return std::nullopt;
    return WordCount(limbs.empty() ? 0 : limbs[0]);
  }

  WordCount& operator+=(const WordCount& by) {
    if (__builtin_add_overflow(value_, by.value_, &value_)) throw CountOverflow{};
    return *this;
  }
  WordCount& operator-=(const WordCount& by) {
    value_ -= by.value_;
    return *this;
  }
  /// Does not look whether it overflows, like the next one.
  void add_product(const WordCount& a, const WordCount& b) { value_ += a.value_ * b.value_; }
  /// Of numbers of half a word, which takes a third of the time.
  static void add_products(WordCount* sums, std::uint32_t a, const std::uint32_t* b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sums[i].value_ += std::uint64_t{a} * b[i];
  }
  friend WordCount operator*(WordCount a, const WordCount& b) {
    if (__builtin_mul_overflow(a.value_, b.value_, &a.value_)) throw CountOverflow{};
    return a;
  }
  friend auto operator<=>(const WordCount&, const WordCount&) = default;
  /// Quotient and remainder.
  std::pair<WordCount, WordCount> divided_by(const WordCount& by) const {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): unrank() divides only what is below a multiple of it
    return {WordCount(value_ / by.value_), WordCount(value_ % by.value_)};
  }
  bool is_zero() const { return value_ == 0; }
  /// If it is a number of half a word.
  std::optional<std::uint32_t> half() const {
    const auto half = static_cast<std::uint32_t>(value_);
    return half == value_ ? std::optional(half) : std::nullopt;
  }
  std::vector<std::uint64_t> limbs() const { return {value_}; }
  std::span<const std::uint64_t> words() const { return {&value_, 1}; }
  static constexpr std::size_t heap_bytes() { return 0; }

 private:
  std::uint64_t value_ = 0;
};

/// A number of any size; simple instead of fast, since few sets need it.
class BigCount {
 public:
  BigCount() = default;
  explicit BigCount(std::uint64_t value) {
    if (value != 0) limbs_.push_back(value);
  }
  static std::optional<BigCount> of(std::vector<std::uint64_t> limbs) {
    BigCount count;
    count.limbs_ = std::move(limbs);
    count.trim();
    return count;
  }

  BigCount& operator+=(const BigCount& by) {
    limbs_.resize(std::max(limbs_.size(), by.limbs_.size()));
    unsigned __int128 carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += static_cast<unsigned __int128>(limbs_[i]) + (i < by.limbs_.size() ? by.limbs_[i] : 0);
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    if (carry != 0) limbs_.push_back(1);
    return *this;
  }
  void add_product(const BigCount& a, const BigCount& b) { *this += a * b; }
  /// Adds the product of two words, shifted by `place` words.
  void add_product(std::uint64_t a, std::uint64_t b, std::size_t place) {
    auto carry = static_cast<unsigned __int128>(a) * b;
    for (; carry != 0; ++place) {
      if (place >= limbs_.size()) limbs_.resize(place + 1);
      const auto low = static_cast<std::uint64_t>(carry);
      carry >>= 64;
      if (__builtin_add_overflow(limbs_[place], low, &limbs_[place])) ++carry;
    }
  }
  /// `by` is at most this.
  BigCount& operator-=(const BigCount& by) {
    bool borrow = false;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      const std::uint64_t less = i < by.limbs_.size() ? by.limbs_[i] : 0, before = limbs_[i];
      limbs_[i] = before - less - (borrow ? 1 : 0);
      borrow = before < less || (before == less && borrow);
    }
    trim();
    return *this;
  }
  friend BigCount operator*(const BigCount& a, const BigCount& b) {
    BigCount product;
    product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      unsigned __int128 carry = 0;
      for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
        carry += static_cast<unsigned __int128>(a.limbs_[i]) * b.limbs_[j] + product.limbs_[i + j];
        product.limbs_[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
      product.limbs_[i + b.limbs_.size()] = static_cast<std::uint64_t>(carry);
    }
    product.trim();
    return product;
  }
  friend std::strong_ordering operator<=>(const BigCount& a, const BigCount& b) {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
    for (std::size_t i = a.limbs_.size(); i-- > 0;)
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    return std::strong_ordering::equal;
  }
  friend bool operator==(const BigCount&, const BigCount&) = default;
  /// Quotient and remainder, bit by bit.
  std::pair<BigCount, BigCount> divided_by(const BigCount& by) const {
    BigCount quotient, rest;
    quotient.limbs_.assign(limbs_.size(), 0);
    for (std::size_t bit = limbs_.size() * 64; bit-- > 0;) {
      rest += BigCount(rest);
      if ((limbs_[bit / 64] >> (bit % 64)) & 1) rest += BigCount(1);
      if (rest < by) continue;
      rest -= by;
      quotient.limbs_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    quotient.trim();
    return {std::move(quotient), std::move(rest)};
  }
  bool is_zero() const { return limbs_.empty(); }
  std::vector<std::uint64_t> limbs() const { return limbs_; }
  std::span<const std::uint64_t> words() const { return limbs_; }
  std::size_t heap_bytes() const { return limbs_.capacity() * sizeof(std::uint64_t); }

 private:
  void trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }
  std::vector<std::uint64_t> limbs_;  // the lowest first, the last not 0
};

}  // namespace hornbeam::rashomon
