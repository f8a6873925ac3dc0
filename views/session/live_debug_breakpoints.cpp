// The part of LiveDebug that tells the engine where to stop and what to look at.
#include <QPointer>
#include <set>

#include "views/session/live_debug_ask.h"

namespace rx::views {
namespace {

constexpr int64_t kPlotPoints = 400;

}  // namespace

void LiveDebug::sendFilters() {
  if (!engine_) return;
  dap::SetExceptionBreakpointsArguments arguments;
  arguments.filters = {"matchCast", "error"};
  if (stopOnNonFinite_) arguments.filters.push_back("nonfinite");
  ask<dap::SetExceptionBreakpoints>(arguments, [](const dap::Nothing&) {});
}

void LiveDebug::sendBreakpoints() {
  if (!engine_) return;
  std::vector<int> ids;
  const dap::SetBindingBreakpointsArguments arguments =
      breakpoints_.request(&ids, document_->canRunPasses() ? std::nullopt : std::optional(config_.stage), moved_);
  ask<dap::SetBindingBreakpoints>(arguments, [this, ids](const dap::BreakpointsBody& body) {
    breakpoints_.takeAnswer(ids, body);
    Q_EMIT breakpointsChanged();
  });
}

void LiveDebug::breakpointsMoved() {
  markBreakpoints();
  Q_EMIT breakpointsChanged();
  if (configured_) sendBreakpoints();
}

/// What runs next.
void LiveDebug::markCurrent() {
  const auto mark = [this](int instruction, bool current) {
    if (instruction >= 0 && instruction < static_cast<int>(program_.size()))
      program_[static_cast<size_t>(instruction)].current = current;
  };
  mark(current_, false);
  mark(current_ = stop_.instruction, true);
}

/// Where breakpoints stop: at the kernel of a binding, not at the memory that is managed for it, and at single
/// instructions. Looked at anew where they, or the program, are others.
void LiveDebug::markBreakpoints() {
  std::set<std::pair<QString, int>> stops, kernels, single;
  for (const BreakpointRow& row : breakpoints_.rows()) {
    if (!row.enabled) continue;
    if (row.kind == BreakpointKind::Binding && row.stage == config_.stage) stops.insert({row.function, row.binding});
    if (row.kind == BreakpointKind::Instruction) single.insert({row.function, row.instruction});
  }
  const auto stopsAt = [&](const InstructionRow& row) {
    return row.binding >= 0 && stops.contains({row.bindingFunction, row.binding});
  };
  for (const int marked : std::exchange(marked_, {}))
    if (marked < static_cast<int>(program_.size())) program_[static_cast<size_t>(marked)].breakpoint = false;
  marksKnown_ = true;
  if (stops.empty() && single.empty()) return;
  for (const InstructionRow& row : program_)
    if (!row.builtin && stopsAt(row)) kernels.insert({row.bindingFunction, row.binding});
  for (InstructionRow& row : program_) {
    row.breakpoint = (stopsAt(row) && (!row.builtin || !kernels.contains({row.bindingFunction, row.binding}))) ||
                     single.contains({row.function, row.offset});
    if (row.breakpoint) marked_.push_back(row.index);
  }
}

const BreakpointRow* LiveDebug::breakpointAt(int stage, const QString& function, int binding) const {
  return breakpoints_.at(stage, function, binding);
}

void LiveDebug::toggleBreakpoint(int stage, const QString& function, int binding, const QString& variable) {
  breakpoints_.toggle(stage, function, binding, variable);
  breakpointsMoved();
}

int LiveDebug::addBreakpoint(const BreakpointRow& row) {
  const int id = breakpoints_.add(row);
  breakpointsMoved();
  return id;
}

void LiveDebug::setBreakpointEnabled(int id, bool enabled) {
  breakpoints_.setEnabled(id, enabled);
  breakpointsMoved();
}

void LiveDebug::setBreakpointRule(int id, const BreakpointRule& rule) {
  breakpoints_.setRule(id, rule);
  breakpointsMoved();
}

void LiveDebug::removeBreakpoint(int id) {
  breakpoints_.remove(id);
  breakpointsMoved();
}

void LiveDebug::clearBreakpoints() {
  breakpoints_.clear();
  breakpointsMoved();
}

void LiveDebug::setStopOnNonFinite(bool stop) {
  stopOnNonFinite_ = config_.stopOnNonFinite = stop;
  if (configured_) sendFilters();
}

bool LiveDebug::stands() const {
  return engine_ && state_ != RunState::Off && state_ != RunState::Starting && state_ != RunState::Running;
}

int LiveDebug::addWatch(const QString& expression) {
  const int id = watches_.add(expression);
  watchesMoved();
  return id;
}

void LiveDebug::setWatch(int id, const QString& expression) {
  watches_.set(id, expression);
  watchesMoved();
}

void LiveDebug::removeWatch(int id) {
  watches_.remove(id);
  watchesMoved();
}

void LiveDebug::clearWatches() {
  watches_.clear();
  watchesMoved();
}

void LiveDebug::watchesMoved() {
  Q_EMIT watchesChanged();
  if (stands()) askWatches(true);
}

void LiveDebug::askWatches(bool again) {
  if (watches_.rows().empty()) return;
  std::vector<int> ids;
  const dap::WatchArguments arguments = watches_.request(&ids);
  ask<dap::Watch>(arguments, [this, ids, again](const dap::WatchBody& body) {
    watches_.takeAnswer(ids, body, again);
    Q_EMIT watchesChanged();
  });
}

void LiveDebug::evaluate(const QString& expression, QObject* context, std::function<void(const WatchRow&)> answer) {
  const WatchRow unchecked = uncheckedRow(expression);
  if (!unchecked.error.isEmpty() || !stands()) return answer(unchecked);
  const QPointer<QObject> alive(context);
  dap::WatchArguments arguments;
  arguments.expressions.push_back(expression.toStdString());
  engine_->client().call<dap::Watch>(
      arguments, [alive, expression, unchecked, answer = std::move(answer)](Result<dap::WatchBody> body) {
        if (alive) answer(body && !body->values.empty() ? watchRow(expression, body->values.front()) : unchecked);
      });
}

void LiveDebug::fetchPlot(const QString& expression, QObject* context, std::function<void(const WatchPlot&)> answer) {
  if (!stands()) return answer({});
  const QPointer<QObject> alive(context);
  dap::WatchHistoryArguments arguments;
  arguments.expression = expression.toStdString();
  arguments.points = kPlotPoints;
  engine_->client().call<dap::WatchHistory>(
      arguments, [alive, answer = std::move(answer)](Result<dap::WatchHistoryBody> body) {
        if (!alive) return;
        WatchPlot plot;
        if (!body) {
          plot.error = textOf(body.diagnostics());
          return answer(plot);
        }
        plot.states = body->states;
        plot.sampled = body->sampled;
        plot.error = qtText(body->error);
        for (const dap::WatchPoint& point : body->points)
          plot.points.push_back({static_cast<int>(point.step), !point.value.is_null(), dap::numberFrom(point.value)});
        answer(plot);
      });
}

}  // namespace rx::views
