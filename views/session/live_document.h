// The document over the real core: reads, runs passes and builds stage views on worker threads.
#pragma once

#include <QPointer>
#include <QThreadPool>
#include <map>
#include <set>

#include "core/pass/runner.h"
#include "core/target/target.h"
#include "views/models/document.h"
#include "views/models/problem_list.h"
#include "views/models/scratch_folder.h"
#include "views/session/file_watch.h"
#include "views/session/module_reader.h"

namespace rx::views {

class LiveDocument : public Document {
  Q_OBJECT

 public:
  explicit LiveDocument(QObject* parent = nullptr);
  ~LiveDocument() override;

  State state() const override { return state_; }
  QString path() const override { return opened_.path; }
  /// The path that is being read, or, where none is, `path()`.
  QString pathToCome() const { return opening_ ? readingPath_ : opened_.path; }
  QString folder() const override { return opened_.folder; }
  QString title() const override { return opened_.title; }
  QString dialect() const override { return opened_.dialect; }
  QString language() const override;
  QStringList moduleNames() const override { return opened_.moduleNames; }
  QString moduleName() const override { return opened_.moduleName; }
  QString sourceText() const override { return opened_.sourceText; }
  QString sourceFile() const override { return opened_.file; }
  QString refusedFile() const override { return refusedFile_; }
  QString refusedText() const override { return refusedText_; }
  QStringList fixesMade() const override { return fixed_.empty() ? QStringList() : fixed_.back().made; }
  bool canFix(const ProblemRow& problem) const override;
  bool isStale() const override { return stale_; }
  FileState fileState() const override { return fileState_; }
  bool readUnasked() const override { return unasked_; }
  const std::vector<StepRow>& steps() const override { return steps_; }
  int lastStage() const override { return lastStage_; }
  StageIndexPtr stage(int number, bool request = true) override;
  StageIndexPtr stageText(int number) const override;
  QString target() const override { return targetText_; }
  QString setTarget(const QString& text) override;
  QStringList inputCounts() const override;
  QString setInputCount(const QString& function, int count) override;
  QString pipeline() const override { return pipelines_[pipeline_]; }
  QString pipelineBefore() const override { return pipeline_ > 0 ? pipelines_[pipeline_ - 1] : QString(); }
  QString pipelineAfter() const override {
    return pipeline_ + 1 < pipelines_.size() ? pipelines_[pipeline_ + 1] : QString();
  }
  StageIndexPtr other() const override { return other_; }
  QString otherError() const override { return otherError_; }
  bool canRunPasses() const override { return state_ == State::Ready && !opened_.isHistory; }
  const std::vector<ProblemRow>& problems() const override { return problems_.rows(); }
  QString openError() const override { return openError_; }
  QString pipelineError() const override { return pipelineError_; }
  bool busy() const override { return opening_ || target_ > lastStage_ || !building_.empty() || checking_ > 0; }
  Progress progress() const override { return progress_; }
  QString commandLine(int stage) const override;
  QString programPath(int stage = 0) override;
  QStringList programArguments(int stage = 0) override;
  void writeStages(QObject* context, std::function<void(Result<QString>)> answer) override;
  void moduleJson(QObject* context, std::function<void(const QString&)> answer) override;

  void open(const QString& path, const QString& moduleName = {}) override;
  void openAt(const Place& place) override { openPlace_ = place, hasOpenPlace_ = true; }
  void reload() override;
  void followFile() override;
  void fix(const std::vector<ProblemRow>& problems) override;
  void undoFix() override;
  void readOther(const QString& path) override;
  void close() override;
  void runPassesTo(int number) override;
  void setPipeline(const QString& pipeline) override;
  void checkStage(int number) override;
  void cancel() override;
  void setProblems(const QString& source, const std::vector<ProblemRow>& problems) override;

 Q_SIGNALS:
  /// The place to go to, after a file was opened through a link.
  void placeAsked(const rx::views::Place& place);

