// rxs tune: each variant that is measured is kept at once, a later call goes on behind it, and what is kept is what
// kernels are compiled with.
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "../support/program.h"

using rx::test::Answer;
using rx::test::rxs;
using Json = nlohmann::json;

class TestTuning : public QObject {
  Q_OBJECT

  const QString module_ = QStringLiteral(RX_SOURCE_DIR "/tests/golden/tune/product.py");

  /// The lines of a database.
  static std::vector<Json> linesOf(const QString& path) {
    QFile file(path);
    std::vector<Json> lines;
    if (!file.open(QIODevice::ReadOnly)) return lines;
    QList<QByteArray> texts = file.readAll().split('\n');
    texts.removeLast();  // nothing, or what a process that was stopped left of a line
    for (const QByteArray& line : texts) lines.push_back(Json::parse(line.toStdString()));
    return lines;
  }
  static void write(const QString& path, const std::vector<Json>& lines) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (const Json& line : lines) file.write(QByteArray::fromStdString(line.dump() + "\n"));
  }
  Answer tune(const QString& database, int trials) {
    return rxs({"tune", module_, "--database", database, "--trials", QString::number(trials)});
  }

 private Q_SLOTS:
  void goesOn() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    const Answer first = tune(database, 3);
    QVERIFY2(first.code == 0, qPrintable(first.err));
    const std::vector<Json> began = linesOf(database);
    QCOMPARE(began.size(), size_t(3));
    for (const Json& line : began) {
      QCOMPARE(line.at("kernel").get<std::string>(), std::string("product"));
      QVERIFY(line.at("microseconds").get<double>() > 0);
    }
    // As it is comes first.
    QVERIFY(began.front().at("choices").empty());
    QVERIFY(tune(database, 2).code == 0);
    const std::vector<Json> later = linesOf(database);
    QCOMPARE(later.size(), size_t(5));
    QVERIFY(std::equal(began.begin(), began.end(), later.begin()));
    QSet<QString> tried;
    for (const Json& line : later) tried.insert(QString::fromStdString(line.at("choices").dump()));
    QCOMPARE(tried.size(), 5);
  }

  /// What is measured with some sizes says nothing of others; the last that were asked for count.
  void measuresWithSizes() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl"), file = folder.filePath("rows.py");
    QFile module(file);
    QVERIFY(module.open(QIODevice::WriteOnly));
    module.write(R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64), "float32")):
        y = R.sum(x, axis=1)
        return y
)");
    module.close();
    const auto tuned = [&](const QStringList& sizes) {
      return rxs(QStringList{"tune", file, "--database", database, "--trials", "2"} + sizes);
    };
    QVERIFY2(tuned({}).err.contains("--symbol n=SIZE"), qPrintable(tuned({}).err));
    QVERIFY(linesOf(database).empty());
    QVERIFY2(tuned({"--symbol", "n=5"}).code == 0, qPrintable(tuned({"--symbol", "n=5"}).err));
    const size_t before = linesOf(database).size();
    QVERIFY(before > 0);
    for (const Json& line : linesOf(database)) QCOMPARE(line.at("sizes"), Json({{"n", 5}}));
    QVERIFY(tuned({"--symbol", "n=6", "--symbol", "other=1"}).code == 0);
    QVERIFY(linesOf(database).size() > before);
    QCOMPARE(linesOf(database).back().at("sizes"), Json({{"n", 6}}));
  }

  /// Whatever was measured is there for the next call, but for a line that was cut off; with nothing left to measure
  /// the file stays as it is.
  void goesOnBehindATornLine() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    QVERIFY(tune(database, 3).code == 0);
    QFile file(database);
    QVERIFY(file.resize(file.size() - 20));
    const Answer answer = tune(database, 1000);
    QVERIFY2(answer.code == 0 && answer.err.contains("line 3: it is damaged"), qPrintable(answer.err));
    const qint64 size = file.size();
    const Answer again = tune(database, 1000);
    QVERIFY2(again.code == 0 && file.size() == size, qPrintable(again.err));
  }

  /// A tuning that is stopped keeps what it measured, and the next call measures the rest.
  void goesOnAfterItWasStopped() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    QProcess process;
    process.start(QStringLiteral(RX_BINARY_DIR "/bin/rxs"),
                  {"tune", module_, "--database", database, "--trials", "1000"});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(!linesOf(database).empty() || process.state() == QProcess::NotRunning, 60000);
    process.kill();
    process.waitForFinished();
    const std::vector<Json> began = linesOf(database);
    QVERIFY(!began.empty());
    const Answer answer = tune(database, 1000);
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    const std::vector<Json> later = linesOf(database);
    QVERIFY(later.size() >= began.size() && std::equal(began.begin(), began.end(), later.begin()));
    QSet<QString> tried;
    for (const Json& line : later) tried.insert(QString::fromStdString(line.at("choices").dump()));
    QCOMPARE(static_cast<size_t>(tried.size()), later.size());
  }

  /// The quickest variant is the one that is compiled.
  void isCompiled() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    QVERIFY(tune(database, 3).code == 0);
    std::vector<Json> lines = linesOf(database);
    QCOMPARE(lines.size(), size_t(3));
    for (Json& line : lines) line["microseconds"] = 5.0;
    lines.back()["microseconds"] = 0.5;
    write(database, lines);
    const Answer listed = rxs({"kernel", module_, "--tuned", database});
    const QString choice = QString::fromStdString(lines.back().at("choices").begin().key());
    QVERIFY2(listed.code == 0 && listed.out.contains("tuned {\"" + choice), qPrintable(listed.out + listed.err));
    // Where nothing is quicker than the kernel as it is, it stays so.
    lines.front()["microseconds"] = 0.1;
    write(database, lines);
    QVERIFY(!rxs({"kernel", module_, "--tuned", database}).out.contains("tuned"));
  }

  /// From how many steps on threads share a nest is tried too: what differs of a kernel of known sizes is whether
  /// they do.
  void triesTheGrainOfThreads() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    QVERIFY(tune(database, 1000).code == 0);
    std::vector<Json> lines = linesOf(database);
    const auto shared = std::find_if(lines.begin(), lines.end(),
                                     [](const Json& line) { return line.at("choices").contains("threads.products"); });
    QVERIFY(shared != lines.end());
    QCOMPARE(shared->at("choices").at("threads.products").get<int64_t>(), int64_t(1));
    for (Json& line : lines) line["microseconds"] = 5.0;
    (*shared)["microseconds"] = 0.5;
    write(database, lines);
    const Answer stage = rxs({"kernel", module_, "--function", "product", "--as", "scheduled", "--tuned", database});
    QVERIFY2(stage.code == 0 && stage.out.contains("T.parallel("), qPrintable(stage.out + stage.err));
    const Answer untuned = rxs({"kernel", module_, "--function", "product", "--as", "scheduled"});
    QVERIFY2(untuned.code == 0 && !untuned.out.contains("T.parallel("), qPrintable(untuned.out));
    // Numbers of another count of threads say nothing of this one.
    for (Json& line : lines) line["threads"] = 4096;
    write(database, lines);
    const Answer other = rxs({"kernel", module_, "--tuned", database});
    QVERIFY2(other.err.contains("note[tune.ignored]") && !other.out.contains("tuned"), qPrintable(other.err));
  }

  void otherMachinesAreIgnored() {
    QTemporaryDir folder;
    const QString database = folder.filePath("trials.jsonl");
    QVERIFY(tune(database, 2).code == 0);
    std::vector<Json> lines = linesOf(database);
    for (Json& line : lines) line["processor"] = "i486";
    lines.back()["microseconds"] = 0.001;
    write(database, lines);
    const Answer listed = rxs({"kernel", module_, "--tuned", database});
    QCOMPARE(listed.code, 0);
    QVERIFY2(listed.err.contains("note[tune.ignored]"), qPrintable(listed.err));
    QVERIFY(!listed.out.contains("tuned"));
  }

  void refused() {
    QTemporaryDir folder;
    const Answer nowhere = tune(folder.filePath("no/such/folder/trials.jsonl"), 1);
    QCOMPARE(nowhere.code, 1);
    QVERIFY2(nowhere.err.contains("error["), qPrintable(nowhere.err));
    QCOMPARE(tune(folder.filePath("trials.jsonl"), -1).code, 2);
  }
};

QTEST_GUILESS_MAIN(TestTuning)
#include "tst_tuning.moc"
