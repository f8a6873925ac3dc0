// relaxscope: the window. `relaxscope [FILES] [--script FILE] [--size 1280x800] [--scale 1.5] [--theme light|dark]`.
#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QScreen>
#include <QStyle>
#include <QTextStream>
#include <QTimer>
#include <QUrl>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "app/window/live_workplace.h"
#include "app/window/manual_text.h"
#include "views/shell/main_window.h"
#include "views/shell/script_runner.h"
#include "views/shell/single_instance.h"

namespace {

using namespace rx::views;

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

int wrongUse(const QString& text) {
  std::fprintf(stderr, "relaxscope: %s\n", qPrintable(text));
  return kWrongUse;
}

/// The scale must be known before Qt starts, so this option is read from the raw arguments.
QString scaleArgument(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const QString argument = QString::fromLocal8Bit(argv[i]);
    if (argument.startsWith("--scale=")) return argument.mid(8);
    if (argument == "--scale" && i + 1 < argc) return QString::fromLocal8Bit(argv[i + 1]);
  }
  return {};
}

/// Help and version are text: they are answered where there is no display too.
bool wantsOnlyText(int argc, char** argv) {
  constexpr std::string_view kTexts[] = {"--help", "-h", "--help-all", "--version", "-v", "--manual"};
  char** const end = std::find(argv + 1, argv + argc, std::string_view("--"));
  return std::any_of(argv + 1, end, [&](const char* argument) {
    return std::find(std::begin(kTexts), std::end(kTexts), argument) != std::end(kTexts);
  });
}

bool readSize(const QString& text, QSize* size) {
  const QStringList parts = text.split('x');
  bool wide = false;
  bool high = false;
  if (parts.size() != 2) return false;
  *size = QSize(parts[0].toInt(&wide), parts[1].toInt(&high));
  constexpr int kLeast = 200;
  constexpr int kMost = 16000;
  return wide && high && size->width() >= kLeast && size->height() >= kLeast && size->width() <= kMost &&
         size->height() <= kMost;
}

struct Options {
  QStringList files;
  QString script;
  QString scriptText;
  QString theme;
  QSize size;
};

/// What this program writes of itself when it is built: --manual with "man" or the name of a shell.
QCommandLineOption manualOption() {
  QCommandLineOption option("manual", "Writes a text for man or a shell.", "WHAT");
  option.setFlags(QCommandLineOption::HiddenFromHelp);
  return option;
}

/// Reads the command line; the answer is empty, or what is wrong with it.
QString readOptions(const QCoreApplication& application, Options* options) {
  const QString help = "See, step and ship Relax modules.";
  const QString files = "module files, sample folders, folders of stages, or a relaxscope:// link";
  QCommandLineParser parser;
  parser.setApplicationDescription(help);
  QList<QCommandLineOption> all{parser.addHelpOption(), parser.addVersionOption()};
  parser.addPositionalArgument("FILES", files);
  const QList<QCommandLineOption> own{
      {"script", "Runs the commands of a file, one a line, and ends with 0 when all succeeded.", "FILE"},
      {"size", "Size of the window in device-independent pixels.", "WIDTHxHEIGHT"},
      {"scale", "Scale of everything on screen, also fractional.", "FACTOR"},
      {"theme", "light or dark.", "THEME"},
      manualOption()};
  parser.addOptions(own);
  parser.process(application);
  if (parser.isSet("manual")) {
    const QString text = manualText(parser.value("manual"), help, files, all + own);
    if (text.isNull()) return "--manual is man, or the name of a shell";
    std::fputs(qPrintable(text), stdout);
    return {};
  }
  options->files = parser.positionalArguments();
  options->script = parser.value("script");
  options->theme = parser.value("theme");
  if (parser.isSet("theme") && options->theme != "light" && options->theme != "dark") return "--theme is light or dark";
  if (parser.isSet("size") && !readSize(parser.value("size"), &options->size))
    return "--size is WIDTHxHEIGHT, 200 to 16000 each";
  if (!parser.isSet("script")) return {};
  QFile file(options->script);
  if (!file.open(QIODevice::ReadOnly)) return options->script + ": " + file.errorString();
  options->scriptText = QString::fromUtf8(file.readAll());
  return {};
}

/// What the window can take of its screen, below its own title.
QSize roomFor(const QWidget& window) {
  const QSize screen = window.screen()->availableSize();
  return {screen.width(), screen.height() - window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window)};
}

