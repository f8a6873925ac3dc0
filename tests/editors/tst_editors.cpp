// What editors/ holds for other clients: it says what the engine says of itself, and a real client gets along with it.
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kRxs = RX_BINARY_DIR "/bin/rxs";

QString editors(const char* file) { return QString(RX_SOURCE_DIR "/editors/") + file; }

QByteArray text(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Json json(const QString& path) { return Json::parse(text(path).toStdString(), nullptr, false); }

/// Standard output and error of a program that ends well; else why it does not.
QByteArray said(const QString& program, const QStringList& arguments, const QString& folder = {}) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.setWorkingDirectory(folder);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  // An editor keeps what it likes in there.
  if (!folder.isEmpty()) environment.insert("HOME", folder);
  process.setProcessEnvironment(environment);
  process.start(program, arguments);
  if (!process.waitForFinished(60000)) return "does not end: " + process.readAll();
  return process.exitCode() == 0 ? process.readAll() : "fails: " + process.readAll();
}

}  // namespace

class TestEditors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The arguments of `launch` are written once, in core/dap/launch_arguments.def; these are copies of what it makes.
  void launchArguments() {
    const Json schema = Json::parse(said(kRxs, {"dap", "--print-launch", "json"}).toStdString(), nullptr, false);
    const Json package = json(editors("vscode/package.json"));
    QVERIFY(schema.is_object() && package.is_object());
    const Json& attributes = package["contributes"]["debuggers"][0]["configurationAttributes"]["launch"];
    QCOMPARE(attributes["required"], schema["required"]);
    for (const auto& [name, property] : schema["properties"].items())
      QVERIFY2(attributes["properties"].contains(name) && attributes["properties"][name] == property, name.c_str());
    // Beside them what the extension itself takes.
    for (const auto& [name, property] : attributes["properties"].items())
      if (!schema["properties"].contains(name))
        QVERIFY2(text(editors("vscode/extension.js")).contains(name.c_str()), name.c_str());
    const QByteArray table = said(kRxs, {"dap", "--print-launch", "markdown"});
    QVERIFY(table.count('\n') > 20);
    QVERIFY(text(editors("README.md")).endsWith(table));
    QVERIFY(said(kRxs, {"dap", "--help"}).contains("stopOnEntry (boolean)"));
    QVERIFY(said(kRxs, {"dap", "--print-launch", "poem"}).startsWith("fails"));
  }

  void settingsNameTheEngine() {
    const Json vimspector = json(editors("vimspector/relaxscope.json"));
    QVERIFY(vimspector.is_object());
    for (const auto& [name, configuration] : vimspector["configurations"].items())
      QVERIFY2(vimspector["adapters"].contains(configuration["adapter"].get<std::string>()), name.c_str());
    QVERIFY(text(editors("nvim-dap/relaxscope.lua")).contains("'--connect'"));
    const QString node = QStandardPaths::findExecutable("node");
    if (!node.isEmpty()) QCOMPARE(said(node, {"--check", editors("vscode/extension.js")}), QByteArray());
    const QString vim = QStandardPaths::findExecutable("nvim");
    if (!vim.isEmpty())
      QCOMPARE(said(vim, {"--headless", "-u", "NONE", "-c",
                          "lua assert(loadfile('" + editors("nvim-dap/relaxscope.lua") + "'))", "-c", "q"}),
               QByteArray());
  }

  /// dap-mode of Emacs, without a display: a breakpoint, two steps, and on to the end.
  void emacs() {
    const QString emacs = QStandardPaths::findExecutable("emacs");
    const QStringList load = {"--batch", "--eval", "(progn (require 'package) (package-initialize))"};
    if (emacs.isEmpty() || said(emacs, load + QStringList{"--eval", "(require 'dap-mode)"}).startsWith("fails"))
      QSKIP("Emacs and its package elpa-dap-mode are not installed");
    QTemporaryDir folder;
    const QByteArray output = said(
        emacs,
        load + QStringList{"-l", RX_SOURCE_DIR "/tests/editors/drive_dap_mode.el", editors("emacs/dap-relaxscope.el"),
                           kRxs, RX_SOURCE_DIR "/samples/branch/module.py", "24"},
        folder.path());
    QStringList stops;
    for (const QByteArray& line : output.split('\n'))
      if (line.startsWith("stopped at ") || line == "terminated") stops << line;
    QVERIFY2(stops.size() == 4, output.constData());
    QCOMPARE(stops.first(), "stopped at main:24");
    QCOMPARE(stops.at(1), "stopped at main:25");
    QCOMPARE(stops.last(), "terminated");
  }

  /// nvim-dap, where RX_NVIM_DAP says which folder it lies in, without a display: a breakpoint, a step, one back, an
  /// expression, the same run again and on to the end.
  void nvimDap() {
    const QString vim = QStandardPaths::findExecutable("nvim");
    const QString plugin = qEnvironmentVariable("RX_NVIM_DAP");
    if (vim.isEmpty() || plugin.isEmpty()) QSKIP("no Neovim, or RX_NVIM_DAP does not say where nvim-dap is");
    QTemporaryDir folder;
    const QString driven =
        QString("let g:driven = ['%1', '%2', '%3', '24']")
            .arg(editors("nvim-dap/relaxscope.lua"), kRxs, RX_SOURCE_DIR "/samples/branch/module.py");
    const QByteArray output = said(vim,
                                   {"--headless", "-u", "NONE", "--cmd", "set rtp+=" + plugin, "--cmd", driven, "-c",
                                    "luafile " RX_SOURCE_DIR "/tests/editors/drive_nvim_dap.lua"},
                                   folder.path());
    QStringList lines;
    for (const QByteArray& line : output.split('\n'))
      if (line.startsWith("stopped at ") || line.startsWith("x[0, 3]") || line == "terminated") lines << line;
    const QStringList wanted = {"stopped at main:24", "stopped at main:25", "stopped at main:24",
                                "x[0, 3] is 0.875",   "stopped at main:24", "terminated"};
    QVERIFY2(lines == wanted, output.constData());
  }
};

QTEST_GUILESS_MAIN(TestEditors)
#include "tst_editors.moc"
