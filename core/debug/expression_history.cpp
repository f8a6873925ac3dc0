#include "core/debug/expression_history.h"

#include <algorithm>

#include "core/debug/frame_environment.h"
#include "core/debug/state_samples.h"

namespace rx::debug {

namespace {

/// Shows another state for a while.
class Elsewhere {
 public:
  explicit Elsewhere(Session& session) : session_(session), home_(session.state()) {}
  ~Elsewhere() { (void)session_.goTo(home_).ok(); }
  bool goTo(int64_t state) { return session_.goTo(state).ok(); }

 private:
  Session& session_;
  int64_t home_;
};

/// The states of a frame that can be looked at, first and last.
std::pair<int64_t, int64_t> span(Session& session, int activation) {
  History& history = session.history();
  const Activation& frame = history.activation(activation);
  // After its return the outermost frame can still be looked at.
  const int64_t last = frame.parent < 0 ? history.recorded() : history.lastStateOf(activation, history.recorded());
  return {std::max(frame.callStep + 1, history.oldest()), last};
}

}  // namespace

ExpressionHistory expressionHistory(Session& session, int activation, std::string_view expression, int64_t most,
                                    std::chrono::milliseconds budget) {
  ExpressionHistory found;
  const auto [first, last] = span(session, activation);
  found.states = std::max<int64_t>(last - first + 1, 0);
  if (found.states == 0 || most < 2) return found;
  const auto end = std::chrono::steady_clock::now() + budget;
  Elsewhere elsewhere(session);
  bool anyNumber = false;
  std::map<int64_t, std::optional<double>> values;
  const auto look = [&](int64_t state) {
    if (!elsewhere.goTo(state)) return;
    FrameEnvironment environment(session, activation);
    Result<Quantity> value = evaluate(expression, environment);
    std::optional<double>& kept = values[state];
    if (value) kept = numberOf(*value);
    anyNumber = anyNumber || kept;
    if (state != last) return;
    // The last state tells best what is wrong: names have their values there.
    if (!value) found.problem = value.diagnostics().front();
    if (value && !kept)
      found.problem = errorAt({}, "debug.expression", "a plot needs a number, such as nan(x) or x.max");
  };
  for (const int64_t state : sampledStates(first, last, most)) {
    if (std::chrono::steady_clock::now() >= end) break;
    look(state);
  }
  if (anyNumber) found.problem.reset();
  for (const auto& [state, value] : values) found.points.push_back({state, value});
  return found;
}

}  // namespace rx::debug
