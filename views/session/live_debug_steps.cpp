// The part of LiveDebug that answers about the recorded steps: the engine is asked for what is looked at, and nothing
// is kept of a step.
#include "views/session/live_debug_ask.h"

namespace rx::views {

void LiveDebug::fetchSteps(int first, int count, QObject* context,
                           std::function<void(const std::vector<TraceRow>&)> answer) {
  if (count < 1) return answer({});
  askFor<dap::Timeline>(context, {first, count},
                        [this, self = QPointer<LiveDebug>(this), answer = std::move(answer)](
                            const QString&, const dap::TimelineBody& body) {
                          if (!self) return;
                          std::vector<TraceRow> rows;
                          for (const dap::StepInfo& info : body.steps) {
                            TraceRow& row = rows.emplace_back(rowOf(info));
                            row.binding = numberNow(row.function, row.binding, row.variable);
                            const BindingRow* binding = bindingAt(row.function, row.binding);
                            row.called = calledOf(row.function, row.binding, row.variable);
                            row.kind = row.builtin ? OpKind::Memory : binding ? binding->kind : OpKind::Compute;
                          }
                          answer(rows);
                        });
}

void LiveDebug::fetchTimeline(const TimelineQuery& query, QObject* context,
                              std::function<void(const TimelinePart&)> answer) {
  dap::TimelineBarsArguments arguments;
  arguments.from = query.from;
  arguments.to = query.to;
  arguments.equal = query.equal;
  arguments.bars = query.bars;
  if (query.state) arguments.state = *query.state;
  askFor<dap::TimelineBars>(context, arguments,
                            [answer = std::move(answer)](const QString& error, const dap::TimelineBarsBody& body) {
                              answer(rowOf(body, error));
                            });
}

/// In parts: one answer about a long program would hold the window up.
void LiveDebug::askTimes(const QString& function, int64_t start, BindingTimes known, const QPointer<QObject>& context,
                         std::function<void(const BindingTimes&)> answer) {
  constexpr int64_t kPart = 10'000;  // numbers
  if (!context) return;
  askFor<dap::InstructionTimes>(
      context, {start, kPart},
      [this, self = QPointer<LiveDebug>(this), function, start, known = std::move(known), context,
       answer = std::move(answer)](const QString& error, const dap::InstructionTimesBody& body) mutable {
        if (!self) return;
        for (size_t i = 0; i < body.microseconds.size(); ++i) {
          const auto at = static_cast<size_t>(start) + i;
          if (at >= program_.size()) break;
          const InstructionRow& row = program_[at];
          if (row.binding >= 0 && row.bindingFunction == function) known[row.binding] += body.microseconds[i];
        }
        if (!error.isEmpty()) return answer(known);
        const int64_t next = start + static_cast<int64_t>(body.microseconds.size());
        if (next < body.total) return askTimes(function, next, std::move(known), context, std::move(answer));
        // Steps that there was no time to look at are missing in all of it.
        if (body.more) return askTimes(function, 0, {}, context, std::move(answer));
        answer(known);
      });
}

void LiveDebug::fetchTimes(const QString& function, QObject* context, std::function<void(const BindingTimes&)> answer) {
  askTimes(function, 0, {}, context, std::move(answer));
}

void LiveDebug::fetchStepOf(const QString& function, int binding, QObject* context, std::function<void(int)> answer) {
  if (!engine_) openTrace();
  if (!engine_) return answer(-1);
  ++asked_;
  dap::BindingStepArguments wanted;
  wanted.function = function.toStdString();
  wanted.binding = numberThen(function, binding);
  engine_->client().call<dap::BindingStep>(wanted, [this, alive = QPointer<QObject>(context), engine = engines_,
                                                    answer = std::move(answer)](Result<dap::BindingStepBody> body) {
    if (engine == engines_) answered();
    if (alive) answer(body ? static_cast<int>(body->step) : -1);
  });
}

}  // namespace rx::views
