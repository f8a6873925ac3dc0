// rxs among files that are not what one hopes for: outputs that are devices, FIFOs, links or full; inputs that never
// come; names of every kind; packages whose parts were changed or do not belong together, and builds that were killed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "../support/killed.h"
#include "../support/program.h"
#include "core/support/file.h"
#include "core/tensor/npy.h"

using namespace rx;
using rx::test::Answer;
using rx::test::ruleOf;
namespace fs = std::filesystem;

namespace {

const QString kRxs = QStringLiteral(RX_BINARY_DIR "/bin/rxs");
const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/mlp");
const std::string kEmoji = "\xf0\x9f\x98\x80";

Answer ask(const QStringList& arguments, const QString& output = {}, const std::function<void()>& prepare = {}) {
  return rx::test::rxs(arguments, {.output = output, .prepare = prepare});
}

mode_t kindOf(const std::string& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

}  // namespace

class FilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void fullStandardOutput_data();
  void fullStandardOutput();
  void closedStandardOutput();
  void targetsStayWhatTheyAre();
  void fifosDoNotHang_data();
  void fifosDoNotHang();
  void namesOfEveryKind_data();
  void namesOfEveryKind();
  void namesOfLibraries();
  void everyFileOfAPackageIsCovered();
  void partsOfAnotherPackage();
  void otherVersions();
  void librariesElsewhere();
  void killedBuilds();
  void buildsAtOnce();
  void foldersOfStages();
  void memoryOfTheMachine();

 private:
  QString path(const QString& name) const { return folder_->filePath(name); }
  std::string file(const QString& name) const { return path(name).toStdString(); }
  /// Builds the sample into a folder; its weights times `factor`.
  QString build(const QString& name, double factor = 1, const QStringList& more = {});
  std::unique_ptr<QTemporaryDir> folder_;
};

QString FilesTest::build(const QString& name, double factor, const QStringList& more) {
  auto weights = readNpz(kSample.toStdString() + "/params.npz");
  for (auto& [key, tensor] : *weights) {
    auto scaled = *HostTensor::allocate(tensor->shape(), tensor->dtype());
    for (int64_t i = 0; i < tensor->count(); ++i) scaled->set(i, tensor->at(i) * factor);
    tensor = scaled;
  }
  if (!writeNpz(file("weights.npz"), *weights)) return "no weights";
  const Answer answer = ask(QStringList{"build", kSample, "--params", path("weights.npz"), "-o", path(name)} + more);
  return answer.code == 0 ? QString() : answer.err;
}

void FilesTest::fullStandardOutput_data() {
  QTest::addColumn<QStringList>("arguments");
  for (const QStringList& arguments : {QStringList{"print", kSample},
                                       {"print", kSample, "--json"},
                                       {"check", kSample, "--json"},
                                       {"opt", kSample},
                                       {"opt", "--list-passes"},
                                       {"run", kSample},
                                       {"run", kSample, "--json"},
                                       {"run", kSample, "--plan"},
                                       {"help"},
                                       {"help", "file.write"},
                                       {"manual"},
                                       {"completion", "bash"},
                                       {"--help"},
                                       {"run", "--help"},
                                       {"--version"},
                                       {"diff", kSample, kSample + "/../branch"},
                                       {"dap", "--print-launch", "text"}})
    QTest::newRow(qPrintable(arguments.join(' ').remove(RX_SOURCE_DIR))) << arguments;
}

void FilesTest::fullStandardOutput() {
  QFETCH(QStringList, arguments);
  const Answer answer = ask(arguments, "/dev/full");
  QCOMPARE(answer.code, 1);
  QCOMPARE(answer.err.count("can not be written"), 1);
  QVERIFY2(answer.err.contains("No space left on device"), qPrintable(answer.err));
  QVERIFY(ask(arguments, "/dev/null").code >= 0);
}

void FilesTest::closedStandardOutput() {
  const auto closed = [] { ::close(STDOUT_FILENO); };
  const Answer answer = ask({"print", kSample}, {}, closed);
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("can not be written"), qPrintable(answer.err));
  // What is opened next has the number of standard output; none of the answer is in it.
  QCOMPARE(ask({"run", kSample, "--record", path("run.rxtrace")}, {}, closed).code, 1);
  QCOMPARE(ask({"show", path("run.rxtrace")}).code, 0);
  QCOMPARE(ask({"print", kSample}, {}, [] { ::close(STDIN_FILENO); }).code, 0);
}

