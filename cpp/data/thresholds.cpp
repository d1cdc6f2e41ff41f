#include "data/thresholds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hornbeam::data {

namespace {

// The powers of ten that a double holds exactly: a quotient by one of them is the double nearest to the decimal number.
constexpr int kMostPlaces = 22;
constexpr auto kTenTo = [] {
  std::array<double, kMostPlaces + 1> powers{1};
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = 10 * powers[k - 1];
  return powers;
}();

/// The nearest whole number, of doubles below 2^51; the sum has no bits behind the point. std::rint would be a call.
double nearest_integer(double number) {
  constexpr double kNoBitsBehind = 3LL << 51;
  return (number + kNoBitsBehind) - kNoBitsBehind;
}

/// The multiple of 10^k that is nearest to a number.
double nearest_multiple(double number, int k) {
  const double ten = kTenTo[static_cast<std::size_t>(std::abs(k))];
  return k < 0 ? nearest_integer(number * ten) / ten : nearest_integer(number / ten) * ten;
}

double threshold_between(double low, double high) {
  // Halves are added because the sum of two huge numbers is infinite; for neighboring doubles, whose middle may be
  // rounded up to `high`, and for the tiniest numbers, whose halves are rounded, `low` itself serves.
  const double middle = low / 2 + high / 2;
  if (!(low <= middle && middle < high)) return low;
  const double quarter = high / 4 - low / 4;
  if (std::abs(middle) <= quarter) return 0;
  // Of 2^e <= 2 * quarter, floor(log10(2^e)): some multiple of this power of ten is in the middle half of the gap.
  const int e = static_cast<int>(std::bit_cast<std::uint64_t>(quarter) >> 52) - 1022;
  double best = middle;
  bool is_near = true;
  // Where a multiple of 10^k is too far away, all those of 10^(k + 1) are; three at a time, since no branch foretells
  // it.
  for (int k = std::max((e * 78913) >> 18, -kMostPlaces); is_near && k + 2 <= kMostPlaces; k += 3)
    for (int more = 0; more < 3; ++more) {
      const double rounded = nearest_multiple(middle, k + more);
      is_near = std::abs(rounded - middle) <= quarter;
      best = is_near ? rounded : best;
    }
  return low <= best && best < high ? best : middle;
}

}  // namespace

std::vector<double> thresholds_between(std::span<const double> numbers) {
  std::vector<double> thresholds;
  thresholds.reserve(numbers.size());
  for (std::size_t i = 1; i < numbers.size(); ++i) thresholds.push_back(threshold_between(numbers[i - 1], numbers[i]));
  return thresholds;
}

std::vector<std::uint32_t> bins_of(std::span<const double> numbers, std::span<const std::int64_t> order,
                                   std::span<const double> thresholds) {
  std::vector<std::uint32_t> bins(numbers.size());
  std::size_t place = 0;
  for (const std::int64_t at : order) {
    const double number = numbers[static_cast<std::size_t>(at)];
    while (place < thresholds.size() && !(number <= thresholds[place])) ++place;
    bins[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(place);
  }
  return bins;
}

}  // namespace hornbeam::data
