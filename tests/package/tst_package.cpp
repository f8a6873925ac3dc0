// The Debian package that cpack writes, unpacked and used from where it lies: the programs run, the manual is read, the
// shell completes, the notices of others are there.
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"

using rx::test::Answer;

namespace {

Answer run(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment = {}) {
  return rx::test::runProgram(program, arguments, {.environment = environment, .limit = 180000});
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class PackageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void control();
  void programs();
  void interfaces();
  void window();
  void manual();
  void completes_data();
  void completes();
  void notices();

 private:
  QString at(const QString& path) const { return folder_.filePath("root/usr/" + path); }

  QTemporaryDir folder_;
  QString package_;
};

void PackageTest::initTestCase() {
  const Answer made = run("cpack", {"--config", RX_BINARY_DIR "/CPackConfig.cmake", "-B", folder_.path(), "-D",
                                    "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"});
  QVERIFY2(made.code == 0, qPrintable(made.out + made.err));
  const QStringList found = QDir(folder_.path()).entryList({"relaxscope_*.deb"});
  QCOMPARE(found.size(), 1);
  package_ = folder_.filePath(found[0]);
  QCOMPARE(run("dpkg-deb", {"-x", package_, folder_.filePath("root")}).code, 0);
}

void PackageTest::control() {
  const QString depends = run("dpkg-deb", {"-f", package_, "Depends"}).out;
  for (const char* library :
       {"libc6", "libllvm19", "libfmt9", "libqt6widgets6", "libqt6svg6", "libzstd1", "libarchive13"})
    QVERIFY2(depends.contains(library), qPrintable(depends));
  QCOMPARE(run("dpkg-deb", {"-f", package_, "Package"}).out.trimmed(), QString("relaxscope"));
  // Nothing but the programs, their C interfaces and what they share, and none of the libraries that they were linked
  // from.
  QCOMPARE(QDir(at("")).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name),
           (QStringList{"bin", "include", "share"}));
}

void PackageTest::programs() {
  const QString sample = at("share/relaxscope/samples/mlp/module.py");
  const Answer checked = run(at("bin/rxs"), {"check", sample});
  QVERIFY2(checked.code == 0, qPrintable(checked.err));
  const Answer ran = run(at("bin/rxs"), {"run", sample, "--no-kernel-cache"});
  QVERIFY2(ran.code == 0 && ran.out.contains("equal"), qPrintable(ran.out + ran.err));
  const Answer built = run(at("bin/rxs"), {"build", sample, "-o", folder_.filePath("built"), "--verify"});
  QVERIFY2(built.code == 0 && built.out.contains("verified"), qPrintable(built.out + built.err));
  QCOMPARE(run(at("bin/rxs"), {"check", at("share/relaxscope/samples/mlp/README.md")}).code, 1);
}

/// A C program that is given no other folder understands both interfaces.
void PackageTest::interfaces() {
  const QString source = folder_.filePath("interfaces.c");
  QFile file(source);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(
      "#include <relaxscope/rxs_package.h>\n#include <relaxscope/rxs_plugin.h>\n"
      "int main(void) { return sizeof(rxs_tensor) == 0; }\n");
  file.close();
  const Answer built = run("clang-19", {"-std=c11", "-Wall", "-Wextra", "-Werror", "-isystem", "/usr/include", "-I",
                                        at("include"), "-fsyntax-only", source});
  QVERIFY2(built.code == 0, qPrintable(built.err));
}

/// The window finds the samples and the engine that were installed with it.
void PackageTest::window() {
  const QString script = folder_.filePath("script.txt");
  QFile file(script);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("file.sample mlp\nexpect Ready\ndebug.start main\nexpect Paused\ndebug.continue\nexpect Ended\n");
  file.close();
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  environment.remove("RELAXSCOPE_SAMPLES");
  const Answer ran = run(at("bin/relaxscope"), {"--script", script}, environment);
  QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.err));
}

