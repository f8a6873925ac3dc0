// What the pass did that made the stage, and what became of the memory of the whole function.
#include <cmath>

#include "views/models/document.h"
#include "views/models/known_sizes.h"
#include "views/models/memory_plan.h"
#include "views/models/numbers.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

// Bindings of a function whose plan is made at once; that of a larger one stands in the Memory panel, which makes it on
// a worker.
constexpr size_t kMostPlanned = 4000;

QString text(const char* source) { return inspectorText(source); }

QString moreText(int bindings) {
  if (bindings == 0) return text("as many bindings as before");
  const int size = std::abs(bindings);
  const QString count = size == 1 ? text("1 binding") : text("%1 bindings").arg(grouped(size));
  return bindings > 0 ? text("%1 more").arg(count) : text("%1 fewer").arg(count);
}

}  // namespace

void addPassDeed(Inspector& inspector) {
  const std::vector<StepRow>& steps = inspector.context.document->steps();
  const int stage = inspector.place.stage;
  if (stage < 1 || stage >= static_cast<int>(steps.size())) return;
  const StepRow& step = steps[static_cast<size_t>(stage)];
  if (step.state != StepState::Done) return;
  InspectionSection section{text("What %1 did").arg(step.name)};
  qint64 added = 0, removed = 0, changed = 0;
  for (const StepRow::Changed& change : step.changed) {
    if (change.function == inspector.function->name) {
      addRow(section, change.function, {{change.added ? text("new") : moreText(change.netBindings)}});
      continue;
    }
    added += change.added;
    removed += change.removed;
    changed += !change.added && !change.removed;
  }
  if (section.rows.empty()) addRow(section, inspector.function->name, {{text("the same"), InkRole::Grey}});
  QStringList others;
  if (added > 0) others << text("%1 new").arg(grouped(added));
  if (changed > 0) others << text("%1 changed").arg(grouped(changed));
  if (removed > 0) others << text("%1 gone").arg(grouped(removed));
  if (!others.isEmpty()) addRow(section, text("other functions"), {{others.join(QStringLiteral(", "))}});
  if (step.milliseconds >= 0) addRow(section, text("time"), {{durationText(step.milliseconds), InkRole::Number}});
  inspector.keep(std::move(section));
}

void addPlan(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  if (function.bindings.size() > kMostPlanned) return;
  const SymbolSizes sizes = inspector.context.sizes ? inspector.context.sizes->of(function) : SymbolSizes();
  const MemoryPlan plan = memoryPlanOf(function, sizes);
  if (plan.buffers.empty()) return;
  InspectionSection section{text("Memory of the whole function")};
  section.table = true;
  section.link = {text("plan"), InkRole::Plain, QStringLiteral("run:view.panel memory")};
  const bool planned = plan.storages < plan.temporaries || plan.held != plan.asked;
  const auto row = [&](const QString& what, const QString& before, const QString& after) {
    std::vector<InspectionPiece> cells{{what, InkRole::Grey}, {before, InkRole::Number}};
    if (planned) cells.push_back({after, InkRole::Number});
    addRow(section, {}, std::move(cells));
  };
  const auto bytes = [](qint64 count, const QString& formula) {
    return count >= 0 ? bytesText(count) : formula.isEmpty() ? text("not known") : formula;
  };
  if (planned) row({}, text("before"), text("planned"));
  row(text("pieces"), grouped(plan.temporaries), grouped(plan.storages));
  row(text("bytes"), bytes(plan.asked, plan.askedText), bytes(plan.held, plan.heldText));
  if (plan.alive >= 0) row(text("alive at the peak"), bytesText(plan.alive), bytesText(plan.alive));
  inspector.keep(std::move(section));
  // Formulas are too long to stand side by side.
  InspectionSection apart;
  if (plan.asked >= 0 && !plan.askedText.isEmpty()) {
    addRow(apart, planned ? text("before") : text("bytes"), {{plan.askedText, InkRole::Number}});
    if (planned) addRow(apart, text("planned"), {{plan.heldText, InkRole::Number}});
  }
  addRow(apart, {},
         {{plan.returned > 0
               ? text("Temporaries: arguments, and %1 of results, stand apart.").arg(bytesText(plan.returned))
               : text("Temporaries: arguments and results stand apart."),
           InkRole::Grey}});
  inspector.keep(std::move(apart));
}

}  // namespace rx::views
