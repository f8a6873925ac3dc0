// Above the stages of a kernel: how far tuning it is, and what it came to.
#pragma once

#include <QWidget>

#include "views/models/tool_job.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace rx::views {

/// What was measured of a kernel: a line of the file that `rxs tune` writes each.
struct TuneTrials {
  int count = 0;
  double untuned = 0, best = 0;  // microseconds of a call; 0 where it was not measured
  QString choices;               // of the best; empty where the rules' own are the best
};
/// Those of a kernel behind `from` bytes of such a file, damaged lines left out.
TuneTrials readTrials(const QByteArray& file, const QString& kernel, qsizetype from = 0);

class KernelTune : public QWidget {
  Q_OBJECT

 public:
  explicit KernelTune(QWidget* parent = nullptr);
  /// Where what is measured is kept, for all kernels of this machine.
  static QString database();
  /// Measures at most so many variants of the one kernel of a module in a file, with `sizes` of its symbolic variables
  /// as rxs takes them. The answer is empty, or why not.
  QString start(const QString& kernel, const QString& file, int trials, const QStringList& sizes);
  /// What was measured stays, and a later start goes on from there; false where nothing is measured.
  bool cancel();
  bool busy() const { return job_->busy(); }
  /// What is said is of another kernel than the one that is shown: it goes, unless it still works.
  void showFor(const QString& kernel);
  /// A variant is quicker than what the rules do by themselves.
  bool foundQuicker(const QString& kernel) const { return quicker_ && kernel == kernel_; }
  QString said() const;

 Q_SIGNALS:
  void finished();
  void goOn();
  /// The stages of what is quickest are wanted, or those of the rules.
  void useChanged(bool use);
  /// The pipeline of the window is to schedule with what was found.
  void pipelineWanted();

 private:
  /// Since the start.
  TuneTrials measured() const;
  void look();
  void ended(const QString& output);
  QString kernel_;
  qsizetype before_ = 0;  // bytes of the file at the start
  int trials_ = 0;
  bool quicker_ = false;
  ToolJob* job_;
  QLabel* words_;
  QProgressBar* bar_;
  QToolButton* cancel_;
  QToolButton* more_;
  QToolButton* use_;
  QToolButton* pipeline_;
};

}  // namespace rx::views