void openFiles(DocumentTabs& tabs, const QStringList& files, bool restore) {
  if (files.isEmpty() && restore) tabs.restoreLast();
  for (const QString& argument : files) {
    // A desktop gives files as URLs.
    const QString file = argument.startsWith("file:") ? QUrl(argument).toLocalFile() : argument;
    if (isLink(file)) {
      tabs.showLink(file);
    } else if (argument != files.first()) {
      tabs.openTab(file);
    } else {
      // Who started the program looks elsewhere until it is there: a refusal waits to be read.
      MainWindow& window = tabs.current();
      if (!window.run(file.endsWith(".rxsession") ? "session.open" : "file.open", {file}))
        window.sayFailed(window.lastError());
    }
  }
}

/// Links that the window that runs has not taken, where all that is to be opened are links: all of them where none
/// runs. Nothing where other files are among them.
std::optional<QStringList> notTaken(const QStringList& files) {
  if (files.isEmpty() || !std::all_of(files.begin(), files.end(), isLink)) return std::nullopt;
  QStringList left;
  for (const QString& link : files)
    if (!sendLink(linkSocket(), link)) left << link;
  return left;
}

/// The first start: the tour where nothing was asked for. Else what is opened offers it.
void welcome(MainWindow& window, bool nothingAsked) {
  if (nothingAsked && !window.desk().settings.value("tourSeen", false).toBool()) window.run("help.tour");
}

int runScript(DocumentTabs& window, const Options& options) {
  ScriptRunner runner(&window.current(), options.script, options.scriptText);
  QObject::connect(&window, &DocumentTabs::currentChanged, &runner, [&] { runner.setWindow(&window.current()); });
  QObject::connect(&runner, &ScriptRunner::reported, &window, [&](const QString& line) {
    std::fprintf(runner.failed() ? stderr : stdout, "%s\n", qPrintable(line));
    std::fflush(stdout);
  });
  QObject::connect(&runner, &ScriptRunner::finished, &window, [&](bool ok) {
    window.close();
    QCoreApplication::exit(ok ? 0 : kFailed);
  });
  // The script begins when the files of the command line are open.
  auto* wait = new QTimer(&window);
  QObject::connect(wait, &QTimer::timeout, &window, [&, wait] {
    if (!window.current().settled()) return;
    wait->stop();
    runner.start();
  });
  wait->start(10);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && wantsOnlyText(argc, argv)) {
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName("relaxscope");
    QCoreApplication::setApplicationVersion(RX_VERSION);
    Options options;
    if (const QString wrong = readOptions(application, &options); !wrong.isEmpty()) return wrongUse(wrong);
    return 0;
  }
  const QString scale = scaleArgument(argc, argv);
  if (!scale.isEmpty()) {
    bool ok = false;
    const double factor = scale.toDouble(&ok);
    if (!ok || factor < 0.25 || factor > 4) return wrongUse("--scale is a factor from 0.25 to 4");
    qputenv("QT_SCALE_FACTOR", scale.toUtf8());
  }
  QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
  QApplication application(argc, argv);
  QApplication::setOrganizationName("relaxscope");
  QApplication::setApplicationName("relaxscope");
  QGuiApplication::setDesktopFileName("relaxscope");
  QApplication::setApplicationVersion(RX_VERSION);
  Options options;
  if (const QString wrong = readOptions(application, &options); !wrong.isEmpty()) return wrongUse(wrong);

  const bool scripted = !options.scriptText.isNull() && !options.script.isEmpty();
  for (QString& file : options.files) {
    if (!isLink(file)) continue;
    // The window that shows it may have been started in another folder.
    const QString link = absoluteLink(file);
    if (link.isEmpty()) return wrongUse(file + ": this is not a relaxscope:// link");
    file = link;
  }
  if (const auto left = scripted ? std::nullopt : notTaken(options.files);
      left && left->size() < options.files.size()) {
    for (const QString& link : *left)
      std::fprintf(stderr, "%s: the window that runs did not take this link\n", qPrintable(link));
    return left->isEmpty() ? 0 : kFailed;
  }
  Settings settings(scripted ? Settings::Keep::InMemory : Settings::Keep::OnDisk);
  if (!options.theme.isEmpty()) settings.setTheme(options.theme);
  if (scripted && options.theme.isEmpty()) settings.setTheme("light");
  DocumentTabs window(&settings,
                      [&settings, scripted] { return std::make_unique<LiveWorkplace>(&settings, !scripted); });
  if (options.size.isValid() && !options.size.isEmpty())
    window.resize(options.size);
  else if (!scripted)  // which sees the same window on every screen
    window.resize(window.size().boundedTo(roomFor(window)));
  window.show();
  LinkServer links;
  QObject::connect(&links, &LinkServer::linkArrived, &window, &DocumentTabs::showLink);
  if (!scripted) links.listen(linkSocket());
  openFiles(window, options.files, !scripted);
  if (!scripted) welcome(window.current(), options.files.isEmpty());
  return scripted ? runScript(window, options) : QApplication::exec();
}
