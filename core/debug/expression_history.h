// What an expression was over the recorded states of a frame: the points of a plot.
#pragma once

#include <chrono>

#include "core/debug/session.h"

namespace rx::debug {

struct ExpressionPoint {
  int64_t state = 0;
  std::optional<double> value;  ///< nothing where the expression has no value yet or is no number
};

struct ExpressionHistory {
  std::vector<ExpressionPoint> points;  ///< by state
  int64_t states = 0;                   ///< recorded states of the frame
  std::optional<Diagnostic> problem;    ///< why no state has a number
  /// Not every state was looked at.
  bool sampled() const { return static_cast<int64_t>(points.size()) < states; }
};

/// Looks at `most` states at the most, evenly spread, coarse ones first, and stops looking when `budget` is spent.
ExpressionHistory expressionHistory(Session& session, int activation, std::string_view expression, int64_t most,
                                    std::chrono::milliseconds budget);

}  // namespace rx::debug
