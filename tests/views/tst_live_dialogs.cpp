// The dialogs of the real window: what opens, what a run takes from which file, what lists name.
#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFontComboBox>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTreeView>

#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
#include "live_bench.h"
#include "views/models/samples.h"
#include "views/panels/list_view.h"
#include "views/shell/argument_plan.h"
#include "views/shell/colour_page.h"
#include "views/shell/dialogs.h"
#include "views/shell/start_page.h"

using namespace rx;
using namespace rx::views;

class LiveDialogsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

  template <class T>
  static T* inDialog(LiveBench& bench, const QString& title) {
    for (QDialog* dialog : bench.window.findChildren<QDialog*>()) {
      if (dialog->isVisible() && dialog->windowTitle().startsWith(title)) return dialog->findChild<T*>();
    }
    return nullptr;
  }
  static QDialog* shownDialog(LiveBench& bench) {
    for (QDialog* dialog : bench.window.findChildren<QDialog*>())
      if (dialog->isVisible()) return dialog;
    return nullptr;
  }
  static PlanModel* planOf(LiveBench& bench) {
    const ListView* table = inDialog<ListView>(bench, "Run");
    return table ? static_cast<PlanModel*>(table->model()) : nullptr;
  }
  /// Waits until the tool has said what the parameters take, and they are `wanted`.
  static bool planIs(LiveBench& bench, const QStringList& wanted) {
    const auto statuses = [&] {
      QStringList all;
      if (const PlanModel* model = planOf(bench))
        for (const PlanRow& row : model->rows()) all << row.status;
      return all;
    };
    const bool same = QTest::qWaitFor([&] { return statuses() == wanted; }, kPatience);
    if (!same) qWarning() << statuses() << wanted;
    return same;
  }

  static void pressRun(LiveBench& bench) {
    const auto* files = inDialog<QListWidget>(bench, "Run");
    for (QPushButton* button : files->window()->findChildren<QPushButton*>())
      if (button->text() == "Run") return button->click();
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Files and folders in one list; Enter opens what is a module and goes into what is only a folder.
  void openDialog() {
    LiveBench bench;
    QVERIFY(bench.does("file.open"));
    auto* list = inDialog<QTreeView>(bench, "Open");
    auto* edit = inDialog<QLineEdit>(bench, "Open");
    QVERIFY(list && edit);
    QVERIFY(QTest::qWaitFor([&] { return list->currentIndex().data().toString() == "attention"; }, kPatience));
    edit->setText("/");
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(list->isVisible());  // only a folder: it is shown
    QCOMPARE(edit->text(), QString("/"));
    // A path that is begun in the list goes on in its field.
    list->setFocus();
    QTest::keyClicks(list, "~");
    QVERIFY(edit->hasFocus());
    QTest::keyClicks(edit, "/x");
    QCOMPARE(edit->text(), QString("~/x"));
    edit->setText(path("absent.py"));
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(list->isVisible());
    // Also while names are offered below the field.
    edit->setText(kSamples);
    QTest::keyClicks(edit, "mlp");
    QVERIFY(QTest::qWaitFor([&] { return edit->completer()->popup()->isVisible(); }, kPatience));
    QTest::keyClick(edit->completer()->popup(), Qt::Key_Return);
    QVERIFY(bench.settle());
    QVERIFY(bench.document.path().endsWith("mlp"));
    QVERIFY(!inDialog<QTreeView>(bench, "Open"));
    // What was opened is among the places, with its folder; the samples hold the texts of every age.
    QVERIFY(bench.does("file.open"));
    QStringList places;
    auto* recent = inDialog<QListWidget>(bench, "Open");
    for (int i = 0; i < recent->count(); ++i) places << recent->item(i)->text();
    QVERIFY2(places.contains("samples / mlp"), qPrintable(places.join(", ")));
    QVERIFY(bench.does("file.sample", {"eras/v016.py"}));
    QCOMPARE(bench.document.state(), Document::State::Ready);
    const auto rows = sampleRows();
    QVERIFY(std::any_of(rows.begin(), rows.end(), [](const SampleRow& r) { return r.name == "eras/v027.py"; }));
  }

  /// Whatever takes the focus or a click in any dialog has a name for readers of the screen, and words can be read on
  /// their ground, in both themes.
  void namesAndContrast() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}) && bench.does("select.binding", {"scores"}));
    QStringList wrong;
    int dialogs = 0;
    for (const char* theme : {"light", "dark"}) {
      QVERIFY(bench.does("view.theme", {theme}));
      for (const QString& name : dialogNames()) {
        if (!bench.window.showDialog(name).isEmpty()) continue;
        QVERIFY(bench.settle());
        QDialog* dialog = nullptr;
        for (QDialog* one : bench.window.findChildren<QDialog*>())
          if (one->isVisible()) dialog = one;
        QVERIFY2(dialog, qPrintable(name));
        ++dialogs;
        for (const QWidget* widget : dialog->findChildren<QWidget*>()) {
          if (!widget->isVisible() || widget->objectName().startsWith("qt_")) continue;
          const auto* button = qobject_cast<const QAbstractButton*>(widget);
          if (qobject_cast<const QHeaderView*>(widget)) continue;
          const bool asks = button || qobject_cast<const QLineEdit*>(widget) ||
                            qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
                            qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const QSpinBox*>(widget);
          // As a reader of the screen hears it: a name of its own, or that of the label before it.
          QAccessibleInterface* heard =
              asks ? QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget)) : nullptr;
          const QString said = heard ? heard->text(QAccessible::Name) : QString();
          const auto* labelled = qobject_cast<const QLabel*>(widget);
          const QString what =
              QStringLiteral("%1 %2: %3 %4").arg(theme, name, widget->metaObject()->className(), widget->objectName());
          // The dialogs of files are Qt's own.
          if (asks && said.isEmpty() && !dialog->inherits("QFileDialog")) wrong << what + " has no name";
          if (!labelled || labelled->text().isEmpty() || !labelled->isEnabled()) continue;
          const QPalette& colours = labelled->palette();
          const double ratio =
              contrastRatio(colours.color(labelled->foregroundRole()), colours.color(labelled->backgroundRole()));
          if (ratio < 4.5) wrong << what + QStringLiteral(" “%1”: %2").arg(labelled->text().left(20)).arg(ratio);
        }
        dialog->close();
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      }
    }
    QVERIFY2(dialogs >= 50, qPrintable(QString::number(dialogs)));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// Where a dialog was opened from has the focus again behind it.
  void aDialogReturnsTheFocus() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("view.panel", {"passes"}));
    const QWidget* before = QApplication::focusWidget();
    QVERIFY(before);
    QVERIFY(bench.window.run("debug.start"));
    auto* dialog = bench.window.findChild<QDialog*>();
    QVERIFY(dialog && QTest::qWaitForWindowActive(dialog));
    dialog->close();
    QVERIFY(QTest::qWaitFor([&] { return QApplication::focusWidget() == before; }, 2000));
  }

  /// Escape closes every dialog, whatever has the focus in it, changes nothing, and leaves the focus in the window.
  void escapeCloses() {
    LiveBench bench;
    QVERIFY(bench.open("attention") && bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"scores"}) && bench.does("view.panel", {"ir"}));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    const QString place = bench.selection.place().variable;
    for (const QString& name : dialogNames()) {
      if (!bench.window.showDialog(name).isEmpty()) continue;
      QPointer<QDialog> dialog = shownDialog(bench);
      // Those of files are Qt's own, of which one stands for all.
      if (name != "savePicture" && qobject_cast<QFileDialog*>(dialog)) continue;
      QVERIFY2(dialog && QTest::qWaitForWindowActive(dialog) && bench.settle(), qPrintable(name));
      const auto inDialogNow = [&] { return dialog->isAncestorOf(QApplication::focusWidget()); };
      if (!QTest::qWaitFor(inDialogNow, 2000))
        qWarning() << name << QApplication::focusWidget() << QApplication::activeWindow();
      QVERIFY2(inDialogNow(), qPrintable(name));
      QWidget* focus = QApplication::focusWidget();
      QTest::keyClick(focus, Qt::Key_Escape);
      QVERIFY2(QTest::qWaitFor([&] { return !dialog || !dialog->isVisible(); }, 2000), qPrintable(name));
      const auto inWindow = [&] {
        const QWidget* now = QApplication::focusWidget();
        return now && now != &bench.window && now->window() == &bench.window;
      };
      QVERIFY2(QTest::qWaitFor(inWindow, 2000), qPrintable(name));
    }
    QCOMPARE(bench.selection.place().variable, place);
    QCOMPARE(bench.debug.state(), RunState::Ended);
    // What lies over the panels goes in the same way: the search, its field in a text, the page of a rule.
    for (const char* over : {"view.palette", "edit.find"}) {
      QVERIFY(bench.does("view.panel", {"ir"}) && bench.window.run(over));
      QPointer<QWidget> field = QApplication::focusWidget();
      QVERIFY2(qobject_cast<QLineEdit*>(field), over);
      // What was not looked for is not said to be missing.
      for (const QLabel* label : field->parentWidget()->findChildren<QLabel*>())
        QVERIFY2(!label->text().contains("results"), qPrintable(label->text()));
      QTest::keyClick(field, Qt::Key_Escape);
      QVERIFY2(!field || !field->isVisible(), over);
      const auto inText = [&] { return bench.window.panel("ir")->isAncestorOf(QApplication::focusWidget()); };
      if (!QTest::qWaitFor(inText, 2000)) qWarning() << over << QApplication::focusWidget();
      QVERIFY2(inText(), over);
    }
    QVERIFY(bench.does("problem.explain", {"relax.undefined-var"}));
    QWidget* page = QApplication::focusWidget();
    QVERIFY(page && page->accessibleName() == "What the rule means" &&
            page->height() > page->fontMetrics().height() * 5);
    QTest::keyClick(page, Qt::Key_Escape);
    QVERIFY(!page->isVisible());
  }

  /// Return does what the dialog is for, or closes one that is only looked at; it presses no other button, such as the
  /// one that takes all settings back.
  void returnGoesOn() {
    LiveBench bench;
    QVERIFY(bench.open("attention") && bench.does("select.binding", {"scores"}));
    const auto press = [&](QWidget* in) { QTest::keyClick(in, Qt::Key_Return); };
    bench.settings.setValue("theme", "dark");
    QVERIFY(bench.does("view.settings"));
    auto* scale = inDialog<QDoubleSpinBox>(bench, "Settings");
    QVERIFY(scale && QTest::qWaitForWindowActive(scale->window()));
    scale->setFocus();
    scale->setValue(120);
    press(scale);
    QCOMPARE(bench.settings.textScale(), 1.2);
    QCOMPARE(bench.settings.theme(), QString("dark"));
    QVERIFY(QTest::qWaitFor([&] { return !shownDialog(bench); }, 2000));
    bench.settings.setValue("textScale", 1.0);
    bench.window.applyLook();
    // What a command refuses stays, to be changed; nothing is not asked for.
    QVERIFY(bench.does("file.openLink"));
    auto* link = inDialog<QLineEdit>(bench, "Open Link");
    QVERIFY(link && link->width() > link->fontMetrics().averageCharWidth() * 50);
    press(link);
    QVERIFY(link->isVisible());
    link->setText("http://example.org/");
    press(link);
    QVERIFY(link->isVisible());
    QTest::keyClick(link, Qt::Key_Escape);
    QVERIFY(bench.does("bookmark.note"));
    auto* note = inDialog<QLineEdit>(bench, "Note");
    QVERIFY(note);
    note->setText("too large");
    press(note);
    QVERIFY(QTest::qWaitFor([&] { return !shownDialog(bench); }, 2000));
    QVERIFY2(bench.window.dump("bookmarks").contains("too large"), qPrintable(bench.window.dump("bookmarks")));
    // The row of a help page is run.
    QVERIFY(bench.does("help.panel", {"timeline"}));
    auto* rows = inDialog<ListView>(bench, "Help");
    QVERIFY(rows && rows->currentIndex().isValid() && rows->selectionModel()->isSelected(rows->currentIndex()));
  }

  /// What is written is named after what is open, beside it, and gets its ending where none was written.
  void filesAreNamed() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("select.binding", {"lv1"}));
    const std::pair<const char*, const char*> names[] = {{"savePicture", "mlp-picture.png"},
                                                         {"shareStage", "mlp-stage0.html"},
                                                         {"shareValue", "mlp-lv1.html"},
                                                         {"saveValue", "mlp-lv1.npy"},
                                                         {"diagnostics", "relaxscope-diagnostics.txt"}};
    for (const auto& [dialogName, name] : names) {
      QVERIFY(bench.window.showDialog(dialogName).isEmpty());
      auto* dialog = qobject_cast<QFileDialog*>(shownDialog(bench));
      QVERIFY2(dialog, dialogName);
      QCOMPARE(QFileInfo(dialog->selectedFiles().value(0)).fileName(), QString(name));
      QCOMPARE(dialog->directory().canonicalPath(), QDir(kSamples + "mlp").canonicalPath());
      QCOMPARE(dialog->defaultSuffix(), QString(name).section('.', -1));
      dialog->close();
    }
  }

  /// Lists in dialogs have an edge, fields beside each other one height, names their whole length where there is room;
  /// marks of a text for printing are not shown.
  void looks() {
    LiveBench bench;
    QVERIFY(bench.open("decoder") && bench.does("debug.start"));
    const auto* table = inDialog<ListView>(bench, "Run");
    QVERIFY(table && QTest::qWaitFor([&] { return planOf(bench)->rowCount() > 5; }, kPatience));
    for (const PlanRow& row : planOf(bench)->rows()) {
      QVERIFY2(table->fontMetrics().horizontalAdvance(row.parameter) < table->columnWidth(PlanModel::kParameter),
               qPrintable(row.parameter));
      QVERIFY2(!row.given.contains("float") && row.given.endsWith('2'), qPrintable(row.given));  // f32, as elsewhere
    }
    const QDialog* run = shownDialog(bench);
    const auto* seed = run->findChild<QSpinBox*>();
    for (const QLineEdit* field : run->findChildren<QLineEdit*>())
      if (field->accessibleName() == "Values of symbols") QCOMPARE(seed->height(), field->height());
    for (const QString& name : {QString("open"), QString("run"), QString("shortcuts"), QString("help")}) {
      QVERIFY(bench.window.showDialog(name).isEmpty() && bench.settle());
      for (const QAbstractItemView* list : shownDialog(bench)->findChildren<QAbstractItemView*>())
        if (list->isVisible() && !list->inherits("QHeaderView"))
          QVERIFY2(list->frameWidth() > 0, qPrintable(name + ' ' + list->accessibleName()));
      QVERIFY2(!bench.window.dump("dialog").contains('`'), qPrintable(name));
    }
    shownDialog(bench)->close();
    QVERIFY(!bench.window.dump("shortcuts").contains('`'));
    LiveBench empty;
    QVERIFY2(!empty.window.dump("start").contains('`'), qPrintable(empty.window.dump("start")));
    QSet<int> lefts;
    int filled = 0;
    QVERIFY(QTest::qWaitForWindowExposed(&empty.window));
    for (const QPushButton* button : empty.window.findChild<StartPage*>()->findChildren<QPushButton*>()) {
      if (!button->isVisible()) continue;
      lefts.insert(button->mapTo(&empty.window, QPoint(button->width(), 0)).x());
      filled += button->property("primary").toBool();
    }
    QCOMPARE(lefts.size(), qsizetype{1});  // what the samples are stands in one column
    QCOMPARE(filled, 1);
  }

  /// Where there is little room the names of files keep theirs: the date gives way first, then the size.
  void openDialogKeepsNames() {
    constexpr int kSize = 1, kDate = 3;
    LiveBench bench;
    QVERIFY(bench.does("file.open"));
    auto* list = inDialog<QTreeView>(bench, "Open");
    const int letter = list->fontMetrics().averageCharWidth();
    const auto at = [&](int letters) {
      list->setFixedWidth(letter * letters);
      QApplication::processEvents();
    };
    at(90);
    QVERIFY(!list->isColumnHidden(kSize) && !list->isColumnHidden(kDate));
    at(50);
    QVERIFY(!list->isColumnHidden(kSize) && list->isColumnHidden(kDate));
    QVERIFY(list->columnWidth(0) >= letter * 24);
    at(35);
    QVERIFY(list->isColumnHidden(kSize) && list->isColumnHidden(kDate));
    at(90);
    QVERIFY(!list->isColumnHidden(kSize) && !list->isColumnHidden(kDate));
  }

  /// Weights under other names, in another format, one file an array: what fits, what is missing, what is too much.
  void runDialog() {
    const auto given = readNpz((kSamples + "mlp/params.npz").toStdString());
    QVERIFY(given);
    std::vector<NamedTensor> renamed;
    for (const auto& [name, tensor] : *given) renamed.emplace_back("w_" + name, tensor);
    QVERIFY(writeSafetensors(path("weights.safetensors").toStdString(), renamed));
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const qsizetype count = static_cast<qsizetype>(main.params.size());
    QVERIFY(bench.does("debug.start"));
    QStringList fit(count, QString("fits"));
    QVERIFY(planIs(bench, fit));
    auto* files = inDialog<QListWidget>(bench, "Run");
    QCOMPARE(files->count(), 2);  // params.npz and inputs.npz beside the module
    files->clear();
    files->addItem(kSamples + "mlp/inputs.npz");
    files->addItem(path("weights.safetensors"));
    auto* choice = inDialog<QComboBox>(bench, "Run");
    QVERIFY(choice);
    // The other names: missing, and as many arrays that nothing takes.
    auto* dialog = qobject_cast<QDialog*>(files->window());
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text() == "Remove") files->setCurrentRow(-1), button->click();  // removes nothing, asks again
    QStringList wrong{"fits"};
    for (qsizetype i = 1; i < count; ++i) wrong << "missing";
    for (qsizetype i = 1; i < count; ++i) wrong << "extra";
    QVERIFY(planIs(bench, wrong));
    for (qsizetype i = 1; i < count; ++i) {
      PlanModel* model = planOf(bench);
      const QModelIndex cell = model->index(static_cast<int>(i), PlanModel::kTakes);
      QVERIFY(model->flags(cell).testFlag(Qt::ItemIsEditable));
      QVERIFY(model->setData(cell, "w_" + main.params[static_cast<size_t>(i)].name, Qt::EditRole));
    }
    QVERIFY(planIs(bench, fit));
    QVERIFY(planOf(bench)->rows()[1].preview.contains("min "));
    QVERIFY(
        planOf(bench)->setData(planOf(bench)->index(1, PlanModel::kTakes), "w_" + main.params[2].name, Qt::EditRole));
    QVERIFY(QTest::qWaitFor([&] { return planOf(bench)->rows()[1].status.startsWith("wrong"); }, kPatience));
    QVERIFY(planOf(bench)->setData(planOf(bench)->index(1, PlanModel::kTakes), "@zero", Qt::EditRole));
    fit[1] = "zero";
    QStringList zero = fit;
    zero << "extra";  // the array that it took before
    QVERIFY(planIs(bench, zero));
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text() == "Run") button->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    const ValueSummary weight = bench.debug.valueOfParam("main", main.params[1].name);
    QCOMPARE(weight.min, 0.0);
    QCOMPARE(weight.max, 0.0);
    QVERIFY2(bench.debug.commandLine().contains("--map"), qPrintable(bench.debug.commandLine()));
  }

  /// Which parameters are inputs is a guess until the user says it: the state of a recurrent cell looks like weights.
  void inputsAreSaid() {
    const QByteArray cell = R"(from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4), "float32"), h: R.Tensor((1, 8), "float32"), c: R.Tensor((1, 8), "float32"), w_ih: R.Tensor((8, 4), "float32"), w_hh: R.Tensor((8, 8), "float32")):
        with R.dataflow():
            t_ih = R.permute_dims(w_ih)
            t_hh = R.permute_dims(w_hh)
            a = R.matmul(x, t_ih)
            b = R.matmul(h, t_hh)
            g = R.sigmoid(R.add(a, b))
            n = R.multiply(g, R.add(c, R.tanh(g)))
            R.output(n)
        return n
)";
    QVERIFY(write(path("cell.py"), cell));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path("cell.py")}) && bench.settle());
    QVERIFY(bench.does("debug.start"));
    const auto roles = [&] {
      QStringList all;
      if (const PlanModel* model = planOf(bench))
        for (const PlanRow& row : model->rows()) all << row.role;
      return all.join(' ');
    };
    QTRY_COMPARE_WITH_TIMEOUT(roles(), QString("input? weight? weight? weight? weight?"), kPatience);
    QVERIFY2(planOf(bench)->rows()[2].roleWhy.contains("guess"), qPrintable(planOf(bench)->rows()[2].roleWhy));
    // Calls pass inputs first: what is only guessed of the others gives way.
    auto* table = inDialog<ListView>(bench, "Run");
    table->setFocus();
    table->setCurrentIndex(planOf(bench)->index(2, 0));
    QTest::keyClick(table, Qt::Key_Space);
    QTRY_COMPARE_WITH_TIMEOUT(roles(), QString("input input input weight weight"), kPatience);
    QVERIFY(planOf(bench)->rows()[2].roleWhy.contains("You said it"));
    // What can not be is said below the table and changes nothing.
    const auto refused = [&](int row, const char* role) {
      planOf(bench)->setData(planOf(bench)->index(row, PlanModel::kRole), role, Qt::EditRole);
      return shownDialog(bench)->findChild<QLabel*>("rolesSay")->text();
    };
    QVERIFY2(refused(0, "weight").contains("a call needs an input"), qPrintable(refused(0, "weight")));
    QVERIFY2(refused(1, "weight").contains("while c behind it is an input"), qPrintable(refused(1, "weight")));
    QVERIFY2(refused(4, "input").contains("while w_ih before it is a weight"), qPrintable(refused(4, "input")));
    QCOMPARE(roles(), QString("input input input weight weight"));
    shownDialog(bench)->close();
    QCOMPARE(bench.document.inputCounts(), QStringList{"main=3"});
    QVERIFY(bench.document.commandLine(0).endsWith("--num-input main=3"));
    QVERIFY(bench.settle());
    QCOMPARE(bench.document.stage(0)->function("main")->numInput, 3);
    // The passes go by it: what depends on weights alone is lifted, and only that.
    const QString usual = bench.document.pipeline();
    bench.document.setPipeline("LiftTransformParams()");
    bench.document.runPassesTo(1);
    QVERIFY(bench.settle());
    QCOMPARE(bench.document.lastStage(), 1);
    QCOMPARE(bench.document.stage(1)->function("main")->params.size(), size_t{5});
    QVERIFY(bench.document.stage(1)->function("main_transform_params"));
    bench.document.setPipeline(usual);
    // And the engine: what is run is what is shown.
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY2(bench.window.statusText().contains("Ended"), qPrintable(bench.window.statusText()));
    // Kept with the module, in the settings and in sessions.
    QVERIFY(bench.window.sessionPart().value("inputs").toArray().contains("main=3"));
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.document.inputCounts().isEmpty());
    QVERIFY(bench.does("file.open", {path("cell.py")}) && bench.settle());
    QCOMPARE(bench.document.inputCounts(), QStringList{"main=3"});
    QVERIFY(bench.does("module.inputs", {"main"}));
    QVERIFY(bench.document.inputCounts().isEmpty());
  }

  /// A run from the dialog, to its end: its result is compared with the file beside the inputs, as that of any run.
  void resultOfTheDialog() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start"));
    pressRun(bench);
    QVERIFY(bench.settle());
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.window.findChild<QWidget*>("resultBrief")->isVisible());
    QVERIFY2(bench.window.cardText().contains("equal to expected.npz"), qPrintable(bench.window.cardText()));
    QVERIFY2(bench.window.statusText().contains("Ended: equals expected.npz"), qPrintable(bench.window.statusText()));
    // What is made from a seed is no run that the file speaks of; its end is said all the same.
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(!bench.debug.result()->comparison);
    QVERIFY2(bench.window.statusText().contains("Ended: main returned (1, 10) f32"),
             qPrintable(bench.window.statusText()));
  }

  /// "About" says which LLVM is in the engine, in the engine's words.
  void aboutNamesTheCompiler() {
    LiveBench bench;
    QVERIFY(bench.does("help.about"));
    const auto* said = bench.window.findChild<QLabel*>("engineVersion");
    QVERIFY(said);
    QTRY_VERIFY2(said->text().contains(QRegularExpression("^Engine .+\\nLLVM [0-9]+\\.[0-9]+")),
                 qPrintable(said->text()));
  }

  /// Each budget is said once, and what was chosen of the look goes whole when the desktop's is asked for.
  void settingsSayWhatHolds() {
    LiveBench bench;
    bench.settings.setValue("fontFamily", "DejaVu Sans");
    QVERIFY(bench.does("view.settings"));
    const auto* fonts = inDialog<QFontComboBox>(bench, "Settings");
    QVERIFY(fonts);
    const QDialog* dialog = qobject_cast<const QDialog*>(fonts->window());
    int disk = 0;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
      disk += label->text() == "Disk of a recording";
      QVERIFY2(!label->text().contains("Not available"), qPrintable(label->text()));
    }
    QCOMPARE(disk, 1);
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text() == "As the desktop has it") button->click();
    QCOMPARE(fonts->currentText(), QString("as the desktop"));
    QVERIFY(bench.settings.value("fontFamily").toString().isEmpty());
  }

  /// A colour of the theme is changed in the settings: it is drawn at once, its contrast is looked at, and it goes
  /// back.
  void coloursAreChangedAndGivenBack() {
    LiveBench bench;
    bench.settings.setValue("theme", "light");
    bench.window.applyLook();
    QVERIFY(bench.open("mlp") && bench.does("select.function", {"main"}));
    QWidget* text = bench.window.panel("ir");
    const auto drawn = [&](const QColor& color) {
      const QImage image = text->grab().toImage();
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (image.pixelColor(x, y) == color) return true;
      return false;
    };
    const QColor ground("#f0e8d0"), plain = Palette::lightTheme().base;
    QVERIFY(!drawn(ground));
    QVERIFY(bench.does("view.settings", {"colours"}));
    auto* page = inDialog<ColourPage>(bench, "Settings");
    QVERIFY(page && page->isVisible());
    auto* list = page->findChild<ListView*>();
    auto* edit = page->findChildren<QLineEdit*>().last();
    const auto row = [&](const QString& title) {
      for (int r = 0; r < list->model()->rowCount(); ++r)
        if (list->model()->index(r, 1).data() == title) return list->setCurrentIndex(list->model()->index(r, 0));
    };
    const auto write = [&](const QString& value) {
      for (QLineEdit* each : page->findChildren<QLineEdit*>())
        if (each->accessibleName().startsWith("Colour of")) edit = each;
      edit->setFocus();
      edit->selectAll();
      QTest::keyClicks(edit, value);
    };
    const auto button = [&](const QString& title) {
      QPushButton* found = nullptr;
      for (QPushButton* each : page->findChildren<QPushButton*>())
        if (each->text() == title) found = each;
      return found;
    };
    row("content of panels");
    write("#f0e8d0");
    QCOMPARE(Palette::lightTheme().base, ground);
    QVERIFY(drawn(ground));
    // A role that Qt does not know of is drawn at once too; what can not be read is said, and made legible.
    row("keyword");
    write("#e0a0e8");
    QVERIFY(drawn(QColor("#e0a0e8")));
    auto* legible = button("Make It Legible");
    QVERIFY(legible->isEnabled());
    QStringList said;
    for (const QLabel* label : page->findChildren<QLabel*>()) said << label->text();
    QVERIFY2(said.join('|').contains("too little, "), qPrintable(said.join('|')));
    legible->click();
    QVERIFY(leastContrast(Palette::lightTheme(), *colorRole("keyword"))->ratio >= kLeastContrast);
    QVERIFY(!legible->isEnabled());
    // The dark theme is another one.
    QCOMPARE(Palette::darkTheme().keyword, plainTheme(true).keyword);
    button("As the Theme Has It")->click();
    QCOMPARE(Palette::lightTheme().keyword, plainTheme(false).keyword);
    button("All as the Theme Has Them")->click();
    QVERIFY(drawn(plain) && !drawn(ground));
    // By a command too, which can be undone.
    QVERIFY(!bench.window.run("view.colour", {"no such"}) && !bench.window.run("view.colour", {"text", "loud"}));
    QVERIFY(bench.does("view.colour", {"keyword", "#f0f0f0"}));
    QVERIFY2(bench.window.statusText().contains("hard to read"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("view.colour", {"keyword", "none"}));
    QCOMPARE(Palette::lightTheme().keyword, plainTheme(false).keyword);
  }

  /// A target that is none is refused in the dialog; the mode is what the times are the times of.
  void targetAndMode() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start"));
    auto* target = bench.window.findChild<QLineEdit*>("target");
    auto* mode = bench.window.findChild<QComboBox*>("mode");
    auto* says = bench.window.findChild<QLabel*>("targetProblem");
    QVERIFY(target && mode && says);
    target->setText("llvm -mcpu=no-such-processor");
    pressRun(bench);
    QVERIFY(target->isVisible());
    QVERIFY2(says->isVisible() && says->text().contains("no-such-processor"), qPrintable(says->text()));
    QCOMPARE(bench.debug.state(), RunState::Off);
    target->setText("llvm");
    QVERIFY(!says->isVisible());
    mode->setCurrentText("release");
    pressRun(bench);
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QCOMPARE(bench.debug.config().target, QString("llvm"));
    QVERIFY2(bench.debug.commandLine().contains("--mode release"), qPrintable(bench.debug.commandLine()));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY2(bench.window.cardText().contains(", optimised code"), qPrintable(bench.window.cardText()));
    QVERIFY(bench.does("debug.start", {"main", "mode=step", "stop=none"}));
    QVERIFY2(bench.window.cardText().contains("unoptimised code"), qPrintable(bench.window.cardText()));
    QVERIFY(!bench.window.run("debug.start", {"main", "mode=fast"}));
    QVERIFY2(bench.window.lastError().contains("release"), qPrintable(bench.window.lastError()));
    QVERIFY(!bench.window.run("debug.start", {"main", "target=no-such-kind"}));
  }

  /// What the dialog asks for, as lines of a script; what does not fit is refused by the engine.
  void runFromSeveralFiles() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const QStringList files{"main", "params=", "inputs=", "file=" + kSamples + "mlp/params.npz",
                            "file=" + kSamples + "mlp/inputs.npz"};
    QVERIFY(bench.does("debug.start", files));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.does("debug.stop"));
    bench.does("debug.start", files + QStringList{"map=p_0=no_such_array"});
    QVERIFY(bench.debug.state() != RunState::Stopped);
    QVERIFY2(bench.debug.deathReport().contains("no_such_array"), qPrintable(bench.debug.deathReport()));
    QVERIFY(!bench.window.run("debug.start", {"main", "map=nothing"}));
  }

  /// What runs may take comes from the settings, or from the command; a run that takes more says so.
  void budgetsHold() {
    LiveBench bench;
    QVERIFY(bench.does("view.settings"));
    auto* number = bench.window.findChild<QSpinBox*>();
    for (QSpinBox* box : bench.window.findChildren<QSpinBox*>())
      if (box->accessibleName() == "Instructions of a run") number = box;
    QVERIFY(number);
    QCOMPARE(number->accessibleName(), QString("Instructions of a run"));
    number->setValue(3);
    QVERIFY(bench.open("mlp"));
    bench.does("debug.start", {"main", "seed=1", "stop=none"});
    QVERIFY(bench.debug.failure());
    QVERIFY2(bench.window.dump("problems").contains("budget of 3 instructions"),
             qPrintable(bench.window.dump("problems")));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "instructions=0"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(!bench.debug.failure());
    QVERIFY(!bench.window.run("debug.start", {"main", "memory=lots"}));
    QVERIFY(!bench.window.run("debug.start", {"main", "memory=-1"}));
    number->setValue(0);
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }
};

QTEST_MAIN(LiveDialogsTest)
#include "tst_live_dialogs.moc"
