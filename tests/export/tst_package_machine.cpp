// What a package needs of the machine that opens it.
#include <QtTest>
#include <algorithm>

#include "core/export/package_machine.h"
#include "core/script/parse.h"

using namespace rx;

class PackageMachineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void needsWhatKernelsAreWrittenFor_data();
  void needsWhatKernelsAreWrittenFor();
};

void PackageMachineTest::needsWhatKernelsAreWrittenFor_data() {
  QTest::addColumn<QString>("sum");
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("feature");
  QTest::addColumn<bool>("asks");
  const QString bytes = "a[i] + T.rx_dot_bytes(0, a[i], b[i])";
  QTest::newRow("bytes") << bytes << "llvm"
                         << "avx512vnni" << true;
  const QString tiles =
      "T.rx_tile_products(\"uint8\", \"int8\", T.address_of(c[0]), T.address_of(a[0]), T.address_of(b[0]), 1, 1, 1)";
  const QString halves = QString(tiles).replace("\"uint8\"", "\"bfloat16\"").replace("\"int8\"", "\"bfloat16\"");
  QTest::newRow("tiles of bytes") << tiles << "llvm"
                                  << "amx-int8" << true;
  QTest::newRow("nothing of bfloat16 in tiles of bytes") << tiles << "llvm"
                                                         << "amx-bf16" << false;
  QTest::newRow("tiles of bfloat16") << halves << "llvm"
                                     << "amx-bf16" << true;
  QTest::newRow("nothing of bfloat16 in bytes") << bytes << "llvm"
                                                << "avx512bf16" << false;
  QTest::newRow("a plain sum") << "a[i] + b[i]"
                               << "llvm"
                               << "avx512vnni" << false;
  QTest::newRow("a processor that is named") << bytes << "x86-64-v3"
                                             << "avx512vnni" << false;
}

void PackageMachineTest::needsWhatKernelsAreWrittenFor() {
  QFETCH(QString, sum);
  QFETCH(QString, target);
  QFETCH(QString, feature);
  QFETCH(bool, asks);
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
      "    @T.prim_func(s_tir=True)\n"
      "    def k(a: T.Buffer((16,), \"int32\"), b: T.Buffer((16,), \"int32\"), c: T.Buffer((16,), \"int32\")):\n"
      "        for i in range(16):\n"
      "            with T.sblock(\"dot\"):\n"
      "                c[i] = " +
      sum.toStdString() + "\n";
  const auto module = script::parseModule(make<SourceFile>("k.py", text));
  QVERIFY2(module, module ? "" : module.diagnostics()[0].message.c_str());
  const auto named = target::parseTarget(target.toStdString());
  QVERIFY(named);
  const auto machine = exporter::packageMachine(*named, *module);
  QVERIFY2(machine, machine ? "" : machine.diagnostics()[0].message.c_str());
  const std::vector<std::string>& needs = machine->needs;
  const bool found = std::find(needs.begin(), needs.end(), feature.toStdString()) != needs.end();
  QCOMPARE(found, asks && codegen::processorFeatures().contains(feature.toStdString()));
  QCOMPARE(QString::fromStdString(machine->machine.features).split(',').contains("+" + feature), found);
}

QTEST_GUILESS_MAIN(PackageMachineTest)
#include "tst_package_machine.moc"
