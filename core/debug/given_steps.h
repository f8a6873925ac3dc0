// GivenSteps: at which steps of a frame the names of a stage got their values.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/debug/history.h"
#include "core/debug/stage.h"

namespace rx::debug {

/// Remembers what it saw of one frame, so that many questions about it walk over each of its steps once, however far
/// the run went on between them.
class GivenSteps {
 public:
  /// The last step of a frame that gave a variable of the map's stage a value which it has at `state`; -1 for none.
  int64_t last(const History& history, const StageMap& map, int activation, int64_t state, std::string_view variable);

 private:
  /// Takes in the frame's steps from `step` back to the newest that was seen before.
  void reachUpTo(const History& history, const StageMap& map, int64_t step);
  /// Takes in the step before the oldest that was seen; false where there is none.
  bool reachBack(const History& history, const StageMap& map);

  int activation_ = -1;
  int stage_ = -1;
  int64_t oldest_ = -1, newest_ = -1;  ///< the steps of the frame between these were seen
  /// By names that the stage keeps: steps in order.
  std::unordered_map<std::string_view, std::vector<int64_t>> steps_;
};

}  // namespace rx::debug
