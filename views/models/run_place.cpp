#include "views/models/run_place.h"

#include <algorithm>

namespace rx::views {
namespace {

/// At the entry nothing is recorded yet, but what runs next is known.
bool stands(const StageIndex& stage, const DebugSession& debug) {
  return (debug.hasTrace() || debug.state() == RunState::Stopped) && debug.config().stage == stage.stage;
}

}  // namespace

const BindingRow* nextBinding(const StageIndex& stage, const DebugSession& debug) {
  if (!stands(stage, debug)) return nullptr;
  const FunctionRow* function = stage.function(debug.stop().nextFunction);
  return function ? function->binding(debug.stop().nextBinding) : nullptr;
}

const BindingRow* selectedCaller(const StageIndex& stage, const DebugSession& debug, const Place& selected) {
  if (!stands(stage, debug) || selected.stage != stage.stage || selected.binding < 0) return nullptr;
  const std::vector<FrameRow>& frames = debug.frames();
  for (size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].binding != selected.binding || frames[i].function != selected.function) continue;
    const FunctionRow* function = stage.function(selected.function);
    return function ? function->binding(selected.binding) : nullptr;
  }
  return nullptr;
}

const BindingRow& makerOf(const FunctionRow& function, const BindingRow& binding, int next) {
  const BindingRow* maker = &binding;
  if (binding.role != FlowRole::Buffer) return binding;
  for (const int user : binding.usedBy) {
    const BindingRow* call = next < 0 || user < next ? function.binding(user) : nullptr;
    if (call && std::find(call->writes.begin(), call->writes.end(), binding.ordinal) != call->writes.end())
      maker = call;
  }
  return *maker;
}

}  // namespace rx::views
