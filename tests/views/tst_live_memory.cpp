// The Memory panel over real runs.
#include <QAbstractItemModelTester>
#include <QSpinBox>

#include "live_bench.h"
#include "views/models/module_tree_model.h"
#include "views/panels/list_view.h"
#include "views/panels/memory/memory_plan_view.h"
#include "views/panels/watch/watch_plot_view.h"

using namespace rx;
using namespace rx::views;

class LiveMemoryTest : public QObject {
  Q_OBJECT

  static QStringList rowsOf(LiveBench& bench) {
    const auto* view = bench.window.panel("memory")->findChild<ListView*>();
    QStringList rows;
    for (int row = 0; row < view->model()->rowCount(); ++row) rows << view->model()->index(row, 1).data().toString();
    return rows;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Nothing is claimed of a module that does not run.
  void saysNothingWithoutARun() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY(rowsOf(bench).isEmpty());
    QVERIFY(!bench.window.dump("memory").contains("alive in"));
  }

  /// At the end of a run all memory was given back: that is said, and not what stands here while it is stopped.
  void saysThatNothingIsAlive() {
    LiveBench bench;
    QVERIFY(bench.open("attention") && bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("view.panel", {"memory"}) && rowsOf(bench).isEmpty());
    const QString said = bench.window.dump("memory");
    QVERIFY2(said.contains(QStringLiteral("Nothing is alive at step %1.").arg(bench.debug.stop().step)),
             qPrintable(said));
  }

