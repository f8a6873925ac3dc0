// Pages for an issue tracker: a stage, a difference or a value as one HTML file without scripts, in the window's
// colours.
#pragma once

#include <functional>

#include "views/shell/desk.h"
#include "views/text/html.h"
#include "views/theme/palette.h"

namespace rx::views {

/// Where what is shown comes from, taken on the window's thread.
struct PageFacts {
  QString title;    // "mlp / module.py"
  QString dialect;  // "v0.25 text"
  QString command;  // the rxs command that makes it, for the folder that holds the module's
  QString run;      // the one that makes its values; empty where nothing ran
  QString link;     // relaxscope://… to the place, with the file's name
  QString function;
  int step = -1;       // of the run that is shown
  QStringList passes;  // names of the stages, by number
  const Palette* theme = nullptr;
};
PageFacts pageFacts(const Desk& desk);

/// The part of a tensor that its page has: the last two axes around the first NaN or Inf, else from the start.
struct ValueWindow {
  std::vector<qint64> begin;
  std::vector<qint64> extent;
};
ValueWindow windowOf(const ValueSummary& value);

/// The values of a run of the stage by line, as they stand beside its text; of a very long one those of its beginning.
HtmlNotes valuesBeside(const Desk& desk, const StageIndexPtr& stage);
/// What makes the pages; for a worker thread, since a stage can be large.
std::function<QByteArray()> stagePage(const PageFacts& facts, const StageIndexPtr& stage, const HtmlNotes& values);
std::function<QByteArray()> diffPage(const PageFacts& facts, const StageIndexPtr& before, const StageIndexPtr& after);
std::function<QByteArray()> valuePage(const PageFacts& facts, const ValueSummary& value, const TensorSlice& slice);

}  // namespace rx::views
