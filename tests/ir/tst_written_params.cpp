// Which parameters a kernel may write: those that it stores to or hands on, and none that it only reads or fetches.
#include <QtTest>

#include "core/ir/all_nodes.h"
#include "core/ir/written_params.h"
#include "core/script/parse.h"

using namespace rx;

class WrittenParamsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writesWhatIsStoredTo_data();
  void writesWhatIsStoredTo();
};

void WrittenParamsTest::writesWhatIsStoredTo_data() {
  QTest::addColumn<QString>("statement");
  QTest::addColumn<bool>("writesFirst");
  QTest::newRow("read") << "b[0] = a[0]" << false;
  QTest::newRow("fetched") << "T.evaluate(T.prefetch(T.address_of(a[8]), 0, 3, 1))" << false;
  QTest::newRow("stored to") << "a[0] = b[0]" << true;
  QTest::newRow("handed on") << "T.evaluate(T.call_packed(\"f\", T.address_of(a[0])))" << true;
  const QString array = "T.tvm_stack_make_array(%1.data, T.tvm_stack_make_shape(16), 0, 1, T.float32(0), 0)";
  const QString sort = "T.evaluate(T.call_packed(\"%1\", " + array.arg("a") + ", " + array.arg("b") + ", 0, True))";
  QTest::newRow("handed to what only reads it") << sort.arg("copy_second") << false;
  QTest::newRow("handed to what nobody knows") << sort.arg("f") << true;
}

void WrittenParamsTest::writesWhatIsStoredTo() {
  QFETCH(QString, statement);
  QFETCH(bool, writesFirst);
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
      "    @T.prim_func\n"
      "    def k(a: T.Buffer((16,), \"float32\"), b: T.Buffer((16,), \"float32\")):\n        " +
      statement.toStdString() + "\n        b[1] = T.float32(0)\n";
  const auto module = script::parseModule(make<SourceFile>("k.py", text));
  QVERIFY2(module, module ? "" : module.diagnostics()[0].message.c_str());
  const auto* kernel = as<tir::PrimFunc>((*module)->entries().front().second);
  QVERIFY(kernel);
  const auto writes = [](std::string_view packed) {
    return packed == "copy_second" ? std::optional<uint64_t>(0b10) : std::nullopt;
  };
  QCOMPARE(tir::writtenParams(*kernel, writes), (std::vector<bool>{writesFirst, true}));
}

QTEST_GUILESS_MAIN(WrittenParamsTest)
#include "tst_written_params.moc"
