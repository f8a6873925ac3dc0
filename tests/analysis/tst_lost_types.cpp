// What types said before a pass and do not say after it.
#include <QtTest>

#include "core/analysis/lost_types.h"
#include "core/script/parse.h"

using namespace rx;

namespace {

/// A function with one binding of that type: a packed call, whose type is what is written.
ir::Module moduleOf(const std::string& type, const std::string& name = "a") {
  const std::string text =
      "from tvm.script import ir as I, relax as R, tir as T\n@I.ir_module\nclass Module:\n    @R.function(pure=False)\n"
      "    def main(x: R.Tensor((4,), \"float32\")):\n        " +
      name + " = R.call_packed(\"f\", x, sinfo_args=(" + type + ",))\n        return " + name + "\n";
  const auto module = script::parseModule(make<SourceFile>("test.py", text), {});
  if (!module) return nullptr;
  giveOwnOrigins(**module);
  return *module;
}

std::vector<Diagnostic> lost(const std::string& was, const std::string& is) {
  return analysis::lostTypes(*moduleOf(was), *moduleOf(is));
}

}  // namespace

class TestLostTypes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loses_data() {
    QTest::addColumn<QString>("was");
    QTest::addColumn<QString>("is");
    QTest::addColumn<bool>("loses");
    const QString shape = "R.Tensor((4, 2), dtype=\"float32\")", rank = "R.Tensor(dtype=\"float32\", ndim=2)";
    const QString bare = "R.Tensor(dtype=\"float32\")", noType = "R.Tensor((4, 2))";
    QTest::newRow("shape to rank") << shape << rank << true;
    QTest::newRow("rank to nothing") << rank << bare << true;
    QTest::newRow("data type") << shape << noType << true;
    QTest::newRow("tensor to object") << shape << "R.Object" << true;
    QTest::newRow("field") << QStringLiteral("R.Tuple(%1, %1)").arg(shape)
                           << QStringLiteral("R.Tuple(%1, %2)").arg(shape, rank) << true;
    QTest::newRow("shape value") << "R.Shape([4, 2])"
                                 << "R.Shape(ndim=2)" << true;
    QTest::newRow("same") << shape << shape << false;
    QTest::newRow("other shape") << shape << "R.Tensor((2, 4), dtype=\"float32\")" << false;
    QTest::newRow("other data type") << shape << "R.Tensor((4, 2), dtype=\"float16\")" << false;
    QTest::newRow("more than before") << rank << shape << false;
    QTest::newRow("closure") << "R.Callable((R.Object,), R.Object, True)"
                             << "R.Object" << false;
    QTest::newRow("nothing") << "R.Tuple"
                             << "R.Object" << false;
    QTest::newRow("something else") << shape << "R.Shape(ndim=2)" << false;
  }
  void loses() {
    QFETCH(QString, was);
    QFETCH(QString, is);
    QFETCH(bool, loses);
    QVERIFY(moduleOf(was.toStdString()) && moduleOf(is.toStdString()));
    QCOMPARE(lost(was.toStdString(), is.toStdString()).size(), size_t(loses));
  }
  void whatItSays() {
    const std::vector<Diagnostic> found = lost("R.Tensor((4, 2), dtype=\"float32\")", "R.Object");
    QCOMPARE(found.size(), size_t(1));
    QCOMPARE(found[0].rule, std::string("pass.lost-type"));
    QCOMPARE(found[0].severity, Severity::Warning);
    QCOMPARE(found[0].context, std::string("main, binding a"));
    QCOMPARE(found[0].message, std::string("a was R.Tensor((4, 2), \"float32\") and is R.Object now"));
  }
  /// Another name, or the same node, is nothing to compare with.
  void onlyTheSameBinding() {
    const ir::Module was = moduleOf("R.Tensor((4, 2), dtype=\"float32\")"), other = moduleOf("R.Object", "b");
    QVERIFY(analysis::lostTypes(*was, *other).empty());
    QVERIFY(analysis::lostTypes(*was, *was).empty());
  }
};

QTEST_GUILESS_MAIN(TestLostTypes)
#include "tst_lost_types.moc"
