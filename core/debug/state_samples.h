// Which states of a long run are looked at where there is no time for all.
#pragma once

#include <cstdint>
#include <vector>

namespace rx::debug {

/// At most `most` of the states [first, last], evenly spread, in the order to look at them: the ends, then coarse ones
/// before fine ones, each pass from its end (looking at states in order is what a recording does well). A run that has
/// grown is sampled at the same states as before, or at every second of them.
std::vector<int64_t> sampledStates(int64_t first, int64_t last, int64_t most);

}  // namespace rx::debug
