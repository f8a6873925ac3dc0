// Changes of the pipeline that let passes do what they left, as the passes themselves say them. They stand beside the
// rows of a document, by the stage that a pass made.
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <vector>

namespace rx::views {

struct WayForward {
  QString says;    // a sentence
  QString before;  // calls to put in front of the pass, as pipeline text; "FILE" is a file that is to be named
  QString config;  // else a key of the config to set, and
  QString value;   // to what, as pipeline text
};
using WaysForward = std::vector<WayForward>;

/// Those of the pass that made a stage of a document.
WaysForward waysForward(const QObject& document, int stage);
/// Keeps them, or forgets them where there are none.
void setWaysForward(QObject* document, int stage, const WaysForward& ways);

}  // namespace rx::views
