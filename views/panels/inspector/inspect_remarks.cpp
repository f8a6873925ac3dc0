// Why the passes beside the stage that is shown left a binding as it is.
#include "views/models/document.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {

void addRemarks(Inspector& inspector) {
  InspectionSection left{inspectorText("Left as it is")};
  const std::vector<StepRow>& steps = inspector.context.document->steps();
  const BindingRow& binding = *inspector.binding;
  auto add = [&](int stage, const auto& isIt) {
    if (stage < 1 || static_cast<size_t>(stage) >= steps.size()) return;
    const StepRow& step = steps[static_cast<size_t>(stage)];
    for (const StepRow::Remark& remark : step.remarks) {
      if (remark.function != inspector.function->name || !isIt(remark)) continue;
      addRow(left, {}, {{QString::number(stage), InkRole::Grey}, {step.name}, {remark.text}});
    }
  };
  // The pass that made this stage looked at the binding of this name, the one behind it at this very binding.
  add(inspector.place.stage, [&](const StepRow::Remark& remark) { return remark.variable == binding.name; });
  add(inspector.place.stage + 1, [&](const StepRow::Remark& remark) { return remark.binding == binding.ordinal; });
  inspector.keep(std::move(left));
}

}  // namespace rx::views
