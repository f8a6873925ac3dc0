#include "views/shell/desk.h"

namespace rx::views {
namespace {

/// The binding that people know by a name that the stage does not bind: what a call writes goes by it, or it comes from
/// the binding of that name in the imported module.
const BindingRow* bindingKnownAs(const FunctionRow& function, const QString& name, const FunctionRow* imported) {
  for (const BindingRow& binding : function.bindings)
    if (binding.called == name) return &binding;
  const BindingRow* source = imported ? imported->bindingNamed(name) : nullptr;
  if (!source || source->origins.empty()) return nullptr;
  const BindingRow* known = nullptr;
  for (const BindingRow& binding : function.bindings) {
    if (binding.role != FlowRole::Computes) continue;
    for (const OriginRow& origin : binding.origins)
      if (origin.key == source->origins.front().key) known = &binding;  // the last made has its value
  }
  return known;
}

}  // namespace

const FunctionRow* selectedFunction(const Desk& desk) {
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  return index ? index->function(desk.selection.place().function) : nullptr;
}

const BindingRow* selectedBinding(const Desk& desk) {
  const FunctionRow* function = selectedFunction(desk);
  return function ? function->binding(desk.selection.place().binding) : nullptr;
}

QString selectNamedBinding(Desk& desk, const QString& name) {
  const Place place = desk.selection.place();
  const StageIndexPtr index = desk.document.stage(place.stage, false);
  if (!index) return QStringLiteral("the stage is not ready");
  // The selected function comes first: names repeat between functions.
  std::vector<const FunctionRow*> order;
  if (const FunctionRow* selected = index->function(place.function)) order.push_back(selected);
  for (const FunctionRow& function : index->functions) order.push_back(&function);
  for (const FunctionRow* function : order) {
    if (const BindingRow* binding = function->bindingNamed(name)) {
      desk.selection.selectBinding(function->name, binding->ordinal, binding->name);
      return {};
    }
    for (const ParamRow& param : function->params) {
      if (param.name != name) continue;
      desk.selection.selectBinding(function->name, -1, name);
      return {};
    }
  }
  const StageIndexPtr imported = desk.document.stage(0, false);
  for (const FunctionRow* function : order) {
    const FunctionRow* before = imported ? imported->function(function->name) : nullptr;
    if (const BindingRow* binding = bindingKnownAs(*function, name, before)) {
      desk.selection.selectBinding(function->name, binding->ordinal, binding->name);
      return {};
    }
  }
  return QStringLiteral("there is nothing named %1 in stage %2 %3")
      .arg(name, QString::number(place.stage), index->title);
}

void goToStage(Desk& desk, int stage) {
  desk.selection.selectStage(stage);
  if (stage > desk.document.lastStage() && desk.document.canRunPasses()) desk.document.runPassesTo(stage);
  desk.document.stage(stage);
}

void whenStage(Desk& desk, const QString& path, int stage, std::function<void()> then) {
  auto* once = new QObject(&desk.debug);
  const auto end = [&desk, once] {
    QObject::disconnect(&desk.document, nullptr, once, nullptr);
    once->deleteLater();
    desk.window.countWork(-1);
  };
  desk.window.countWork(1);
  QObject::connect(
      &desk.document, &Document::stageReady, once,
      [&desk, path, stage, end, then = std::move(then)](int ready) {
        if (ready != stage || desk.document.path() != path) return;
        const auto deed = then;  // the connection, and what it holds, goes before it is done
        end();
        deed();
      },
      Qt::QueuedConnection);
  QObject::connect(&desk.document, &Document::openFailed, once, end);
  QObject::connect(&desk.document, &Document::opened, once, [&desk, path, end] {
    if (desk.document.path() != path) end();
  });
}

}  // namespace rx::views