void FilesTest::targetsStayWhatTheyAre() {
  for (const QString& device : {QString("/dev/null"), QString("/dev/full")}) {
    QCOMPARE(ask({"opt", kSample, "-o", device}).code, device == "/dev/null" ? 0 : 1);
    QCOMPARE(ask({"run", kSample, "--record", device}).code, 1);
    for (const char* folder : {"--out", "--trace"}) QCOMPARE(ask({"run", kSample, folder, device}).code, 1);
    QCOMPARE(ask({"build", kSample, "-o", device}).code, 1);
    QCOMPARE(ask({"opt", kSample, "--dump", device}).code, 1);
    QCOMPARE(kindOf(device.toStdString()), mode_t{S_IFCHR});
  }
  fs::create_symlink("real", file("link"));
  QCOMPARE(ask({"opt", kSample, "-o", path("link")}).code, 0);
  QCOMPARE(ask({"run", kSample, "--record", path("link")}).code, 0);
  QCOMPARE(ask({"show", path("real"), "--binding", "lv", "-o", path("value")}).code, 0);
  QCOMPARE(kindOf(file("link")), mode_t{S_IFLNK});
  QCOMPARE(kindOf(file("real")), mode_t{S_IFREG});
  // A FIFO that somebody reads.
  QCOMPARE(::mkfifo(file("fifo").c_str(), 0600), 0);
  QProcess reader;
  reader.start("cat", {path("fifo")});
  QCOMPARE(ask({"opt", kSample, "-o", path("fifo")}).code, 0);
  QVERIFY(reader.waitForFinished());
  QVERIFY(reader.readAllStandardOutput().contains("class Module"));
  QCOMPARE(kindOf(file("fifo")), mode_t{S_IFIFO});
  // What the shell gave, as it gave it.
  QCOMPARE(ask({"opt", kSample, "-o", "/dev/stdout"}).out, ask({"opt", kSample}).out);
}

void FilesTest::fifosDoNotHang_data() {
  QTest::addColumn<QStringList>("arguments");
  const QStringList rows[] = {{"check", "F"},
                              {"print", "F"},
                              {"run", "F"},
                              {"opt", "F"},
                              {"equal", "F", "F"},
                              {"show", "F"},
                              {"package", "D"},
                              {"package", kSample, "F"},
                              {"check", "D"},
                              {"opt", kSample, "--passes", "@F"},
                              {"run", kSample, "--args", "F"},
                              {"run", kSample, "--inputs", "F.npz"},
                              {"run", kSample, "--params", "F.npy"},
                              {"run", kSample, "--inputs", "F.safetensors"},
                              {"run", kSample, "--expect", "F.npz"},
                              {"build", kSample, "--params", "F.npz", "-o", "P"},
                              {"dap", "--token-file", "F"}};
  for (const QStringList& row : rows) QTest::newRow(qPrintable(row.join(' ').remove(RX_SOURCE_DIR))) << row;
}

void FilesTest::fifosDoNotHang() {
  QFETCH(QStringList, arguments);
  fs::create_directory(file("D"));
  for (const char* name : {"F", "F.npz", "F.npy", "F.safetensors", "D/module.py", "D/manifest.json"})
    QCOMPARE(::mkfifo(file(name).c_str(), 0600), 0);
  for (QString& argument : arguments) {
    const bool at = argument.startsWith('@');
    const QString name = at ? argument.mid(1) : argument;
    if (name.size() < 14 && (name == "P" || QFile::exists(path(name)))) argument = (at ? "@" : "") + path(name);
  }
  QElapsedTimer time;
  time.start();
  const Answer answer = ask(arguments);
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("regular file"), qPrintable(answer.err));
  QVERIFY(time.elapsed() < 10000);
}

void FilesTest::namesOfEveryKind_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::newRow("percent") << QByteArray("%s%n%d");
  QTest::newRow("line break") << QByteArray("a\nb");
  QTest::newRow("emoji") << QByteArray(kEmoji.c_str());
  QTest::newRow("no UTF-8") << QByteArray("\xff\xfe");
  QTest::newRow("space and quote") << QByteArray("a 'b' \"c\" {0}");
  QTest::newRow("escape") << QByteArray("\x1b[31mred");
  QTest::newRow("long") << QByteArray(250, 'n');
}

