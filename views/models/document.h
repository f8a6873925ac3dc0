// The open module: its sources, its findings, and its pass history, with the work on it done by worker threads. No
// widgets.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/support/result.h"
#include "views/models/place.h"
#include "views/models/problem.h"
#include "views/models/stage_index.h"

namespace rx::views {

enum class Verdict : uint8_t { Unknown, WellFormed, IllFormed };
enum class StepState : uint8_t { Pending, Running, Done, Failed };

/// One row of the pass history. Row 0 is the module as imported.
struct StepRow {
  int number = 0;
  QString name;      // "imported", "LegalizeOps"
  QString language;  // that the stage is in, as it is written: "Relay"; empty where it is not known
  QString options;   // as in the pipeline text: "fuse_opt_level=1"
  QString help;      // one line
  QString file;      // of a folder of stages: the name of the stage's file
  StepState state = StepState::Pending;
  Verdict verdict = Verdict::Unknown;
  QString verdictReason;  // first finding of the well-formedness check
  struct Changed {
    QString function;
    int netBindings = 0;  // bindings after minus before
    bool added = false;
    bool removed = false;
  };
  std::vector<Changed> changed;  // empty when the pass changed nothing
  double milliseconds = -1;      // negative where it is not known
  qint64 nodes = 0;              // IR nodes after the pass
  qint64 bytes = -1;             // memory that the stage takes beside the one before; negative where it is not known
  /// Why the pass left a binding of the stage before as it is.
  struct Remark {
    QString function;
    int binding = -1;  // its ordinal
    QString variable;
    QString text;
  };
  std::vector<Remark> remarks;
  /// A change of the pipeline that lets the pass do what it left.
  struct Way {
    QString says;    // a sentence
    QString before;  // calls to put in front of the pass, as pipeline text; "FILE" is a file that is to be named
    QString config;  // else a key of the config to set, and
    QString value;   // to what, as pipeline text
  };
  std::vector<Way> ways;
  /// Bytes that the stage plans for the values of the function that plans the most; nothing where it plans none, or
  /// where a size is not known.
  std::optional<qint64> planned;
};

/// What long work says while it runs.
struct Progress {
  QString what;  // "Running passes: FuseOps"
  int done = 0;
  int total = 0;  // 0 when unknown
};

/// An interface, so that panels are tested with a document that is made up; LiveDocument is the real one.
class Document : public QObject {
  Q_OBJECT

 public:
  enum class State { Empty, Opening, Ready, Failed };
  Q_ENUM(State)
  /// What became of the files that were read, since they were.
  enum class FileState { AsRead, Changed, Gone };

  using QObject::QObject;

  virtual State state() const = 0;
  virtual QString path() const = 0;    // the module file, or the folder of a dumped history; empty when nothing is open
  virtual QString folder() const = 0;  // where samples keep params.npz and inputs.npz
  virtual QString title() const = 0;   // "module.py" or "mlp / module.py"
  virtual QString dialect() const = 0;          // era that the file was taken for: "v0.25 text"
  virtual QStringList moduleNames() const = 0;  // modules of the file; more than one lets the user choose
  virtual QString moduleName() const = 0;
  /// The language of the open module, as pipelines name it; empty for none.
  virtual QString language() const { return {}; }
  virtual QString sourceText() const = 0;  // the file as it was read
  /// Name of that file, as problems of the reader carry it; of a folder the first stage that can be read.
  virtual QString sourceFile() const { return path(); }
  /// The file that the last `open` or `reload` refused, and its text as far as there is one; empty when none was.
  virtual QString refusedFile() const { return {}; }
  virtual QString refusedText() const { return {}; }
  /// What fixes wrote differently from the file, a sentence each; empty while the text is the file's.
  virtual QStringList fixesMade() const { return {}; }
  /// Whether `fix` can do what the problem's fix says: it is exact, and stands in the text that is open or was refused.
  virtual bool canFix(const ProblemRow& /*problem*/) const { return false; }
  virtual bool isStale() const = 0;  // the file changed and its new text does not open: the previous module stays
  virtual FileState fileState() const { return FileState::AsRead; }
  /// The last read, done or refused, was one that nobody asked for: `followFile`.
  virtual bool readUnasked() const { return false; }