 private:
  /// A text that fixes made of a file's.
  struct Fixed {
    QString path;  // as it was asked for
    QString text;
    QStringList made;
  };
  void startReading(const QString& path, const QString& moduleName, bool again);
  /// The same place with the text that the fixes made so far give, or the file's own where there are none.
  void readFixed(const QString& path);
  void finishReading(OpenedModule opened, bool again);
  void adopt(OpenedModule opened);
  /// The rows of the pipeline; the first passes keep what they did.
  void resetSteps(size_t kept = 0);
  /// What the first passes did stays, all behind them is to be done again.
  void startAgainAt(size_t kept);
  /// Makes a text the pipeline: a neighbour in the list of changes, or a new one behind the one that holds.
  void turnTo(const QString& pipeline);
  /// Lets go of the module and its stages.
  void releaseAll();
  void runNextPass();
  void takeStep(int number, pass::StepRecord record);
  void checkDumped(size_t number, std::vector<Diagnostic> before);
  ir::Module moduleOf(int stage) const;
  /// What places in a stage's module point into.
  const SourceList& sourcesOf(int stage) const;
  StageIndexPtr refusedStage(int number);
  /// Builds the rows of a stage on a worker. A stage whose pass has not been taken yet waits for that.
  void buildRows(int number, ir::Module module);
  /// From the thread of the pass that made it: its rows begin while the pass is still being checked.
  void buildEarly(int number, int generation, const ir::Module& made);
  /// Keeps the text of a stage until its rows are there.
  void takeText(StageIndexPtr text);
  /// Says later that a stage is there.
  void announce(int number);
  /// What is being built is of no use any more: the generation has changed.
  void forgetBuilding();
  /// Answers writeStages where nothing more will come of the passes, or has the file written where all ran.
  void settleStages();
  void answerStages(Result<QString> answer);
  void watch();
  void noteFileChange(bool gone);
  void setProgress(const QString& what, int done, int total);

  State state_ = State::Empty;
  OpenedModule opened_;
  std::vector<StepRow> steps_;
  std::vector<pass::PassCall> calls_;
  std::vector<pass::StepRecord> records_;
  std::map<int, StageIndexPtr> stages_;
  StageIndexPtr other_;
  QString otherError_;
  std::set<int> building_;
  StageIndexPtr text_;   // of the stage among those being built that was printed last
  StageIndexPtr early_;  // rows of the stage behind the last one, whose pass is still being checked
  ProblemList problems_;
  QStringList pipelines_;   // one a change
  qsizetype pipeline_ = 0;  // the one that holds
  bool inherited_ = false;  // it is of the module that was open before
  QString pipelineError_;
  QString targetText_;                  // what the passes compile for, empty for this machine
  target::TargetRef machine_;           // the same, read
  ir::Module read_;                     // the module as it was read, without inputCounts_
  std::map<QString, int> inputCounts_;  // that the user said, by function
  QString openError_;
  QString refusedFile_;
  QString refusedText_;
  QString refusedPath_;       // as it was asked for; empty where no text of it can be fixed
  std::vector<Fixed> fixed_;  // one after the other
  Progress progress_;
  CancelToken cancelToken_;
  int lastStage_ = 0;
  int target_ = 0;
  int checking_ = 0;
  int generation_ = 0;                   // of the module: work for an older one is thrown away
  int reading_ = 0;                      // number of the newest read
  std::vector<Diagnostic> passFailure_;  // of the pass that ended the last run of passes; empty where none did
  QPointer<QObject> stagesFor_;          // who waits for writeStages, and for what
  std::function<void(Result<QString>)> stagesAnswer_;
  QString stagesFile_;         // the last one written
  int stagesGeneration_ = -1;  // whose stages it holds
  bool opening_ = false;
  QString readingPath_;  // while opening_
  bool stale_ = false;
  bool unasked_ = false;  // the last read
  FileState fileState_ = FileState::AsRead;
  bool hasOpenPlace_ = false;
  Place openPlace_;
  QThreadPool pool_;
  FileWatch files_;
  ScratchFolder copies_;
};

}  // namespace rx::views
