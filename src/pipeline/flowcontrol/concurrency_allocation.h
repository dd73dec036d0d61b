// How the seats of a server are divided among its priority levels. Pure; any thread. Cost: the square of the number of
// levels.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pipeline {

// What one level gets at least and at most, and what it would like.
struct SeatRange {
  double least = 0, most = 0, wanted = 0;  // 0 <= least <= wanted, least <= most
};

// One share for each range, together `sum`: each is the same multiple of what is wanted, but for its bounds. None where
// the bounds do not allow it.
std::optional<std::vector<double>> AllocateSeats(double sum, std::span<const SeatRange> ranges);

}  // namespace pipeline