  /// Rows of the pass history; row 0 exists as soon as a module is open.
  virtual const std::vector<StepRow>& steps() const = 0;
  /// The last stage whose module exists.
  virtual int lastStage() const = 0;
  /// Views of a stage. Null while it is not built yet: it is then built and `stageReady` follows. `requestStages`
  /// false only looks.
  virtual StageIndexPtr stage(int number, bool request = true) = 0;
  /// The text of a long stage whose rows are still being made: an index without functions. Null otherwise; `textReady`
  /// says when it is there.
  virtual StageIndexPtr stageText(int /*number*/) const { return nullptr; }
  /// The pipeline that `steps` come from, as pipeline text.
  virtual QString pipeline() const = 0;
  /// The pipeline before the last change, and the one that was there before a change was taken back: setPipeline with
  /// one of them walks the list of changes. Null texts at its ends.
  virtual QString pipelineBefore() const { return {}; }
  virtual QString pipelineAfter() const { return {}; }
  /// What the passes compile for, as it was given; empty for this machine.
  virtual QString target() const { return {}; }
  /// Changes that; the passes run again. Why it is refused, empty where it is not.
  virtual QString setTarget(const QString& /*text*/) { return tr("the passes run for this machine alone"); }
  /// How many of its parameters the user said are inputs of a function, as `rxs --num-input` takes it: "main=3". Stages
  /// then say so with num_input.
  virtual QStringList inputCounts() const { return {}; }
  /// Says it for one function, or with a count below 0 takes it back; the passes run again. Why it is refused, empty
  /// where it is not.
  virtual QString setInputCount(const QString& /*function*/, int /*count*/) {
    return tr("the stages are shown as they were read");
  }
  /// False for a history read from a folder of dumps, which can not be run again.
  virtual bool canRunPasses() const = 0;

  /// The module of another file that stages are compared with; null when there is none.
  virtual StageIndexPtr other() const { return nullptr; }
  /// Why the last `readOther` failed, in a sentence; empty when it did not.
  virtual QString otherError() const { return {}; }

  virtual const std::vector<ProblemRow>& problems() const = 0;
  /// Why the last `open` failed, in a sentence; empty when it did not.
  virtual QString openError() const = 0;
  /// Why the last `setPipeline` was refused; empty when it was not. The old pipeline then stays.
  virtual QString pipelineError() const = 0;
  virtual bool busy() const = 0;
  virtual Progress progress() const = 0;

  /// The `rxs` command that does what the window shows of the selected stage.
  virtual QString commandLine(int stage) const = 0;
  /// File with the module as the engine takes it: the open file, or a copy of its text where the file has changed
  /// since. Of a folder of stages it is the module of a stage, which is compiled as it is; a stage that could not be
  /// read gives way to the first that could.
  virtual QString programPath(int stage = 0) = 0;
  /// What `rxs` needs behind a verb to work on the open module: the file, `--module` where it holds several, `--passes`
  /// where the pipeline is not the default one.
  virtual QStringList programArguments(int stage = 0) { return {programPath(stage)}; }
  /// Runs the passes that did not run yet and answers, later, with a file of the module and all that they made of it,
  /// which the engine takes as it is; or with what a pass failed with, or why nothing came of it. Only where
  /// canRunPasses(). Nobody answers a `context` that is gone.
  virtual void writeStages(QObject* context, std::function<void(Result<QString>)> answer) = 0;
  /// The imported module as JSON of the IR, for an engine that sees no file of this machine.
  virtual void moduleJson(QObject* /*context*/, std::function<void(const QString&)> answer) { answer({}); }

 public Q_SLOTS:
  /// Opens a module file, a sample folder (module.py inside) or a folder of dumped stages. What was open stays until
  /// the new one is there, and stays when it fails; then `openFailed` tells why.
  virtual void open(const QString& path, const QString& moduleName = {}) = 0;
  /// Place to go to when the file that is being opened is there.
  virtual void openAt(const rx::views::Place& place) = 0;
  /// The file again, the place and the pass history kept as far as they still exist.
  virtual void reload() = 0;
  /// The same because the file changed, which nobody asked for.
  virtual void followFile() { reload(); }
  /// Writes what the fixes of these problems say into the text that is open or was refused, and reads that: the file
  /// stays as it is. Problems that can not be fixed are left out.
  virtual void fix(const std::vector<rx::views::ProblemRow>& /*problems*/) {}
  /// The text as it was before the last `fix`.
  virtual void undoFix() {}
  /// Reads another file to compare with, `otherChanged` follows; an empty path forgets it.
  virtual void readOther(const QString& /*path*/) {}
  virtual void close() = 0;
  /// Runs the pipeline as far as stage `number`; stages beyond it stay pending.
  virtual void runPassesTo(int number) = 0;
  virtual void setPipeline(const QString& pipeline) = 0;
  /// Checks that a stage is well-formed; its findings become problems of that stage.
  virtual void checkStage(int number) = 0;
  virtual void cancel() = 0;
  /// Findings of others (weights, engine) shown with ours; replaces earlier ones of the same source.
  virtual void setProblems(const QString& source, const std::vector<rx::views::ProblemRow>& problems) = 0;

 Q_SIGNALS:
  void stateChanged();
  void opened();  // another module is there (or the same one again after a reload)
  void openFailed(const QString& path, const QString& reason);
  void stepsChanged();
  void stageReady(int stage);
  void textReady(int stage);  // stageText has it; stageReady follows
  void otherChanged();
  void problemsChanged();
  void progressChanged();
  void fileChanged(const QString& path);  // fileState() is another, or the file has changed again
};

}  // namespace rx::views