void FilesTest::namesOfEveryKind() {
  QFETCH(QByteArray, name);
  const std::string folder = folder_->path().toStdString() + "/" + name.toStdString();
  fs::create_directory(folder);
  for (const char* part : {"module.py", "params.npz", "inputs.npz", "expected.npz"})
    fs::copy_file(kSample.toStdString() + "/" + part, folder + "/" + part);
  // Arguments in bytes, as a shell gives them.
  const auto rxs = [&](std::vector<std::string> arguments) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<char*> words{const_cast<char*>("rxs")};
      for (std::string& argument : arguments) words.push_back(argument.data());
      words.push_back(nullptr);
      const int nothing = ::open("/dev/null", O_WRONLY);
      ::dup2(nothing, 1);
      ::dup2(nothing, 2);
      ::execv(RX_BINARY_DIR "/bin/rxs", words.data());
      ::_exit(99);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::string out = folder + "/" + name.toStdString(), in = out + (name.size() > 200 ? "" : ".py");
  fs::copy_file(kSample.toStdString() + "/module.py", in);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", folder},
                                             {"check", in, "--json"},
                                             {"print", folder},
                                             {"equal", folder, in},
                                             {"diff", folder, in},
                                             {"find", folder, "--pattern", "wildcard()"},
                                             {"opt", folder, "--dump", folder + "/dump"},
                                             {"check", folder + "/dump"},
                                             {"run", folder, "--json"},
                                             {"run", folder, "--out", folder + "/out"},
                                             {"run", folder, "--trace", folder + "/trace"},
                                             {"run", folder, "--record", folder + "/record"},
                                             {"show", folder + "/record", "--binding", "lv", "-o", folder + "/value"},
                                             {"build", folder, "-o", folder + "/package", "--verify"},
                                             {"package", folder + "/package", "--verify"},
                                             {"opt", folder, "-o", out},
                                             {"check", out}})
    QVERIFY2(rxs(arguments) == 0, (arguments[0] + " " + arguments[1]).c_str());
  // Names that are not there are refused, whatever is in them.
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", out + "x"},
                                             {"run", folder, "--func", name.toStdString()},
                                             {"run", folder, "--inputs", out + ".npz"},
                                             {"run", folder, "--map", "x=" + name.toStdString()},
                                             {"opt", folder, "--passes", name.toStdString()},
                                             {"show", folder + "/record", "--binding", name.toStdString()},
                                             {"package", folder + "/package", "--func", name.toStdString()},
                                             {"help", name.toStdString()},
                                             {"check", folder + "/dump", "--stage", name.toStdString()}})
    QVERIFY2(rxs(arguments) == 1, (arguments[0] + " " + arguments[1]).c_str());
}

void FilesTest::namesOfLibraries() {
  for (const std::string& name :
       {std::string("%s"), kEmoji, std::string("a b"), std::string("-x"), std::string("..")}) {
    QCOMPARE(build("p", 1, {"--name=" + QString::fromStdString(name)}), QString());
    QVERIFY(fs::exists(file("p/lib" + QString::fromStdString(name) + ".so")));
    QCOMPARE(ask({"package", path("p"), "--verify"}).code, 0);
  }
  // The library of each is gone with its package.
  QCOMPARE(QDir(path("p")).entryList({"*.so"}, QDir::Files).size(), 1);
  for (const QString& name : {QString("a/b"), QString("../x"), QString("a\nb"), QString(300, 'n')}) {
    const Answer answer = ask({"build", kSample, "-o", path("q"), "--name=" + name});
    QCOMPARE(answer.code, 1);
    QCOMPARE(ruleOf(answer), QString("export.name"));
  }
  QVERIFY(!fs::exists(file("q")));
}

void FilesTest::everyFileOfAPackageIsCovered() {
  QCOMPARE(build("p"), QString());
  QCOMPARE(ask({"package", path("p"), "--verify"}).code, 0);
  for (const fs::directory_entry& member : fs::directory_iterator(file("p"))) {
    const std::string name = member.path();
    const std::string whole = *readFile(name);
    for (const size_t at : {size_t{0}, whole.size() / 3, whole.size() / 2, whole.size() - 2}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x15);
      QVERIFY(writeFile(name, changed));
      const Answer answer = ask({"package", path("p"), "--verify"});
      QVERIFY2(answer.code == 1, qPrintable(QString("%1 byte %2").arg(name.c_str()).arg(at)));
      QCOMPARE(ruleOf(answer).isEmpty(), false);
    }
    for (const std::string& other : {whole.substr(0, whole.size() / 2), whole + "x"}) {
      QVERIFY(writeFile(name, other));
      QCOMPARE(ask({"package", path("p")}).code, 1);
    }
    fs::remove(name);
    QCOMPARE(ask({"package", path("p")}).code, 1);
    QVERIFY(writeFile(name, whole));
  }
  QCOMPARE(ask({"package", path("p"), "--verify"}).code, 0);
}

