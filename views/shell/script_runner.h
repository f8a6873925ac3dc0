// Runs a script: one command a line with its arguments. A line ends when its command has settled (engine stopped,
// workers idle) or fails after 30 s. Beside the command table it knows screenshot, expect, dump and quit; `key KEYS`
// and `type TEXT`, which go to what has the focus; `shows PANEL TEXT`, which fails where the panel does not show the
// text; `fails COMMAND ...` is a line that goes on only where its command fails, `begin COMMAND ...` one that goes on
// while its command is at work, after a moment in which that can be seen.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include "views/shell/command.h"

namespace rx::views {

class MainWindow;

/// The words of a line; double quotes keep blanks, a backslash keeps the next character. `#` starts a comment line.
QStringList scriptWords(const QString& line, QString* error);

class ScriptRunner : public QObject {
  Q_OBJECT

 public:
  ScriptRunner(MainWindow* window, const QString& name, const QString& text, QObject* parent = nullptr);
  void start();
  /// The lines that follow act on another window (another tab is shown).
  void setWindow(MainWindow* window) { window_ = window; }
  bool failed() const { return failed_; }
  /// Lines that ran, and what went wrong: "script:3: file.open x: there is no such file".
  const QStringList& report() const { return report_; }

 Q_SIGNALS:
  /// A line of the report, as soon as its command has settled.
  void reported(const QString& line);
  void finished(bool ok);

 private:
  void next();
  void poll();
  void begin(const QStringList& words);
  void endLine(const QString& problem);
  void finish();
  QString screenshot(const QStringList& arguments);
  QString expect(const QStringList& arguments);
  QString dump(const QStringList& arguments);
  QString key(const QStringList& arguments);
  QString type(const QStringList& arguments);
  QString shows(const QStringList& arguments);
  MainWindow* window_;
  QString name_;
  QStringList lines_;
  QStringList report_;
  int line_ = 0;
  const Command* command_ = nullptr;
  QStringList dumped_;  // panel and path of a `dump`, or panel and text of a `shows`, that waits for the panel
  bool shows_ = false;  // it is a `shows`
  QElapsedTimer clock_;
  QTimer timer_;
  int calm_ = 0;
  bool wantsFailure_ = false;
  bool failed_ = false;
  bool done_ = false;
};

}  // namespace rx::views
