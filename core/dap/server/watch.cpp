// Watches: expressions at the state that is shown, and over the run.
#include <algorithm>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/debug/expression_history.h"

namespace rx::dap {

namespace {

/// An answer about the past keeps the engine from other work for so long at the most.
constexpr std::chrono::milliseconds kHistoryBudget{100};

const char* kindOf(const debug::Quantity& quantity) {
  static constexpr const char* kinds[] = {"bool", "int", "float", "text", "value", "bytes"};
  return kinds[quantity.index()];
}

}  // namespace

WatchValue Adapter::watched(const std::string& expression, int activation) {
  WatchValue row;
  debug::FrameEnvironment environment(*session_, activation);
  std::optional<debug::Quantity> compared;
  Result<debug::Quantity> quantity = debug::evaluate(expression, environment, &compared);
  if (!quantity) {
    const Diagnostic& problem = quantity.diagnostics().front();
    if (problem.rule == debug::kNoValueYet) {
      row.text = "no value yet";
      return row;
    }
    row.error = problem.message;
    row.errorBegin = unitsBefore(expression, problem.span.begin);
    row.errorEnd = unitsBefore(expression, problem.span.end);
    return row;
  }
  row.kind = kindOf(*quantity);
  if (compared && debug::numberOf(*compared)) row.compared = debug::quantityText(*compared);
  const auto* handle = std::get_if<debug::Handle>(&*quantity);
  if (!handle) {
    row.text = debug::quantityText(*quantity);
    if (const auto number = debug::numberOf(*quantity)) row.number = jsonNumber(*number);
    return row;
  }
  if (const auto& made = environment.madeBy(*handle)) {
    row.kind = "tensor";
    row.text = debug::valueText(debug::tensorValue(made));
    return row;
  }
  debug::ValueRef ref = environment.refOf(*handle);
  const bool shapeOf = !ref.path.empty() && ref.path.back() < 0;
  if (shapeOf) ref.path.pop_back();
  Result<debug::Value> value = session_->readOrDescribe(ref);
  if (!value) {
    row.kind.clear();
    row.error = value.diagnostics().front().message;
    row.errorEnd = static_cast<int64_t>(expression.size());
    return row;
  }
  row.kind = shapeOf ? "shape" : std::string(debug::valueKindName(value->kind));
  row.text = shapeOf ? shapeText(value->tensor->shape()) : debug::valueText(*value);
  if (!shapeOf) row.value = infoOf(ref, *value);
  return row;
}

Result<WatchBody> Adapter::watch(const WatchArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  WatchBody body;
  for (const std::string& expression : arguments.expressions) body.values.push_back(watched(expression, activation));
  return body;
}

Result<WatchHistoryBody> Adapter::watchHistory(const WatchHistoryArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  const int64_t most = std::clamp<int64_t>(arguments.points, 2, kMaxWatchPoints);
  const debug::ExpressionHistory history =
      debug::expressionHistory(*session_, activation, arguments.expression, most, kHistoryBudget);
  WatchHistoryBody body;
  body.states = history.states;
  body.sampled = history.sampled();
  if (history.problem) body.error = history.problem->message;
  for (const debug::ExpressionPoint& point : history.points)
    body.points.push_back({point.state, point.value ? jsonNumber(*point.value) : Json()});
  return body;
}

}  // namespace rx::dap