void FilesTest::partsOfAnotherPackage() {
  auto inputs = readNpz(kSample.toStdString() + "/inputs.npz");
  QVERIFY(inputs && writeNpy(file("x.npy"), *inputs->front().second));
  QCOMPARE(build("one"), QString());
  QCOMPARE(build("two", 2), QString());
  QCOMPARE(ask({"package", path("one"), path("x.npy")}).code, 0);
  const auto overwrite = fs::copy_options::overwrite_existing;
  fs::copy_file(file("two/params.safetensors"), file("one/params.safetensors"), overwrite);
  Answer answer = ask({"package", path("one"), path("x.npy")});
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("not the weights"), qPrintable(answer.err));
  QCOMPARE(ask({"package", path("one"), "--verify"}).code, 1);
  fs::copy_file(file("two/manifest.json"), file("one/manifest.json"), overwrite);
  QCOMPARE(ask({"package", path("one"), path("x.npy")}).code, 1);
  fs::copy_file(file("two/libmodel.so"), file("one/libmodel.so"), overwrite);
  QCOMPARE(ask({"package", path("one"), path("x.npy")}).code, 0);
}

void FilesTest::otherVersions() {
  QCOMPARE(build("p"), QString());
  const std::string manifest = file("p/manifest.json");
  const std::string whole = *readFile(manifest);
  for (const auto& [from, to, says] : {std::tuple("\"version\": 3", "\"version\": 2", "version 2"),
                                       {"\"version\": 3", "\"version\": 4", "version 4"},
                                       {"\"version\": 3", "\"version\": \"3\"", "version"},
                                       {"relaxscope package", "another package", "not one of a package"}}) {
    std::string changed = whole;
    changed.replace(changed.find(from), strlen(from), to);
    QVERIFY(writeFile(manifest, changed));
    const Answer answer = ask({"package", path("p")});
    QCOMPARE(answer.code, 1);
    QVERIFY2(answer.err.contains(says), qPrintable(answer.err));
  }
}

void FilesTest::librariesElsewhere() {
  QCOMPARE(build("p"), QString());
  fs::rename(file("p/libmodel.so"), file("libmodel.so"));
  fs::create_symlink("../libmodel.so", file("p/libmodel.so"));
  const Answer answer = ask({"package", path("p"), "--verify"});
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("elsewhere"), qPrintable(answer.err));
  fs::remove(file("p/libmodel.so"));
  fs::rename(file("libmodel.so"), file("p/other.so"));
  fs::create_symlink("other.so", file("p/libmodel.so"));
  QCOMPARE(ask({"package", path("p"), "--verify"}).code, 0);
}

void FilesTest::killedBuilds() {
  auto inputs = readNpz(kSample.toStdString() + "/inputs.npz");
  QVERIFY(inputs && writeNpy(file("x.npy"), *inputs->front().second));
  const auto resultOf = [&](const QString& package) { return ask({"package", path(package), path("x.npy")}).out; };
  QCOMPARE(build("new", 2), QString());
  fs::rename(file("weights.npz"), file("twice.npz"));
  QCOMPARE(build("p"), QString());
  const QString old = resultOf("p"), made = resultOf("new");
  QVERIFY(!old.isEmpty() && !made.isEmpty() && old != made);
  const std::string program = kRxs.toStdString(), sample = kSample.toStdString(), weights = file("twice.npz"),
                    target = file("p");
  const auto rebuild = [&] {
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, 1);
    ::dup2(nothing, 2);
    ::execl(program.c_str(), "rxs", "build", sample.c_str(), "--params", weights.c_str(), "-o", target.c_str(),
            nullptr);
  };
  // The calls of the thread that writes; the last ones are those that put the set in its place.
  int calls = 1;
  for (int step = 4096; step > 0; step /= 2)
    if (test::killedAt(calls + step, rebuild) == test::Ending::Killed) calls += step;
  QVERIFY(calls > 100);
  int before = 0, after = 0;
  for (int at = std::max(1, calls - 45); at <= calls; ++at) {
    if (resultOf("p") != old) QCOMPARE(build("p"), QString());
    QVERIFY(test::killedAt(at, rebuild) != test::Ending::NotTraced);
    const QString now = resultOf("p");
    QVERIFY2(now == old || now == made, qPrintable(QString("killed at call %1").arg(at)));
    ++(now == old ? before : after);
    QCOMPARE(ask({"package", path("p"), "--verify"}).code, 0);
  }
  QVERIFY(after > 0);
  QCOMPARE(build("p"), QString());
  QCOMPARE(resultOf("p"), old);
  QCOMPARE(QDir(path("p")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), 5);
}

