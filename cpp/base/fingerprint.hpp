// base/fingerprint.hpp
//
// WHAT    The fingerprint of a support set: the XOR of one random key per distinct row in it.
// HOLDS   fingerprint(A xor B) = fingerprint(A) ^ fingerprint(B), so a child costs one pass over its smaller side.
// CHOICE  128 random bits instead of the mask itself: the chance that any two of 10^9 support sets collide is
//         below 10^-20, and a mask of 10^4 rows would cost 1,250 bytes. With HORNBEAM_EXACT_SUPPORT_SETS the
//         "fingerprint" is the mask itself, whose XOR obeys the same law; the tests run both builds.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef HORNBEAM_EXACT_SUPPORT_SETS
#include <algorithm>
#include <vector>
#endif

namespace hornbeam {

/// A well-mixed 64-bit function of `x` (the splitmix64 finalizer of Steele, Lea and Flood, 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Two independent 64-bit keys; XOR of keys is the fingerprint of a set.
struct Key128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  static constexpr Key128 of(std::uint64_t index) { return {mix(2 * index), mix(2 * index + 1)}; }
  Key128& operator^=(const Key128& other) {
    high ^= other.high;
    low ^= other.low;
    return *this;
  }
  friend bool operator==(const Key128&, const Key128&) = default;
};

#ifndef HORNBEAM_EXACT_SUPPORT_SETS

class Fingerprint {
 public:
  Fingerprint() = default;
  explicit Fingerprint(Key128 key) : key_(key) {}
  static Fingerprint of_row(std::uint32_t row) { return Fingerprint(Key128::of(row)); }
  Fingerprint& operator^=(const Fingerprint& other) {
    key_ ^= other.key_;
    return *this;
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  std::uint64_t hash() const { return key_.high; }
  std::uint64_t other_hash() const { return key_.low; }
  static constexpr std::size_t heap_bytes() { return 0; }
  /// For files: `put` gets words from which `from_words` makes an equal one.
  template <class Put>
  void put_words(const Put& put) const {
    put(key_.high);
    put(key_.low);
  }
  template <class Get>
  static Fingerprint from_words(const Get& get) {
    const std::uint64_t high = get();
    return Fingerprint({high, get()});
  }

 private:
  Key128 key_;
};

#else

class Fingerprint {
 public:
  Fingerprint() = default;
  static Fingerprint of_row(std::uint32_t row) {
    Fingerprint one;
    one.words_.resize(row / 64 + 1);
    one.words_.back() = std::uint64_t{1} << (row % 64);
    return one;
  }
  Fingerprint& operator^=(const Fingerprint& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] ^= other.words_[i];
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
    return *this;
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  std::uint64_t hash() const { return fold(1); }
  std::uint64_t other_hash() const { return fold(2); }
  std::size_t heap_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }
  template <class Put>
  void put_words(const Put& put) const {
    put(words_.size());
    for (const std::uint64_t word : words_) put(word);
  }
  template <class Get>
  static Fingerprint from_words(const Get& get) {
    Fingerprint set;
    for (std::uint64_t left = get(); left > 0; --left) set.words_.push_back(get());
    return set;
  }

 private:
  std::uint64_t fold(std::uint64_t seed) const {
    for (std::uint64_t word : words_) seed = mix(seed ^ word);
    return seed;
  }
  std::vector<std::uint64_t> words_;
};

#endif

}  // namespace hornbeam