/// The pages hold every verb and every option that the help has.
void PackageTest::manual() {
  if (QStandardPaths::findExecutable("man").isEmpty()) QSKIP("there is no man here");
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("MANWIDTH", "120");
  environment.insert("LC_ALL", "C.UTF-8");
  const std::pair<const char*, QStringList> programs[] = {
      {"rxs", {"NAME", "SYNOPSIS", "rxs run [options] file", "--engine TEXT", "rxs completion", "Exit codes: 0 yes"}},
      {"relaxscope", {"NAME", "--script FILE", "--theme THEME", "FILES"}}};
  for (const auto& [program, texts] : programs) {
    const Answer page =
        run("man", {"--warnings", "-l", at(QString("share/man/man1/%1.1.gz").arg(program))}, environment);
    QVERIFY2(page.code == 0 && page.err.isEmpty(), qPrintable(page.err));
    for (const QString& text : texts) QVERIFY2(page.out.contains(text), qPrintable(text + " in\n" + page.out));
  }
}

void PackageTest::completes_data() {
  QTest::addColumn<QString>("program");
  QTest::addColumn<QString>("words");
  QTest::addColumn<QString>("offered");
  QTest::newRow("a verb") << "rxs"
                          << "ru"
                          << "run";
  QTest::newRow("verbs") << "rxs"
                         << "p"
                         << "print package";
  QTest::newRow("an option of a verb") << "rxs"
                                       << "run --eng"
                                       << "--engine";
  QTest::newRow("an option behind another") << "rxs"
                                            << "run --seed 3 --eng"
                                            << "--engine";
  QTest::newRow("the value of an option") << "rxs"
                                          << "run --engine i"
                                          << "interpreted";
  QTest::newRow("behind the sign") << "rxs"
                                   << "run --engine = i"
                                   << "interpreted";
  QTest::newRow("an argument") << "rxs"
                               << "completion b"
                               << "bash";
  QTest::newRow("an option of no verb") << "rxs"
                                        << "--ver"
                                        << "--version";
  QTest::newRow("files are for the shell") << "rxs"
                                           << "run mod"
                                           << "";
  QTest::newRow("no option where a value stands") << "rxs"
                                                  << "run --seed --eng"
                                                  << "";
  QTest::newRow("no such verb") << "rxs"
                                << "zz"
                                << "";
  QTest::newRow("an option of another verb") << "rxs"
                                             << "check --engine"
                                             << "";
  QTest::newRow("the window") << "relaxscope"
                              << "--sc"
                              << "--script --scale";
}

void PackageTest::completes() {
  QFETCH(QString, program);
  QFETCH(QString, words);
  QFETCH(QString, offered);
  const QString script =
      R"(. "$1"; COMP_WORDS=($2 $3); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _$2; echo ${COMPREPLY[@]})";
  const Answer ran =
      run("bash", {"--norc", "-c", script, "bash", at("share/bash-completion/completions/" + program), program, words});
  QVERIFY2(ran.code == 0 && ran.err.isEmpty(), qPrintable(ran.err));
  QCOMPARE(ran.out.trimmed(), offered);
}

void PackageTest::notices() {
  const QByteArray text = contentOf(at("share/doc/relaxscope/copyright"));
  for (const char* name :
       {"CLI11", "fmt", "jemalloc", "LLD", "LLVM", "JSON for Modern C++", "xxHash", "OpenCL headers"})
    QVERIFY2(text.contains(QByteArray("\n==== ") + name + "\n"), name);
  for (const char* words :
       {"Apache Software License", "LLVM Exceptions", "Jason Evans", "Niels Lohmann", "Yann Collet"})
    QVERIFY2(text.contains(words), words);
  QVERIFY(contentOf(at("share/fish/vendor_completions.d/rxs.fish")).contains("-l engine -r -f -a 'compiled"));
}

QTEST_GUILESS_MAIN(PackageTest)
#include "tst_package.moc"
