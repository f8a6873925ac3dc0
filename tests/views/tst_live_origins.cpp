// Origins in the window: every binding of every stage leads back to the imported line.
#include <QAbstractItemView>

#include "live_bench.h"
#include "views/models/origin_chain.h"
#include "views/panels/panel.h"

using namespace rx;
using namespace rx::views;

class LiveOriginsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void everyBindingOfEveryStageHasAChain_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"attention_fp16", "branch", "dynamic"}) QTest::newRow(name) << name;
  }
  void everyBindingOfEveryStageHasAChain() {
    QFETCH(QString, sample);
    LiveBench bench;
    QVERIFY(bench.open(sample));
    QVERIFY(bench.does("pass.last"));
    const int last = bench.document.lastStage();
    QCOMPARE(last, 16);
    for (int stage = 0; stage <= last; ++stage) QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
    int checked = 0;
    for (int stage = 0; stage <= last; ++stage) {
      for (const FunctionRow& function : bench.document.stage(stage)->functions) {
        for (const BindingRow& row : function.bindings) {
          const OriginChain chain = originChain(bench.document, stage, function.name, row.ordinal, false);
          const QString where = QStringLiteral("stage %1 %2 %3").arg(stage).arg(function.name, row.name);
          QVERIFY2(chain.complete && !chain.links.empty(), qPrintable(where));
          QVERIFY2(chain.links.front().stage == 0 && chain.links.front().line > 0, qPrintable(where));
          QVERIFY2(chain.links.back().stage <= stage && !chain.links.back().text.isEmpty(), qPrintable(where));
          for (const OriginLink& link : chain.links) QVERIFY2(link.line > 0 && !link.pass.isEmpty(), qPrintable(where));
          ++checked;
        }
      }
    }
    QVERIFY(checked > 50);
  }

  /// The panel of origins has a row a stage, which stay while one walks along them, by a click or a key.
  void theOriginPanelIsWalked() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("view.panel", {"origin"}));
    QCOMPARE(bench.window.dump("origin").trimmed(), QString("0\timported\tR.divide(powers, total)\t28"));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    const QString all = bench.window.dump("origin");
    const QStringList rows = all.trimmed().split('\n');
    QVERIFY2(rows.size() > 2 && rows.front().startsWith("0\timported") && rows.back().startsWith("9\t"),
             qPrintable(all));
    auto* list = bench.window.panel("origin")->findChild<QAbstractItemView*>();
    QCOMPARE(list->currentIndex().row(), static_cast<int>(rows.size()) - 1);
    list->setFocus();
    for (qsizetype row = rows.size() - 1; row > 0; --row) QTest::keyClick(list, Qt::Key_Up);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 0);
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    QCOMPARE(bench.window.dump("origin"), all);
    QTest::keyClick(list, Qt::Key_End);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 9);
    QCOMPARE(bench.window.dump("origin"), all);
    QVERIFY(bench.does("select.binding", {"scores"}));
    QVERIFY(bench.window.dump("origin") != all);
  }

  /// What the passes did to one division, as the panel says it.
  void theInspectorSaysTheChain() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.window.dump("inspector").contains("From\n  0 R.divide(powers, total) line 28\n"));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const QString text = bench.window.dump("inspector");
    for (const char* row : {"0 R.divide(powers, total) line 28", "4 LegalizeOps R.call_tir(divide, powers, total) line",
                            "8 CallTIRRewrite alloc12 and divide(powers, total, alloc12) line",
                            "9 StaticPlanBlockMemory R.memory.alloc_tensor(storage4, n) line"})
      QVERIFY2(text.contains(QStringLiteral("\n  ") + row), qPrintable(text));
    QVERIFY(!text.contains("5 RewriteDataflowReshape"));  // it left this value as it was
  }

  /// The keys that match bindings of two stages: equal for what comes from the same lines, else different.
  void keysMatchStages() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    const FunctionRow* before = bench.document.stage(0)->function("main");
    const FunctionRow* after = bench.document.stage(4)->function("main");
    QVERIFY(before && after);
    const auto keysOf = [](const BindingRow& row) {
      QList<quint64> keys;
      for (const OriginRow& origin : row.origins) keys << origin.key;
      return keys;
    };
    QSet<QList<quint64>> keys;
    for (const BindingRow& row : before->bindings) {
      QVERIFY(!row.origins.empty());
      keys.insert(keysOf(row));
      const BindingRow* same = after->bindingNamed(row.name);
      QVERIFY(same);
      QCOMPARE(keysOf(*same), keysOf(row));
      const StageIndexPtr stage = bench.document.stage(4);
      QCOMPARE(stage->binding(stage->counterpart(row, "main")), same);
    }
    QCOMPARE(keys.size(), before->bindings.size());
  }
};

QTEST_MAIN(LiveOriginsTest)
#include "tst_live_origins.moc"
