// What shows outside of the window what is open: as the arguments of rxs, and as a line of a shell.
#include <algorithm>

#include "core/compile/request/passes.h"
#include "views/models/place.h"
#include "views/session/live_document.h"
#include "views/theme/qt_text.h"

namespace rx::views {

QString LiveDocument::commandLine(int stage) const {
  if (state_ != State::Ready) return {};
  QString line = "rxs ";
  const QString module = opened_.moduleNames.size() > 1 ? " --module " + shellWord(opened_.moduleName) : QString();
  if (opened_.isHistory) {
    const size_t at = static_cast<size_t>(std::clamp(stage, 0, lastStage_));
    return line + "print " + shellWord(opened_.path) + " --stage " + QString::number(at);
  }
  QString counts;
  for (const QString& count : inputCounts()) counts += " --num-input " + shellWord(count);
  if (stage <= 0) return line + "print " + shellWord(opened_.path) + module + counts;
  QStringList calls;
  for (int i = 0; i < stage && i < static_cast<int>(calls_.size()); ++i)
    calls << qtText(calls_[static_cast<size_t>(i)].text());
  const QString machine = targetText_.isEmpty() ? QString() : " --target " + shellWord(targetText_);
  return line + "opt " + shellWord(opened_.path) + module + counts + machine + " --passes " +
         shellWord(calls.join(", "));
}

QStringList LiveDocument::programArguments(int stage) {
  QStringList words = {programPath(stage)};
  if (opened_.moduleNames.size() > 1) words << "--module" << opened_.moduleName;
  for (const QString& count : inputCounts()) words << "--num-input" << count;
  if (canRunPasses() && pipeline() != qtText(compile::defaultPipeline())) words << "--passes" << pipeline();
  return words;
}

QStringList LiveDocument::inputCounts() const {
  QStringList said;
  for (const auto& [function, count] : inputCounts_) said << QStringLiteral("%1=%2").arg(function).arg(count);
  return said;
}

}  // namespace rx::views
