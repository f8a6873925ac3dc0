#include "views/shell/desk.h"

namespace rx::views {

const FunctionRow* selectedFunction(const Desk& desk) {
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  return index ? index->function(desk.selection.place().function) : nullptr;
}

const BindingRow* selectedBinding(const Desk& desk) {
  const FunctionRow* function = selectedFunction(desk);
  return function ? function->binding(desk.selection.place().binding) : nullptr;
}

void goToStage(Desk& desk, int stage) {
  desk.selection.selectStage(stage);
  if (stage > desk.document.lastStage() && desk.document.canRunPasses()) desk.document.runPassesTo(stage);
  desk.document.stage(stage);
}

}  // namespace rx::views
