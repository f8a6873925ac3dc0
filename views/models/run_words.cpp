#include "views/models/run_words.h"

#include "views/models/numbers.h"
#include "views/models/run_place.h"

namespace rx::views {
namespace {

constexpr double kSilent = 2000;  // milliseconds after which an engine that says nothing is spoken of

QString runningText(const DebugSession& debug) {
  const RunProgress at = debug.progress();
  const bool starting = debug.state() == RunState::Starting;
  QString text = starting ? QStringLiteral("Starting: compiling") : QStringLiteral("Running");
  if (!at.what.isEmpty()) text += ' ' + at.what;
  if (!at.variable.isEmpty()) text += QStringLiteral(" for ") + at.variable;
  if (!starting && at.steps > 0) text += QStringLiteral(", step %1").arg(grouped(at.steps));
  if (at.milliseconds > 0) text += QStringLiteral(", %1 so far").arg(durationText(at.milliseconds));
  if (!starting && at.silence > kSilent)
    text += QStringLiteral("; the engine says nothing since %1").arg(durationText(at.silence));
  return text;
}

}  // namespace

bool showsHistory(const DebugSession& debug) {
  return debug.state() == RunState::Stopped && (debug.stop().past || debug.replays());
}

QString pastText(const DebugSession& debug) {
  const QString past = debug.pastOf();
  return past.isEmpty() ? QString() : QStringLiteral(", of ") + past;
}

QString runStateText(const DebugSession& debug) {
  const StopInfo& stop = debug.stop();
  const QString why = stop.description.isEmpty() ? stop.reason : stop.description;
  switch (debug.state()) {
    case RunState::Off:
      return debug.failure() ? failureShort(*debug.failure()) : QStringLiteral("Not running");
    case RunState::Starting:
    case RunState::Running:
      return runningText(debug);
    case RunState::Stopped:
      if (debug.failure()) return failureShort(*debug.failure());
      return (showsHistory(debug) ? 'S' + stepText(debug).mid(1)
                                  : QStringLiteral("Paused: ") + (why.isEmpty() ? QStringLiteral("stopped") : why)) +
             pastText(debug);
    case RunState::Ended:
      if (debug.failure()) return failureShort(*debug.failure());
      if (debug.result() && debug.result()->comparison)
        return QStringLiteral("Ended: ") + comparisonText(*debug.result()->comparison) + pastText(debug);
      if (const RunResult* result = debug.result())
        return QStringLiteral("Ended: ") + resultTitle(*result) +
               (doubtful(*result) ? QStringLiteral("; ") + badOnTheWayText(*result->bad) : QString()) + pastText(debug);
      return (why.isEmpty() ? QStringLiteral("Ended") : QStringLiteral("Ended: ") + why) + pastText(debug);
    case RunState::Died:
      return QStringLiteral("Engine died: ") + debug.deathReport();
  }
  return {};
}

QString stepText(const DebugSession& debug) {
  if (debug.state() == RunState::Off || debug.stop().step < 0) return {};
  const QString text = QStringLiteral("step %1 of %2").arg(grouped(debug.stop().step), grouped(debug.recorded()));
  return showsHistory(debug) ? text + QStringLiteral(", history: nothing runs") : text;
}

QString nextText(const DebugSession& debug, const StageIndex* stage) {
  if (debug.state() != RunState::Stopped) return {};
  const auto words = [](const QString& name, int line) {
    return QStringLiteral("next: %1, line %2").arg(name, QString::number(line));
  };
  if (const BindingRow* next = stage ? nextBinding(*stage, debug) : nullptr) return words(next->called, next->line);
  // An exception stands at what was done.
  const StopInfo& stop = debug.stop();
  if (stop.variable.isEmpty() || stop.reason == QLatin1String("exception")) return {};
  return stop.line > 0 ? words(stop.called, stop.line) : QStringLiteral("next: ") + stop.called;
}

}  // namespace rx::views
