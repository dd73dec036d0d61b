#include "pipeline/flowcontrol/concurrency_allocation.h"

#include <algorithm>

namespace pipeline {
namespace {

constexpr double kLeastWanted = 0.001;
constexpr double kEpsilon = 1e-7;

double Wanted(const SeatRange& range) { return std::max(range.wanted, kLeastWanted); }
double ShareAt(const SeatRange& range, double factor) {
  return std::max(range.least, std::min(range.most, factor * Wanted(range)));
}

}  // namespace

std::optional<std::vector<double>> AllocateSeats(double sum, std::span<const SeatRange> ranges) {
  const auto total = [&](double factor) {
    double shares = 0;
    for (const SeatRange& range : ranges) shares += ShareAt(range, factor);
    return shares;
  };
  std::vector<double> bends{0};  // factors where a range meets a bound: between them the total is a straight line
  double least = 0, most = 0;
  for (const SeatRange& range : ranges) {
    if (range.least < 0 || range.wanted < range.least || range.most < range.least) return std::nullopt;
    least += range.least;
    most += range.most;
    bends.push_back(range.least / Wanted(range));
    bends.push_back(range.most / Wanted(range));
  }
  if (sum < least - kEpsilon || sum > most + kEpsilon) return std::nullopt;
  std::ranges::sort(bends);
  double factor = bends.back();
  for (size_t i = 1; i < bends.size(); ++i) {
    const double upper = total(bends[i]);
    if (upper < sum) continue;
    const double lower = total(bends[i - 1]);
    const double way = upper > lower ? (sum - lower) / (upper - lower) : 0;
    factor = bends[i - 1] + std::clamp(way, 0.0, 1.0) * (bends[i] - bends[i - 1]);
    break;
  }
  std::vector<double> shares;
  shares.reserve(ranges.size());
  for (const SeatRange& range : ranges) shares.push_back(ShareAt(range, factor));
  return shares;
}

}  // namespace pipeline
