// Whether the run that is shown is still of what there is: the text, the pipeline, the target and the files with its
// arguments. What is past is grey everywhere, and says what it is of.
#pragma once

#include <QObject>
#include <QString>

namespace rx::views {

class DebugSession;

/// An object below the session that it is about; a session without one is never past.
class RunAge : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  /// What the run is of, where that is not what there is now: "another pipeline", "module.py before it changed"; empty
  /// where it is. The session's `stopChanged` follows a change.
  virtual QString pastOf() const = 0;
  /// Whether a stage of the document is one of the run: values at places of others can not be asked for.
  virtual bool knowsStage(int stage) const = 0;
};

QString pastOf(const DebugSession& debug);
bool knowsStage(const DebugSession& debug, int stage);

}  // namespace rx::views
