// The age of the runs of a session: what each was made of when it began, against the document and the files now.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "views/session/file_watch.h"

namespace rx::views {

class DebugSession;
class Document;

class LiveRunAge : public QObject {
  Q_OBJECT

 public:
  /// Below the session that it is about; the document outlives both.
  LiveRunAge(Document* document, DebugSession* debug);
  /// As DebugSession has both.
  QString pastOf() const { return past_; }
  bool knowsStage(int stage) const;
  /// Whether the document has another text than the one that the run is of.
  bool isOfOtherText() const;

 private:
  /// A run begins of what there is now; the passes of its stages may not have run yet.
  void begin();
  void end();
  QString find() const;
  /// Another age: the run goes back to a stage that it has in common with the document, and is shown anew.
  void look();
  QStringList passes() const;
  Document* document_;
  DebugSession* debug_;
  bool runs_ = false;
  QString text_;
  QString pipeline_;
  QString target_;
  QStringList passes_;  // with their options, in order; the import is the first
  std::vector<std::unique_ptr<FileWatch>> watched_;
  QString changedFile_;  // name of the first file of arguments that is another by now
  QString past_;
  QString looked_;  // the pipeline of the document when it was looked at last
};

}  // namespace rx::views
