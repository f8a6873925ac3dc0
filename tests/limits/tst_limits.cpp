// Long chains and deep nestings through every verb of rxs, on a stack of 256 kB: chains of any length work, nesting
// works to at least 900 levels and ends in a named limit far beyond; never a crash.
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"

using rx::test::Answer;

namespace {

constexpr rlim_t kStack = 256 * 1024;
constexpr int kChain = 100000;
constexpr int kNesting = 900;

const QString kHead =
    QStringLiteral("from tvm.script import ir as I, relax as R, tirx as T\n\n@I.ir_module\nclass Module:\n");

QString indented(const QStringList& lines) {
  QString text;
  for (const QString& line : lines) text += "        " + line + "\n";
  return text;
}
QString relaxModule(const QStringList& lines, const QString& result) {
  return kHead + "    @R.function\n    def main(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n" +
         indented(lines) + "        return " + result + "\n";
}
QString kernelModule(const QStringList& lines) {
  return kHead + "    @T.prim_func\n    def f(A: T.Buffer((2,), \"int32\"), B: T.Buffer((2,), \"int32\")):\n" +
         indented(lines) +
         "\n    @R.function\n    def main(x: R.Tensor((2,), \"int32\")) -> R.Tensor((2,), \"int32\"):\n"
         "        cls = Module\n"
         "        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((2,), dtype=\"int32\"))\n        return y\n";
}
QString wrapped(const char* open, const QString& inner, const char* close, int count) {
  return QString(open).repeated(count) + inner + QString(close).repeated(count);
}

QString aliases(int n) {
  QStringList lines{"y0 = x"};
  for (int i = 1; i < n; ++i) lines << QStringLiteral("y%1 = y%2").arg(i).arg(i - 1);
  return relaxModule(lines, QStringLiteral("y%1").arg(n - 1));
}
QString lets(int n) {
  QStringList lines{"v0: T.int32 = A[0]"};
  for (int i = 1; i < n; ++i) lines << QStringLiteral("v%1: T.int32 = v%2 + 1").arg(i).arg(i - 1);
  return kernelModule(lines << QStringLiteral("B[0] = v%1").arg(n - 1) << "B[1] = A[1]");
}
QString constants(int n) { return kernelModule({"B[0] = " + QStringLiteral("1 + ").repeated(n) + "1", "B[1] = A[1]"}); }
QString parentheses(int n) { return kernelModule({"B[0] = " + wrapped("(", "A[0]", ")", n), "B[1] = A[1]"}); }
QString tuples(int n) { return relaxModule({"t = " + wrapped("(", "x", ",)", n), "y = R.add(x, x)"}, "y"); }
QString calls(int n) { return relaxModule({"y = " + wrapped("R.negative(", "x", ")", n)}, "y"); }
QString loops(int n) {
  QStringList lines;
  for (int i = 0; i < n; ++i) lines << QString(i, ' ') + QStringLiteral("for i%1 in range(1):").arg(i);
  return kernelModule(lines << QString(n, ' ') + "B[i0] = A[i0]");
}
QString functions(int n) {
  QStringList lines;
  const QString signature = "(z: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):";
  for (int i = 0; i < n; ++i)
    lines << QString(i, ' ') + "@R.function" << QString(i, ' ') + QStringLiteral("def g%1").arg(i) + signature;
  lines << QString(n, ' ') + "return z";
  for (int i = n; i-- > 0;) {
    lines << QString(i, ' ') + QStringLiteral("w%1 = g%1(%2)").arg(i).arg(i ? "z" : "x");
    if (i) lines << QString(i, ' ') + QStringLiteral("return w%1").arg(i);
  }
  return relaxModule(lines, "w0");
}

using Make = QString (*)(int);
struct Row {
  const char* name;
  Make make;
};
constexpr Row kChains[] = {{"aliases", aliases}, {"lets", lets}, {"constants", constants}};
constexpr Row kNestings[] = {
    {"parentheses", parentheses}, {"tuples", tuples}, {"calls", calls}, {"loops", loops}, {"functions", functions}};
const QList<QStringList> kVerbs = {
    {"check"}, {"print"}, {"opt", "--passes", "default"}, {"run", "--seed", "1"}, {"build", "-o"}};

}  // namespace

class TestLimits : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  QString file(const QString& text) {
    QFile out(folder_.filePath("module.py"));
    if (out.open(QIODevice::WriteOnly)) out.write(text.toUtf8());
    return out.fileName();
  }
  /// "" for yes, the rule of the first error for no; else what went wrong.
  QString answer(QStringList verb, const QString& path) {
    if (verb.last() == "-o") verb << folder_.filePath("package");
    verb.insert(1, path);
    const Answer answer = rx::test::rxs(verb, {.prepare =
                                                   [] {
                                                     rlimit limit{kStack, kStack};
                                                     setrlimit(RLIMIT_STACK, &limit);
                                                   },
                                               .limit = 250000});
    if (answer.crashed) return "crashed";
    if (answer.code < 0) return answer.err;
    return answer.code == 0 ? QString() : rx::test::ruleOf(answer);
  }

 private Q_SLOTS:
  void longChains_data() {
    QTest::addColumn<QString>("text");
    for (const Row& row : kChains) QTest::newRow(row.name) << row.make(kChain);
    for (const Row& row : kNestings) QTest::newRow(row.name) << row.make(kNesting);
  }
  void longChains() {
    QFETCH(QString, text);
    const QString path = file(text);
    for (const QStringList& verb : kVerbs) QVERIFY2(answer(verb, path).isEmpty(), qPrintable(verb.first()));
  }
  void deepNestings_data() {
    QTest::addColumn<QString>("text");
    for (const Row& row : kNestings) {
      // Indentation makes the text grow with the square of the depth.
      const bool lines = row.make == loops || row.make == functions;
      QTest::newRow(row.name) << row.make(lines ? 5000 : kChain);
    }
  }
  void deepNestings() {
    QFETCH(QString, text);
    const QString path = file(text);
    for (const QStringList& verb : kVerbs) QCOMPARE(answer(verb, path), QStringLiteral("script.nesting"));
  }
};

QTEST_GUILESS_MAIN(TestLimits)
#include "tst_limits.moc"
