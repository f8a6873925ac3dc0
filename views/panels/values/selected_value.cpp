#include "views/panels/values/selected_value.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("SelectedValue", source); }

/// Memory has the value of who writes it, and what that is.
QString whyUnwritten(const FunctionRow& function, const BindingRow& buffer) {
  const auto writer =
      std::find_if(function.bindings.begin(), function.bindings.end(), [&buffer](const BindingRow& call) {
        return std::find(call.writes.begin(), call.writes.end(), buffer.ordinal) != call.writes.end();
      });
  if (writer == function.bindings.end()) return text("%1 is never written.").arg(buffer.called);
  const QString by = writer->callee.isEmpty() ? writer->label : writer->callee;
  return text("%1 is written by %2 in line %3, which has not run yet.")
      .arg(buffer.called, by, QString::number(writer->line));
}

/// The local function that a binding stands in, null where it stands in none.
const BindingRow* localFunctionOf(const FunctionRow& function, const BindingRow& binding) {
  const BindingRow* at = function.binding(binding.parent);
  while (at && at->form != BindingForm::Function) at = function.binding(at->parent);
  return at;
}

/// Why there is no value of a binding at the step that is shown.
QString whyAbsent(const DebugSession& debug, const FunctionRow& row, const BindingRow& binding) {
  const QString& function = row.name;
  const bool atEnd = debug.state() == RunState::Ended && !debug.stop().past;
  // Behind the end of a recording nobody knows what was computed.
  if (const RunResult* result = debug.result(); atEnd && result && !result->lost.isEmpty())
    return text("No value of %1 is kept: %2.").arg(binding.called, result->lost);
  const BindingRow* local = localFunctionOf(row, binding);
  if (atEnd && !local && debug.config().function == function)
    return text("%1 was not computed in this run.").arg(binding.called);
  const std::vector<FrameRow>& frames = debug.frames();
  const bool runs =
      std::any_of(frames.begin(), frames.end(), [&](const FrameRow& frame) { return frame.function == function; });
  const bool toCome = runs || (frames.empty() && !atEnd);
  if (toCome && binding.role == FlowRole::Buffer) return whyUnwritten(row, binding);
  if (toCome) return text("%1 has not been computed yet.").arg(binding.called);
  return text("No call of %1 runs at this step; Go to Step of Binding (Ctrl+Alt+F10) shows one that made %2.")
      .arg(local ? local->called : function, binding.called);
}

}  // namespace

bool writesApart(const BindingRow& binding) { return binding.writes.size() > 1 && binding.shape.isEmpty(); }

const FunctionRow* functionOf(const StageIndex* stage, const QString& name) {
  return stage ? stage->function(name) : nullptr;
}

const BindingRow* bindingOf(const FunctionRow* function, int ordinal, const QString& variable) {
  if (!function) return nullptr;
  const BindingRow* binding = function->binding(ordinal);
  if (binding && (variable.isEmpty() || binding->name == variable)) return binding;
  return variable.isEmpty() ? nullptr : function->bindingNamed(variable);
}

SelectedValue selectedValue(const PanelContext& context) {
  SelectedValue result;
  if (const TracedRow* traced = context.debug->traced().row()) {
    result.value = traced->value;
    return result;
  }
  const Place& place = context.selection->place();
  // At the entry nothing is recorded yet, and the parameters have their values.
  if (!context.debug->hasTrace() && context.debug->state() != RunState::Stopped) {
    result.absent = text("Values appear here when the program runs (F5).");
    return result;
  }
  const int stage = context.debug->config().stage;
  if (stage != place.stage) {
    result.absent = text("The run shows stage %1; its values stand there.").arg(stage);
    return result;
  }
  const StageIndexPtr index = context.document->stage(place.stage, false);
  const FunctionRow* function = functionOf(index.get(), place.function);
  if (const BindingRow* binding = bindingOf(function, place.binding, place.variable)) {
    result.value = context.debug->valueOf(function->name, binding->ordinal);
    result.value.variable = binding->called;
    // Of several buffers that a call writes, the last one is shown.
    const BindingRow* last = writesApart(*binding) ? function->binding(binding->writes.back()) : nullptr;
    if (last && result.value.known) result.value.variable = last->called;
    if (!result.value.known) result.absent = whyAbsent(*context.debug, *function, *binding);
    return result;
  }
  if (function && !place.variable.isEmpty()) {
    result.value = context.debug->valueOfParam(function->name, place.variable);
    if (result.value.variable.isEmpty()) result.value.variable = place.variable;
    if (!result.value.known) result.absent = text("%1 has no value in this frame.").arg(place.variable);
    return result;
  }
  result.absent = text("Select a binding to see its value.");
  return result;
}

}  // namespace rx::views