  /// Before it runs, a stage says what it plans: each buffer from the call that writes it to the last that reads it.
  void showsWhatAStagePlans() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY(bench.does("pass.goTo", {"CallTIRRewrite"}));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString before = bench.window.dump("memory");
    QVERIFY2(before.contains("each in memory of its own"), qPrintable(before));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    const QString after = bench.window.dump("memory");
    QVERIFY2(after.contains("pieces of memory") && after.contains("most alive"), qPrintable(after));
    QVERIFY2(after != before, qPrintable(after));
    // A click on a buffer selects the call that writes it.
    auto* picture = bench.window.panel("memory")->findChild<MemoryPlanView*>();
    QVERIFY(picture->isVisible());
    bench.selection.selectFunction("main");
    for (int x = picture->width() - 1; x > picture->width() / 3 && bench.selection.place().binding < 0; x -= 5)
      QTest::mouseClick(picture, Qt::LeftButton, {}, QPoint(x, picture->height() / 2));
    QVERIFY(bench.settle());
    const StageIndexPtr stage = bench.document.stage(bench.selection.place().stage, false);
    const BindingRow* chosen = stage->function("main")->binding(bench.selection.place().binding);
    QVERIFY(chosen && !chosen->writes.empty());
    // Shown by its command it has the focus, and arrows walk over its buffers.
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("view.panel", {"ir"}) && bench.does("view.panel", {"memory"}));
    QVERIFY(picture->hasFocus());
    const int at = bench.selection.place().binding;
    QTest::keyClick(picture, Qt::Key_Left);
    QVERIFY(bench.selection.place().binding < at);
    QTest::keyClick(picture, Qt::Key_Right);
    QCOMPARE(bench.selection.place().binding, at);
    // Where it goes while the panel has the focus, that stays in the panel.
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.window.panel("memory")->isAncestorOf(QApplication::focusWidget()));
    // A stage without buffers has no plan, and a run says what is.
    QVERIFY(bench.does("pass.first"));
    QVERIFY(!picture->isVisible());
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY(!picture->isVisible());
    QVERIFY(bench.window.dump("memory").contains("alive in"));
    // Beside a run the plan can be asked for, and the run again.
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("memory.planned", {"after"}));
    QVERIFY2(picture->isVisible() && bench.window.dump("memory").contains("pieces of memory"),
             qPrintable(bench.window.dump("memory")));
    QVERIFY(bench.does("debug.stepOver") && picture->isVisible());
    QVERIFY(bench.does("memory.planned", {"run"}));
    QVERIFY2(!picture->isVisible() && bench.window.dump("memory").contains("alive in"),
             qPrintable(bench.window.dump("memory")));
    QVERIFY(bench.does("debug.stop") && !bench.window.run("memory.planned", {"run"}));
    QVERIFY(picture->isVisible());
  }

  void showsWhatIsAlive() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QAbstractItemModelTester tester(bench.window.panel("memory")->findChild<ListView*>()->model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY2(bench.does("debug.start", {"main", "seed=1"}), qPrintable(bench.window.lastError()));
    QVERIFY(bench.does("view.panel", {"memory"}));  // behind the layout that a run brings
    const qsizetype inputs = rowsOf(bench).size();
    QVERIFY(inputs > 1);  // x and the weights
    const QString atEntry = bench.window.dump("memory");
    QVERIFY2(atEntry.contains("alive in") && atEntry.contains("most at a time"), qPrintable(atEntry));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY2(rowsOf(bench).size() > inputs, qPrintable(rowsOf(bench).join(' ')));
    // The one that a step made says which call it was, and leads to its binding.
    const auto* view = bench.window.panel("memory")->findChild<ListView*>();
    QVERIFY2(bench.window.dump("memory").contains("\talloc_storage\t"), qPrintable(bench.window.dump("memory")));
    QVERIFY2(bench.window.dump("memory").contains("\tinput\t"), qPrintable(bench.window.dump("memory")));
    QString chosen;
    for (int row = 0; row < view->model()->rowCount() && chosen.isEmpty(); ++row) {
      const QModelIndex index = view->model()->index(row, 1);
      if (index.data().toString().isEmpty()) continue;
      chosen = index.data().toString();
      const QRect place = view->visualRect(index);
      QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, place.center());
    }
    QVERIFY(!chosen.isEmpty());
    QVERIFY(bench.settle());
    const Place& place = bench.selection.place();
    const FunctionRow* function = bench.document.stage(place.stage)->function(place.function);
    QVERIFY(function && function->binding(place.binding));
    QCOMPARE(function->binding(place.binding)->called, chosen);
  }

  /// The files beside the module say how large symbols are, and another size can be tried without a run.
  void symbolsHaveSizes() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.layout", {"Debug"}) && bench.does("view.panel", {"memory"}));
    const auto memory = [&] { return bench.window.dump("memory"); };
    QVERIFY2(memory().contains("storage4\t288 B"), qPrintable(memory()));
    // What the function returns is no temporary: it lies in memory of its own.
    QVERIFY2(memory().contains(QString::fromUtf8("15 buffers, 4.61 kB = 528 n + 40 n² B › 7 pieces of memory, "
                                                 "2.16 kB = 264 n + 16 n² B · most alive 1.54 kB at q_t · results "
                                                 "apart, 384 B")),
             qPrintable(memory()));
    // By hand: q, k, v and q_t have 6 x 32 numbers of 2 bytes each.
    QVERIFY2(memory().contains("Alive at the peak, q_t: 4 buffers, 1.54 kB"), qPrintable(memory()));
    QVERIFY(bench.does("memory.top", {"weights"}));
    QVERIFY2(memory().contains("Alive at weights: 4 buffers, 1.01 kB"), qPrintable(memory()));
    QVERIFY(!bench.window.run("memory.top", {"nothing"}));
    QVERIFY2(bench.window.dump("graph").contains("s4 · 288 B"), qPrintable(bench.window.dump("graph")));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const QString inspector = bench.window.dump("inspector");
    QVERIFY2(inspector.contains("= 288 B") && inspector.contains("storage4, 288 B"), qPrintable(inspector));
    QVERIFY2(bench.window.dump("ir").contains("writes storage4"), qPrintable(bench.window.dump("ir")));

    QVERIFY2(inspector.contains("Memory of the whole function") && inspector.contains("15 7") &&
                 inspector.contains("4.61 kB 2.16 kB"),
             qPrintable(inspector));
    // A name leads to the call that wrote it, and that to who reads it, one after the other.
    const FunctionRow& main = *bench.document.stage(9)->function("main");
    const auto selected = [&] { return main.binding(bench.selection.place().binding)->called; };
    QVERIFY(bench.does("select.binding", {"powers"}) && bench.does("memory.writer"));
    QCOMPARE(main.binding(bench.selection.place().binding)->callee, QString("tir_exp"));
    QVERIFY(bench.does("memory.reader"));
    QCOMPARE(selected(), QString("total"));
    QVERIFY(bench.does("memory.reader"));
    QCOMPARE(selected(), QString("weights"));
    QVERIFY(bench.does("memory.reader"));
    QCOMPARE(selected(), QString("total"));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString whole = bench.window.dump("inspector");
    QVERIFY2(whole.contains("What StaticPlanBlockMemory did") && whole.contains("main: 7 bindings more"),
             qPrintable(whole));

    auto* number = bench.window.panel("memory")->findChild<QSpinBox*>();
    QVERIFY(number && number->isVisible());
    QCOMPARE(number->value(), 6);
    number->setValue(12);
    QVERIFY(bench.settle());
    QVERIFY2(memory().contains("storage4\t1.15 kB"), qPrintable(memory()));
    QVERIFY2(bench.window.dump("graph").contains("s4 · 1.15 kB"), qPrintable(bench.window.dump("graph")));
    QVERIFY(!bench.window.run("memory.size", {"n", "0"}));
    QVERIFY(!bench.window.run("memory.size", {"n"}));
    QVERIFY(bench.does("memory.size", {"n", "6"}));

    QVERIFY(bench.does("memory.planned", {"before"}));
    QVERIFY2(
        memory().contains(QString::fromUtf8("15 buffers, each in memory of its own, 4.61 kB = 528 n + 40 n² B › 7")),
        qPrintable(memory()));
    QVERIFY2(memory().contains("each in memory of its own") && !memory().contains("storage4"), qPrintable(memory()));
    QVERIFY(!bench.window.run("memory.planned", {"between"}));
    QVERIFY(bench.does("memory.planned", {"after"}));
    QVERIFY(memory().contains("storage4\t288 B"));
    // What was chosen is of this module alone.
    QVERIFY(bench.does("memory.size", {"n", "12"}) && bench.open("mlp") && bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY2(memory().contains("storage4\t288 B"), qPrintable(memory()));
  }

  /// What a network and a decoder take, against sums by hand.
  void sumsOfModels() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    const auto memory = [&] { return bench.window.dump("memory"); };
    // The first convolution gives 64 x 112 x 112 numbers of 4 bytes, 3,211,264, and so does its normalisation, beside
    // mean and variance of 64 numbers each. Two storages of that size and those of the later blocks, 802,816 (56 x 56),
    // 100,352 twice, 4,000 and 2,048, are 7,431,744 bytes.
    QVERIFY2(memory().contains("7 pieces of memory, 7.43 MB") && memory().contains("most alive 6.42 MB at lv2"),
             qPrintable(memory()));
    const QString top = memory().mid(memory().indexOf("Alive at the peak"));
    QCOMPARE(top, QString("Alive at the peak, lv2: 4 buffers, 6.42 MB\nlv\t3.21 MB\ts0\tlv2\nlv2[0]\t3.21 MB\ts1\t"
                          "lv5\nlv2[1]\t256 B\ts2\tlv5\nlv2[2]\t256 B\ts3\tlv5"));
    // Seven tokens: silu, up and gated of the feed-forward are 7 x 128 numbers, what the attention gave is 7 x 64, and
    // the mask, of which the other layer reads, 7 x 7 bytes.
    QVERIFY(bench.open("decoder"));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY2(memory().contains("most alive 12.6 kB at gated_0") &&
                 memory().contains("Alive at the peak, gated_0: 5 buffers, 12.6 kB"),
             qPrintable(memory()));
  }

  /// Where memory is planned the tree tells calls of kernels, storages and the rest apart, and holds each binding once.
  void theTreeTellsStoragesApart() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16") && bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.dump("module").contains("storages"));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    const QString dump = bench.window.dump("module");
    QVERIFY2(dump.contains("kernel calls") && dump.contains("storages"), qPrintable(dump));
    const QAbstractItemModelTester tester(bench.window.panel("module")->findChild<QTreeView*>()->model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    const FunctionRow& main = *bench.document.stage(9)->function("main");
    for (const BindingRow& binding : main.bindings) {
      bench.selection.selectBinding("main", binding.ordinal, binding.name);
      QVERIFY(bench.settle());
      const QModelIndex shown = bench.window.panel("module")->findChild<QTreeView*>()->currentIndex();
      QCOMPARE(shown.data(ModuleTreeModel::kBindingRole).toInt(), binding.ordinal);
      const QString group = shown.parent().data().toString();
      QCOMPARE(group == "storages", binding.name.startsWith("storage"));
      QCOMPARE(group == "kernel calls", !binding.writes.empty());
    }
    const auto detailOf = [&](const QString& name) {
      bench.selection.selectBinding("main", main.bindingNamed(name)->ordinal, name);
      return bench.settle() ? bench.window.panel("module")->findChild<QTreeView*>()->currentIndex() : QModelIndex();
    };
    QCOMPARE(detailOf("storage4").data(ModuleTreeModel::kDetailRole).toString(), QString("288 B"));
    QCOMPARE(detailOf("storage4").parent().data(ModuleTreeModel::kDetailRole).toString(), QString("7, 2.16 kB"));
  }

  /// One number says the most that a run needed, on its card, in the status bar and beside the curve; arguments, which
  /// who calls has to the end, are part of it, and what functions have let go of is not.
  void thePeakIsOne() {
    QTemporaryDir folder;
    const QString file = folder.filePath("module.py");
    QVERIFY(write(file, R"(
@I.ir_module
class Module:
    @R.function
    def third(z: R.Tensor((64,), "float32")) -> R.Tensor((64,), "float32"):
        u = R.tanh(z)
        v = R.negative(u)
        return v

    @R.function
    def second(y: R.Tensor((64,), "float32")) -> R.Tensor((64,), "float32"):
        cls = Module
        z = R.exp(y)
        r = cls.third(z)
        return r

    @R.function
    def main(x: R.Tensor((64,), "float32"), w: R.Tensor((64,), "float32")) -> R.Tensor((64,), "float32"):
        cls = Module
        y = R.add(x, w)
        r = cls.second(y)
        return r
)"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    const qint64 peak = bench.debug.result()->peakBytes;
    std::optional<MemoryMap> map;
    bench.debug.fetchMemory(MemoryPart::All, &bench.window, [&](const MemoryMap& taken) { map = taken; });
    QTRY_VERIFY(map);
    QCOMPARE(map->peak, peak);
    double most = 0;
    for (const auto& point : map->curve.points) most = std::max(most, point.value);
    QCOMPARE(qint64(most), peak);
    qInfo("peak %lld", peak);
  }

  /// The curve covers the run; a click shows that step, and what was alive then.
  void theCurveLeadsToSteps() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"memory"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.does("view.panel", {"memory"}));
    auto* plot = bench.window.panel("memory")->findChild<WatchPlotView*>();
    QVERIFY(plot->isVisible());
    QVERIFY2(plot->text().contains("bytes alive over") && plot->text().contains("B"), qPrintable(plot->text()));
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(plot->width() / 2, plot->height() / 2));
    QVERIFY(bench.settle());
    const int middle = bench.debug.stop().step;
    QVERIFY(middle > 0 && middle < bench.debug.recorded());
    QVERIFY2(bench.window.dump("memory").contains(QStringLiteral("at step %1 ").arg(middle)),
             qPrintable(bench.window.dump("memory")));
  }
};

QTEST_MAIN(LiveMemoryTest)
#include "tst_live_memory.moc"
