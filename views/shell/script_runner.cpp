#include "views/shell/script_runner.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QPixmap>
#include <utility>

#include "views/models/output_bytes.h"
#include "views/panels/panel.h"
#include "views/shell/main_window.h"
#include "views/shell/script_keys.h"

namespace rx::views {
namespace {

constexpr qint64 kLimit = 30000;  // milliseconds for one line
constexpr int kPoll = 5;
constexpr int kMoment = 400;   // milliseconds of work that `begin` waits for
constexpr int kCalmPolls = 3;  // settled this often in a row: queued signals have run in between

QString makeFolder(const QString& path) {
  const QDir folder = QFileInfo(path).absoluteDir();
  return folder.mkpath(".") ? QString() : QStringLiteral("%1: the folder can not be made").arg(folder.path());
}

}  // namespace

QStringList scriptWords(const QString& line, QString* error) {
  QStringList words;
  QString word;
  bool quoted = false;
  bool begun = false;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QChar c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      begun = true;
    } else if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (c.isSpace() && !quoted) {
      if (begun) words << word;
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words << word;
  *error = quoted ? QStringLiteral("a quote is not closed") : QString();
  return words;
}

ScriptRunner::ScriptRunner(MainWindow* window, const QString& name, const QString& text, QObject* parent)
    : QObject(parent), window_(window), name_(name), lines_(text.split('\n')) {
  timer_.setInterval(kPoll);
  connect(&timer_, &QTimer::timeout, this, &ScriptRunner::poll);
}

void ScriptRunner::start() { QTimer::singleShot(0, this, &ScriptRunner::next); }

void ScriptRunner::next() {
  while (line_ < lines_.size()) {
    const QString text = lines_[line_].trimmed();
    ++line_;
    if (text.isEmpty() || text.startsWith('#')) continue;
    QString error;
    QStringList words = scriptWords(text, &error);
    wantsFailure_ = words.size() > 1 && words[0] == "fails";
    if (!error.isEmpty()) return endLine(error);
    if (wantsFailure_) words.removeFirst();
    return begin(words);
  }
  finish();
}

void ScriptRunner::begin(const QStringList& words) {
  const QStringList arguments = words.mid(1);
  command_ = nullptr;
  clock_.start();
  calm_ = 0;
  struct Verb {
    const char* name;
    QString (ScriptRunner::*run)(const QStringList& arguments);
  };
  static constexpr Verb kVerbs[] = {{"screenshot", &ScriptRunner::screenshot}, {"expect", &ScriptRunner::expect}};
  // What keys set off goes on after them: their line ends when the window has settled.
  static constexpr Verb kInputs[] = {{"key", &ScriptRunner::key}, {"type", &ScriptRunner::type}};
  for (const Verb& verb : kInputs) {
    if (words[0] != QLatin1String(verb.name)) continue;
    const QString problem = (this->*verb.run)(arguments);
    if (!problem.isEmpty()) return endLine(problem);
    return timer_.start();
  }
  for (const Verb& verb : kVerbs) {
    if (words[0] == QLatin1String(verb.name)) return endLine((this->*verb.run)(arguments));
  }
  if (words[0] == "quit") {
    line_ = static_cast<int>(lines_.size());
    return finish();
  }
  if (words[0] == "dump" || words[0] == "shows") {
    shows_ = words[0] == "shows";
    if (arguments.size() != 2)
      return endLine(shows_ ? QStringLiteral("shows PANEL TEXT") : QStringLiteral("dump PANEL PATH"));
    if (Panel* panel = window_->panel(arguments[0])) panel->bringUpToDate();
    dumped_ = arguments;  // written as soon as the panel shows what it has to, also where it is behind others
    timer_.start();
    return;
  }
  const bool stays = words[0] != "begin" || arguments.isEmpty();
  const QString id = stays ? words[0] : arguments[0];
  command_ = findCommand(id);
  if (!command_) return endLine(QStringLiteral("there is no command %1").arg(id));
  if (!window_->run(id, stays ? arguments : arguments.mid(1))) return endLine(window_->lastError());
  if (stays) return timer_.start();
  command_ = nullptr;
  QTimer::singleShot(kMoment, this, [this] { endLine({}); });
}

void ScriptRunner::poll() {
  const Panel* panel = dumped_.isEmpty() ? nullptr : window_->panel(dumped_[0]);
  calm_ = window_->settled() && !(panel && panel->busy()) ? calm_ + 1 : 0;
  if (calm_ >= kCalmPolls) {
    timer_.stop();
    if (!dumped_.isEmpty()) {
      const QStringList asked = std::exchange(dumped_, {});
      return endLine(shows_ ? shows(asked) : dump(asked));
    }
    QString error = command_ && command_->outcome ? command_->outcome(window_->desk()) : QString();
    if (error.isEmpty() && command_ && qstrncmp(command_->id, "export.", 7) == 0) error = window_->toolError();
    return endLine(error);
  }
  if (clock_.elapsed() > kLimit) {
    timer_.stop();
    endLine(QStringLiteral("not settled after 30 s: %1").arg(window_->statusText()));
  }
}

void ScriptRunner::endLine(const QString& problem) {
  const QString text = lines_[line_ - 1].trimmed();
  const QString error = !wantsFailure_ ? problem : problem.isEmpty() ? QStringLiteral("it did not fail") : QString();
  if (!error.isEmpty()) {
    failed_ = true;
    report_ << QStringLiteral("%1:%2: %3: %4").arg(name_, QString::number(line_), text, error);
    Q_EMIT reported(report_.last());
    return finish();
  }
  report_
      << QStringLiteral("%1:%2: %3: %4 ms").arg(name_, QString::number(line_), text, QString::number(clock_.elapsed()));
  Q_EMIT reported(report_.last());
  QTimer::singleShot(0, this, &ScriptRunner::next);
}

void ScriptRunner::finish() {
  if (done_) return;
  done_ = true;
  Q_EMIT finished(!failed_);
}

QString ScriptRunner::screenshot(const QStringList& arguments) {
  if (arguments.size() != 1) return QStringLiteral("screenshot PATH");
  if (const QString refused = makeFolder(arguments[0]); !refused.isEmpty()) return refused;
  QApplication::processEvents();
  QBuffer picture;
  return window_->picture().save(&picture, "PNG") ? writeOutput(arguments[0], picture.data())
                                                  : QStringLiteral("%1 can not be written").arg(arguments[0]);
}

QString ScriptRunner::expect(const QStringList& arguments) {
  const QString wanted = arguments.join(' ');
  const QString status = window_->statusText();
  return status.contains(wanted, Qt::CaseInsensitive) ? QString() : QStringLiteral("the status is: %1").arg(status);
}

QString ScriptRunner::key(const QStringList& arguments) {
  return arguments.size() == 1 ? pressKeys(window_, arguments[0]) : QStringLiteral("key KEYS");
}

QString ScriptRunner::type(const QStringList& arguments) {
  return arguments.size() == 1 ? typeText(window_, arguments[0]) : QStringLiteral("type TEXT");
}

QString ScriptRunner::shows(const QStringList& arguments) {
  constexpr qsizetype kQuoted = 2000;
  const QString text = window_->dump(arguments[0]);
  if (text.isNull())
    return QStringLiteral("there is no panel %1; there are: %2").arg(arguments[0], window_->panelIds().join(", "));
  if (text.contains(arguments[1])) return {};
  return QStringLiteral("%1 shows:\n%2").arg(arguments[0], text.left(kQuoted));
}

QString ScriptRunner::dump(const QStringList& arguments) {
  const QString text = window_->dump(arguments[0]);
  if (text.isNull())
    return QStringLiteral("there is no panel %1; there are: %2").arg(arguments[0], window_->panelIds().join(", "));
  if (const QString refused = makeFolder(arguments[1]); !refused.isEmpty()) return refused;
  return writeOutput(arguments[1], text.toUtf8() + '\n');
}

}  // namespace rx::views
