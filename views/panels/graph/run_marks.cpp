#include "views/panels/graph/run_marks.h"

#include "views/models/bad_chain.h"
#include "views/models/run_outcome.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

/// Where a run failed, or the parameter that got what it can not take; `binding` is the node of the one, 0 for none.
void markFailure(const RunFailure& failure, int stage, const FunctionRow& function, uint64_t binding,
                 std::unordered_map<uint64_t, NodeMark>* marks) {
  if (failure.stage != stage) return;
  if (failure.function == function.name) (*marks)[binding].error = true;
  if (failure.run != function.name) return;
  for (size_t p = 0; p < function.params.size(); ++p)
    if (function.params[p].name == failure.parameter)
      (*marks)[nodeId({NodeTarget::Kind::Param, static_cast<int>(p)})].error = true;
}

}  // namespace

QString badNote(const FunctionRow& function, int binding, const DebugSession& debug) {
  const BindingRow* row = function.binding(binding);
  const ValueSummary value = row ? debug.valueOf(function.name, binding) : ValueSummary();
  if (!value.known) return {};
  // What is wrong comes first: a narrow node cuts the end off.
  return badText(value) + QStringLiteral(" · ") + (row->shape.isEmpty() ? row->info : row->shape);
}

RunMarks runMarks(int stage, const FunctionRow& function, const FunctionGraph& graph, const DebugSession& debug) {
  RunMarks run;
  std::unordered_map<uint64_t, NodeMark>& marks = run.marks;
  const auto shown = [&](int binding) {
    return binding >= 0 && binding < static_cast<int>(graph.shownBy.size())
               ? graph.shownBy[static_cast<size_t>(binding)]
               : 0;
  };
  for (const BreakpointRow& row : debug.breakpoints())
    if (row.stage == stage && row.function == function.name && row.enabled) marks[shown(row.binding)].breakpoint = true;
  if (debug.hasTrace() && debug.config().stage == stage) {
    // Red is for what is wrong now: what was wrong in a run that is past stands beside the text, in grey.
    const bool past = !debug.pastOf().isEmpty();
    const std::vector<int> bad = past ? std::vector<int>() : badBindings(debug, function);
    for (const int ordinal : bad) {
      const uint64_t node = shown(ordinal);
      marks[node].error = true;
      run.bad[node] = ordinal;
    }
    // The first of all: that others are made further down as well only their own triangles say.
    for (const int root : badRoots(debug, function, bad, 1)) marks[shown(root)].root = true;
    if (debug.stop().nextFunction == function.name && debug.stop().nextBinding >= 0)
      marks[shown(debug.stop().nextBinding)].current = true;
  }
  if (const RunFailure* failure = debug.failure())
    markFailure(*failure, stage, function, shown(failure->binding), &marks);
  marks.erase(0);
  return run;
}

}  // namespace rx::views
