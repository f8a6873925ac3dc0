// What is wrong with the selected binding, whoever says so: the check, a pass, a run, a comparison of runs.
#include "views/models/document.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

struct SeverityLook {
  const char* icon;  // null for none
  InkRole ink;
};
constexpr SeverityLook kLooks[] = {{nullptr, InkRole::Plain}, {nullptr, InkRole::Warning}, {"cross", InkRole::Error}};

}  // namespace

void addProblems(Inspector& inspector) {
  InspectionSection found{inspectorText("Found here")};
  for (const ProblemRow& problem : inspector.context.document->problems()) {
    if (problem.stage != inspector.place.stage) continue;
    const ProblemPlace place = problemPlace(problem, inspector.stage.get());
    if (place.function != inspector.function->name || place.binding != inspector.binding->ordinal) continue;
    const SeverityLook& look = kLooks[static_cast<size_t>(problem.severity)];
    addRow(found, {}, {{problem.message, look.ink}});
    found.rows.back().icon = look.icon;
    if (!problem.fix.isEmpty()) addRow(found, {}, {{inspectorText("fix: %1").arg(problem.fix)}});
    for (const QString& note : problem.notes) addRow(found, {}, {{note, InkRole::Grey}});
  }
  inspector.keep(std::move(found));
}

}  // namespace rx::views
