// Products and convolutions by libraries of the machine: what they compute is called there and gives what our kernels
// give, what they do not stays ours; compiled, stepped, packaged and profiled; and machines without them.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"

using rx::test::Answer;
using rx::test::ruleOf;
using rx::test::rxs;

namespace {

/// A function with these parameters and lines, the last of which binds gv.
QString moduleOf(const QString& params, const QStringList& lines) {
  QString body;
  for (const QString& line : lines) body += "            " + line + "\n";
  return QStringLiteral(
             "from tvm.script import ir as I, relax as R, tir as T\n"
             "@I.ir_module\n"
             "class Module:\n"
             "    @R.function\n"
             "    def main(%1):\n"
             "        n = T.int64()\n"
             "        with R.dataflow():\n%2"
             "            R.output(gv)\n"
             "        return gv\n")
      .arg(params, body);
}

QString tensor(const QString& name, const QString& shape, const QString& dtype = "float32") {
  return QStringLiteral("%1: R.Tensor((%2), \"%3\")").arg(name, shape, dtype);
}

QString both(const QString& a, const QString& b) { return a + ", " + b; }

}  // namespace

class TestLibrary : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  QString write(const QString& text) {
    QFile file(folder_.filePath("module.py"));
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0 ? file.fileName() : QString();
  }
  /// The names of functions of the library that the module calls when it is compiled for it.
  QStringList calls(const QString& module, const QString& library) {
    const Answer done = rxs({"opt", write(module), "--passes",
                             QStringLiteral("PartitionForLibrary(library=\"%1\"), RunCodegen()").arg(library)});
    QStringList names;
    static const QRegularExpression kCall("call_dps_packed\\(\"([a-z0-9_.]+)\"");
    for (auto it = kCall.globalMatch(done.out); it.hasNext();) names.push_back(it.next().captured(1));
    return done.code == 0 ? names : QStringList{done.err};
  }
  /// The surroundings in which what a program looks for is a library without its functions, or no library.
  QProcessEnvironment without(const QString& file, bool isLibrary) {
    const QString place = folder_.filePath(isLibrary ? "empty" : "broken");
    QDir().mkpath(place);
    QFile::remove(place + "/" + file);
    if (isLibrary) {
      QFile::copy(RX_BINARY_DIR "/tests/libraries/no_library.so", place + "/" + file);
    } else {
      QFile broken(place + "/" + file);
      if (broken.open(QIODevice::WriteOnly)) broken.write("no library at all, though it is long enough for a header\n");
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_LIBRARY_PATH", place);
    return environment;
  }
  const QString mlp_ =
      moduleOf(tensor("x", "4, 32") + ", " + tensor("w", "48, 32") + ", " + tensor("b", "48,"),
               {"t = R.permute_dims(w)", "m = R.matmul(x, t)", "s = R.add(m, b)", "gv = R.nn.relu(s)"});

 private Q_SLOTS:
  void computes_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("module");
    QTest::addColumn<QStringList>("functions");
    const auto row = [](const char* name, const QString& library, const QString& params, const QStringList& lines,
                        const QStringList& functions) {
      QTest::newRow(name) << library << moduleOf(params, lines) << functions;
    };
    const QString x = tensor("x", "5, 12"), w = tensor("w", "12, 7"), turned = tensor("w", "7, 12");
    const QString bias = tensor("b", "7,");
    const QString data = tensor("x", "2, 6, 9, 8"), weight = tensor("w", "4, 6, 3, 3"),
                  each = tensor("b", "1, 4, 1, 1");
    for (const QString library : {"cblas", "dnnl"}) {
      const auto name = [&](const char* what) { return (library + " " + what).toLatin1(); };
      row(name("product"), library, both(x, w), {"gv = R.matmul(x, w)"}, {library + ".matmul"});
      row(name("turned product"), library, both(x, turned), {"t = R.permute_dims(w)", "gv = R.matmul(x, t)"},
          {library + ".matmul"});
      row(name("batches by a matrix"), library, both(tensor("x", "3, 5, 12"), w), {"gv = R.matmul(x, w)"},
          {library + ".matmul"});
      row(name("batches"), library, both(tensor("x", "3, 2, 5, 12"), tensor("w", "3, 2, 12, 7")),
          {"gv = R.matmul(x, w)"}, {library + ".matmul"});
      row(name("turned batches"), library, both(tensor("x", "3, 5, 12"), tensor("w", "3, 7, 12")),
          {"t = R.permute_dims(w, axes=[0, 2, 1])", "gv = R.matmul(x, t)"}, {library + ".matmul"});
      row(name("symbolic rows"), library, both(tensor("x", "\"n\", 12"), w), {"gv = R.matmul(x, w)"},
          {library + ".matmul"});
    }
    row("float64", "cblas", both(tensor("x", "5, 12", "float64"), tensor("w", "12, 7", "float64")),
        {"gv = R.matmul(x, w)"}, {"cblas.matmul"});
    row("bias", "dnnl", x + ", " + w + ", " + bias, {"m = R.matmul(x, w)", "gv = R.add(m, b)"}, {"dnnl.matmul_bias"});
    row("bias first", "dnnl", x + ", " + w + ", " + bias, {"m = R.matmul(x, w)", "gv = R.add(b, m)"},
        {"dnnl.matmul_bias"});
    row("relu", "dnnl", both(x, w), {"m = R.matmul(x, w)", "gv = R.nn.relu(m)"}, {"dnnl.matmul"});
    row("bias and relu", "dnnl", x + ", " + turned + ", " + bias,
        {"t = R.permute_dims(w)", "m = R.matmul(x, t)", "s = R.add(m, b)", "gv = R.nn.relu(s)"}, {"dnnl.matmul_bias"});
    row("convolution", "dnnl", both(data, weight), {"gv = R.nn.conv2d(x, w)"}, {"dnnl.conv2d"});
    row("moves", "dnnl", both(data, weight),
        {"gv = R.nn.conv2d(x, w, strides=[2, 1], padding=[0, 1, 2, 3], dilation=[1, 2])"}, {"dnnl.conv2d"});
    row("groups", "dnnl", both(data, tensor("w", "6, 2, 3, 3")), {"gv = R.nn.conv2d(x, w, groups=3)"}, {"dnnl.conv2d"});
    row("convolution, bias and relu", "dnnl", data + ", " + weight + ", " + each,
        {"c = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])", "s = R.add(c, b)", "gv = R.nn.relu(s)"}, {"dnnl.conv2d_bias"});
    row("one after another", "dnnl", x + ", " + w + ", " + tensor("v", "7, 3"),
        {"m = R.matmul(x, w)", "s = R.nn.softmax(m)", "gv = R.matmul(s, v)"}, {"dnnl.matmul", "dnnl.matmul"});
    // The sum is ours where another reads the product as well.
    row("product that is read again", "dnnl", x + ", " + w + ", " + bias,
        {"m = R.matmul(x, w)", "s = R.add(m, b)", "gv = R.multiply(s, m)"}, {"dnnl.matmul"});
    row("product of another name", "dnnl", x + ", " + w + ", " + bias,
        {"m = R.matmul(x, w)", "n1 = m", "n2 = n1", "gv = R.add(n2, b)"}, {"dnnl.matmul"});
    row("bias of rows", "dnnl", x + ", " + w + ", " + tensor("b", "5, 1"), {"m = R.matmul(x, w)", "gv = R.add(m, b)"},
        {"dnnl.matmul"});
  }
  void computes() {
    QFETCH(QString, library);
    QFETCH(QString, module);
    QFETCH(QStringList, functions);
    QCOMPARE(calls(module, library), functions);
    QStringList run{"run", write(module), "--seed", "7", "--against", library};
    if (module.contains("\"n\"")) run += {"--symbol", "n=9"};
    const Answer compared = rxs(run);
    QVERIFY2(compared.code == 0 && compared.out.contains("the runs agree on the "),
             qPrintable(compared.out + compared.err));
  }

  void leaves_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("module");
    const auto row = [](const char* name, const QString& library, const QString& params, const QStringList& lines) {
      QTest::newRow(name) << library << moduleOf(params, lines);
    };
    row("float16", "dnnl", both(tensor("x", "5, 12", "float16"), tensor("w", "12, 7", "float16")),
        {"gv = R.matmul(x, w)"});
    row("float64", "dnnl", both(tensor("x", "5, 12", "float64"), tensor("w", "12, 7", "float64")),
        {"gv = R.matmul(x, w)"});
    row("integers", "cblas", both(tensor("x", "5, 12", "int32"), tensor("w", "12, 7", "int32")),
        {"gv = R.matmul(x, w)"});
    row("a vector", "cblas", both(tensor("x", "12,"), tensor("w", "12, 7")), {"gv = R.matmul(x, w)"});
    row("batches that broadcast", "dnnl", both(tensor("x", "1, 5, 12"), tensor("w", "3, 12, 7")),
        {"gv = R.matmul(x, w)"});
    row("no terms", "dnnl", both(tensor("x", "5, 0"), tensor("w", "0, 7")), {"gv = R.matmul(x, w)"});
    row("channels last", "dnnl", both(tensor("x", "2, 9, 8, 6"), tensor("w", "4, 6, 3, 3")),
        {"gv = R.nn.conv2d(x, w, data_layout=\"NHWC\")"});
    row("convolution", "cblas", both(tensor("x", "2, 6, 9, 8"), tensor("w", "4, 6, 3, 3")), {"gv = R.nn.conv2d(x, w)"});
  }
  void leaves() {
    QFETCH(QString, library);
    QFETCH(QString, module);
    QCOMPARE(calls(module, library), QStringList());
  }

  /// Whatever runs the program, the library gives the same bits.
  void everyWay_data() {
    QTest::addColumn<QStringList>("way");
    QTest::newRow("scheduled") << QStringList{"--passes", "optimized"};
    for (const char* engine : {"interpreted", "stepped", "package"})
      QTest::newRow(engine) << QStringList{"--engine", engine};
  }
  void everyWay() {
    QFETCH(QStringList, way);
    const QStringList common{"run", write(mlp_), "--seed", "3", "--library", "dnnl"};
    const Answer plain = rxs(common), other = rxs(common + way);
    QVERIFY2(plain.code == 0, qPrintable(plain.err));
    QVERIFY2(other.code == 0, qPrintable(other.err));
    QCOMPARE(other.out, plain.out);
  }

  void profiles() {
    const Answer both =
        rxs({"run", write(mlp_), "--seed", "3", "--profile", "--profile-runs", "3", "--against", "cblas"});
    QVERIFY2(both.code == 0, qPrintable(both.err));
    QCOMPARE(both.out.count("profile of main"), 2);
    QVERIFY2(both.out.section("against cblas:", 1).contains("\ncblas.matmul "), qPrintable(both.out));
    QVERIFY(both.out.contains(QRegularExpression("a run takes [0-9.]+ times as long as against cblas")));
  }

  void packages() {
    const QString package = folder_.filePath("package");
    const QString module =
        moduleOf("", {"x = R.ones((4, 8), \"float32\")", "w = R.ones((8, 3), \"float32\")", "gv = R.matmul(x, w)"});
    const Answer built = rxs({"build", write(module), "--library", "dnnl", "-o", package, "--verify"});
    QVERIFY2(built.code == 0, qPrintable(built.err));
    QFile manifest(package + "/manifest.json");
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    QVERIFY(QString::fromUtf8(manifest.readAll()).simplified().contains("\"libraries\": [ \"dnnl\" ]"));
    QCOMPARE(rxs({"package", package}).code, 0);
    const Answer missing = rxs({"package", package}, {.environment = without("libdnnl.so.2", false)});
    QCOMPARE(missing.code, 1);
    QVERIFY2(missing.err.contains("this machine has no oneDNN 2"), qPrintable(missing.err));
  }

  /// The module is compiled as if nobody had asked for the library, and who asked is told.
  void absent_data() {
    QTest::addColumn<bool>("isLibrary");
    QTest::addColumn<QString>("rule");
    QTest::newRow("none") << false << "library.missing";
    QTest::newRow("of another kind") << true << "library.version";
  }
  void absent() {
    QFETCH(bool, isLibrary);
    QFETCH(QString, rule);
    const QProcessEnvironment environment = without("libdnnl.so.2", isLibrary);
    const QStringList run{"run", write(mlp_), "--seed", "3"};
    const Answer ours = rxs(run);
    const Answer answer = rxs(run + QStringList{"--library", "dnnl"}, {.environment = environment});
    QCOMPARE(answer.code, 0);
    QCOMPARE(answer.out, ours.out);
    QVERIFY2(answer.err.contains("note[" + rule + "]") && answer.err.contains("compiled here"), qPrintable(answer.err));
    // There is nothing to compare with.
    const Answer against = rxs(run + QStringList{"--against", "dnnl"}, {.environment = environment});
    QCOMPARE(against.code, 1);
    QCOMPARE(ruleOf(against), rule);
  }

  void refused_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("rule");
    QTest::newRow("sizes") << "R.call_dps_packed(\"cblas.matmul\", (x, x, R.prim_value(0)), "
                              "out_sinfo=R.Tensor((4, 8), \"float32\"))"
                           << "library.shape";
    QTest::newRow("types") << "R.call_dps_packed(\"cblas.matmul\", (x, y, R.prim_value(0)), "
                              "out_sinfo=R.Tensor((4, 4), \"float32\"))"
                           << "library.shape";
    QTest::newRow("result") << "R.call_dps_packed(\"dnnl.matmul\", (x, x, R.prim_value(1), R.prim_value(0)), "
                               "out_sinfo=R.Tensor((4, 5), \"float32\"))"
                            << "library.shape";
    QTest::newRow("arguments") << "R.call_dps_packed(\"dnnl.matmul\", (x, x), out_sinfo=R.Tensor((4, 4), \"float32\"))"
                               << "vm.argument-count";
    QTest::newRow("moves") << "R.call_dps_packed(\"dnnl.conv2d\", (x, x, R.shape([0, 1]), R.shape([0, 0, 0, 0]), "
                              "R.shape([1, 1]), R.prim_value(1), R.prim_value(0)), "
                              "out_sinfo=R.Tensor((4, 4), \"float32\"))"
                           << "library.shape";
  }
  void refused() {
    QFETCH(QString, call);
    QFETCH(QString, rule);
    const QString module = moduleOf(tensor("x", "4, 8") + ", " + tensor("y", "8, 4", "int32"), {"gv = " + call});
    const Answer answer = rxs({"run", write(module), "--seed", "1"});
    QCOMPARE(answer.code, 1);
    QCOMPARE(ruleOf(answer), rule);
  }
  void unknown() {
    const Answer answer = rxs({"opt", write(mlp_), "--passes", "PartitionForLibrary(library=\"mkl\")"});
    QCOMPARE(answer.code, 1);
    QCOMPARE(ruleOf(answer), QStringLiteral("library.unknown"));
    QVERIFY(answer.err.contains("library=\"dnnl\""));
  }
};

QTEST_GUILESS_MAIN(TestLibrary)
#include "tst_library.moc"