void FilesTest::buildsAtOnce() {
  auto inputs = readNpz(kSample.toStdString() + "/inputs.npz");
  QVERIFY(inputs && writeNpy(file("x.npy"), *inputs->front().second));
  QCOMPARE(build("two", 2), QString());
  fs::rename(file("weights.npz"), file("twice.npz"));
  QCOMPARE(build("one"), QString());
  const QString one = ask({"package", path("one"), path("x.npy")}).out;
  const QString two = ask({"package", path("two"), path("x.npy")}).out;
  for (int round = 0; round < 4; ++round) {
    QProcess first, second;
    first.start(kRxs, {"build", kSample, "--params", path("weights.npz"), "-o", path("both")});
    second.start(kRxs, {"build", kSample, "--params", path("twice.npz"), "-o", path("both")});
    QVERIFY(first.waitForFinished(60000) && second.waitForFinished(60000));
    QVERIFY(first.exitCode() == 0 && second.exitCode() == 0);
    const QString both = ask({"package", path("both"), path("x.npy")}).out;
    QVERIFY(both == one || both == two);
    QCOMPARE(ask({"package", path("both"), "--verify"}).code, 0);
  }
}

void FilesTest::foldersOfStages() {
  QCOMPARE(ask({"opt", kSample, "--dump", path("d")}).code, 0);
  const Answer first = ask({"print", path("d"), "--stage", "3"});
  QCOMPARE(first.code, 0);
  // One pass alone over many: no stage of the older history stays.
  QCOMPARE(ask({"opt", kSample, "--passes", "Normalize()", "--dump", path("d")}).code, 0);
  QCOMPARE(QDir(path("d")).entryList({"*.py"}).size(), 2);
  QCOMPARE(ask({"print", path("d"), "--stage", "3"}).code, 1);
  const std::string stage = file("d/01_Normalize.py"), whole = *readFile(stage);
  QVERIFY(writeFile(stage, whole + "\n"));
  QCOMPARE(ruleOf(ask({"print", path("d"), "--stage", "1"})), QString("file.set"));
  QVERIFY(writeFile(stage, std::string(whole).replace(whole.find("lv"), 2, "lw")));
  QCOMPARE(ruleOf(ask({"print", path("d"), "--stage", "1"})), QString("file.set"));
  const std::string index = file("d/history.json"), told = *readFile(index);
  for (const std::string& other : {std::string("{}"), std::string(R"({"format": "x", "version": 1, "stages": []})"),
                                   std::string(told).replace(told.find("\"version\": 1"), 12, "\"version\": 9")}) {
    QVERIFY(writeFile(index, other));
    QCOMPARE(ruleOf(ask({"print", path("d"), "--stage", "1"})), QString("import.history"));
  }
  QVERIFY(writeFile(index, "{"));
  QCOMPARE(ruleOf(ask({"print", path("d"), "--stage", "1"})), QString("file.set"));
  // Without an index it is a folder of texts.
  fs::remove(index);
  QVERIFY(writeFile(stage, whole));
  QCOMPARE(ask({"print", path("d"), "--stage", "1"}).code, 0);
}

void FilesTest::memoryOfTheMachine() {
  const QString module = path("large.py");
  QVERIFY(writeFile(module.toStdString(),
                    "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
                    "    def main(x: R.Tensor((1,), \"float32\")) -> R.Tensor((1,), \"float32\"):\n"
                    "        y = R.zeros(R.shape([1048576, 1048576]), \"float32\")\n"
                    "        z = R.sum(y)\n        return x\n"));
  const Answer answer = ask({"run", module, "--seed", "1", "--passes", "default"});
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("memory budget") && answer.err.contains("the budget is what"), qPrintable(answer.err));
  QVERIFY(writeFile(module.toStdString(),
                    "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
                    "    def main(x: R.Tensor((1048576, 1048576), \"float32\")) -> R.Tensor((1048576, 1048576), "
                    "\"float32\"):\n        return x\n"));
  QCOMPARE(ruleOf(ask({"run", module, "--seed", "1"})), QString("tensor.memory"));
  // With hardly any addresses there is a message, whoever finds it out.
  for (const rlim_t mebibytes : {256, 300, 350, 400, 500, 700}) {
    const Answer tight = ask({"run", kSample, "--mode", "step"}, {}, [&] {
      const rlimit limit = {mebibytes << 20, mebibytes << 20};
      ::setrlimit(RLIMIT_AS, &limit);
    });
    QVERIFY2(tight.code == 0 || tight.code == 1 || tight.code == 127, qPrintable(QString::number(mebibytes)));
    QVERIFY(tight.code == 0 || !tight.err.isEmpty());
  }
}

QTEST_GUILESS_MAIN(FilesTest)
#include "tst_files.moc"
