// Comparisons in the real window: of stages and of files, in both forms, with and without names.
#include <QToolButton>

#include "live_bench.h"
#include "painted_texts.h"
#include "views/panels/diff/diff_panel.h"
#include "views/text/diff_view.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

namespace {

const QByteArray kHead =
    "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\"), w: R.Tensor((4,), dtype=\"float32\")):\n";
const QByteArray kBefore = kHead +
                           "        a = R.add(x, w)\n        b = R.exp(x)\n        c = R.multiply(a, b)\n"
                           "        d = R.tanh(c)\n        return d\n";
/// `a` is called `sum`, `b` stands first, the rest is as it was.
const QByteArray kRenamedAndMoved = kHead +
                                    "        b = R.exp(x)\n        sum = R.add(x, w)\n        c = R.multiply(sum, b)\n"
                                    "        d = R.tanh(c)\n        return d\n";
const QByteArray kRenamed = kHead +
                            "        sum = R.add(x, w)\n        e = R.exp(x)\n        product = R.multiply(sum, e)\n"
                            "        d = R.tanh(product)\n        return d\n";
/// Names again, but two of them change places where they are used.
const QByteArray kCrossed = kHead +
                            "        sum = R.add(x, w)\n        e = R.exp(x)\n        product = R.multiply(e, sum)\n"
                            "        d = R.tanh(product)\n        return d\n";

}  // namespace

class LiveDiffTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString file(const QString& name, const QByteArray& text) {
    const QString path = folder_.filePath(name);
    return write(path, text) ? path : QString();
  }
  static DiffPanel* panelOf(LiveBench& bench) {
    return qobject_cast<DiffPanel*>(bench.window.desk().window.panel("diff"));
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// What a pass did, function by function; F7 walks the changes.
  void aPassAndItsFunctions() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("pass.compareBefore"));
    const QString text = bench.window.dump("diff");
    QVERIFY2(text.contains("# main: ") && text.contains(" changed"), qPrintable(text));
    QVERIFY2(text.contains(": new\n"), qPrintable(text));
    QVERIFY(bench.does("diff.function", {"main"}));
    const int at = panelOf(bench)->view()->currentChange();
    QVERIFY(at >= 0);
    QVERIFY(bench.does("diff.next"));
    QVERIFY(bench.does("diff.previous"));
    QCOMPARE(panelOf(bench)->view()->currentChange(), at);
    QVERIFY(!bench.does("diff.function", {"nothing"}));
    // Functions that are new or gone one after the other are one change: each is gone to all the same.
    const QStringList made{"reshape", "matmul", "add", "relu", "softmax"};
    const auto atFunction = [](const TextView* side, const QString& name) {
      const std::string head = "def " + name.toStdString() + "(";  // behind an empty line and its decorator
      std::string lines;
      for (uint32_t below = 0; below < 3; ++below) lines += side->buffer()->line(side->caretLine() + below);
      return lines.find(head) != std::string::npos;
    };
    QVERIFY(bench.does("diff.sideBySide"));
    for (const QString& name : made) {
      QVERIFY2(bench.does("diff.function", {name}), qPrintable(name));
      QVERIFY2(atFunction(panelOf(bench)->view()->right(), name), qPrintable(name));
    }
    QVERIFY(bench.does("pass.goTo", {"0"}) && bench.does("pass.compare", {"4"}));
    QVERIFY(bench.window.dump("diff").contains("# matmul: gone"));
    for (const QString& name : made) {
      QVERIFY2(bench.does("diff.function", {name}), qPrintable(name));
      QVERIFY2(atFunction(panelOf(bench)->view()->left(), name), qPrintable(name));
    }
  }

  /// Both forms at any width; a line of the unified one is that of its side.
  void bothForms() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("pass.compareBefore"));
    DiffView* view = panelOf(bench)->view();
    QVERIFY(bench.does("diff.unified"));
    QVERIFY(view->isUnified());
    int went = 0, came = 0;
    const TextBuffer& merged = *view->unified()->buffer();
    for (uint32_t line = 0; line < merged.lineCount(); ++line) {
      const auto [left, right] = view->sidesOf(line);
      const std::string_view text = merged.line(line);
      if (text.starts_with("- ")) {
        ++went;
        QCOMPARE(right, -1);
        QCOMPARE(text.substr(2), view->left()->buffer()->line(static_cast<uint32_t>(left)));
      } else if (text.starts_with("+ ")) {
        ++came;
        QCOMPARE(left, -1);
        QCOMPARE(text.substr(2), view->right()->buffer()->line(static_cast<uint32_t>(right)));
      }
    }
    QCOMPARE(went, static_cast<int>(view->diff()->removed + view->diff()->edited));
    QCOMPARE(came, static_cast<int>(view->diff()->added + view->diff()->edited));
    QVERIFY(bench.does("diff.next"));
    QVERIFY(bench.does("diff.sideBySide"));
    QVERIFY(!view->isUnified());
  }

  /// The button of the form that is seen is pressed, also where the width chose it.
  void theButtonsSayWhichFormItIs() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("pass.compareBefore"));
    DiffPanel* panel = panelOf(bench);
    const auto pressed = [&](const QString& name) {
      for (const QToolButton* button : panel->findChildren<QToolButton*>())
        if (button->text() == name) return button->isChecked();
      return false;
    };
    for (const int width : {900, 2400, 900}) {
      bench.window.resize(width, 800);
      QCoreApplication::processEvents();
      QCOMPARE(panel->view()->isUnified(), width == 900);
      QCOMPARE(pressed("Unified"), width == 900);
      QCOMPARE(pressed("Side by side"), width != 900);
    }
    QVERIFY(bench.does("diff.sideBySide"));
    QVERIFY(pressed("Side by side") && !pressed("Unified"));
  }

  /// Another file: what was only moved or renamed is told as such.
  void anotherFile() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file("after.py", kRenamedAndMoved)}));
    QVERIFY(bench.does("diff.file", {file("before.py", kBefore)}));
    const QString text = bench.window.dump("diff");
    QVERIFY2(text.contains("# main: ") && text.contains("1 renamed") && text.contains("1 moved"), qPrintable(text));
    QVERIFY2(text.contains("sum: R.Tensor((4,), dtype=\"float32\") = R.add(x, w)  # was a"), qPrintable(text));
    QVERIFY2(text.contains("moved from line "), qPrintable(text));
    QVERIFY(!text.contains("added"));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.does("pass.compareBefore"));
    QVERIFY(!bench.document.other());
  }

  /// What is said of some lines takes no room from the others: it stands behind the line that it is of.
  void notesStandBehindTheirLines() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.does("file.open", {file("after.py", kRenamedAndMoved)}));
    QVERIFY(bench.does("diff.file", {file("before.py", kBefore)}));
    QVERIFY(bench.does("diff.sideBySide"));
    QTRY_VERIFY(bench.window.dump("diff").contains("# was a"));
    for (const TextView* view : {panelOf(bench)->view()->left(), panelOf(bench)->view()->right()})
      QCOMPARE(view->valuesLeft(), view->viewport()->width());
    TextView* right = panelOf(bench)->view()->right();
    right->horizontalScrollBar()->setValue(right->horizontalScrollBar()->maximum());
    const std::string_view whole = right->buffer()->text();
    const QRect line = right->lineRect(right->buffer()->lineOf(static_cast<uint32_t>(whole.find("sum: "))));
    QRectF note;
    for (const test::PaintedText& text : test::paintedTexts(&bench.window))
      if (text.widget == right->viewport() && text.text.startsWith("was a")) note = text.rect;
    QVERIFY(line.contains(note.center().toPoint()));
    const QFontMetricsF metrics(right->viewport()->font());
    const double end = metrics.horizontalAdvance("        sum: (4,) f32 = R.add(x, w)");
    QVERIFY(note.left() > right->textLeft() + end - right->horizontalScrollBar()->value());
    QVERIFY(note.right() <= right->viewport()->width());
  }

  /// Behind a line that goes on out of sight it stands over the end of it.
  void notesOfLongLinesAreInSight() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    const auto longer = [](const QByteArray& text) {
      return QString::fromUtf8(text)
          .replace(QRegularExpression("\\bx\\b"), "the_input_of_the_first_layer_before_it_is_normalised")
          .replace(QRegularExpression("\\bw\\b"), "the_weights_of_the_first_layer_as_they_were_trained")
          .toUtf8();
    };
    QVERIFY(bench.does("file.open", {file("after.py", longer(kRenamedAndMoved))}));
    QVERIFY(bench.does("diff.file", {file("before.py", longer(kBefore))}));
    QVERIFY(bench.does("diff.sideBySide"));
    QTRY_VERIFY(bench.window.dump("diff").contains("# was a"));
    const QWidget* right = panelOf(bench)->view()->right()->viewport();
    const auto note = [&] {
      for (const test::PaintedText& text : test::paintedTexts(&bench.window))
        if (text.widget == right && text.text.contains("was a")) return text.rect;
      return QRectF();
    };
    QTRY_VERIFY(note().isValid());
    QVERIFY(note().left() >= right->width() / 2 && note().right() <= right->width());
  }

  /// A stage without one before it has no functions to go to.
  void nothingToCompareNamesNoFunctions() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("pass.compareBefore"));
    const auto shown = [&] {
      QStringList texts;
      for (const QToolButton* button : panelOf(bench)->findChildren<QToolButton*>())
        if (button->isVisible()) texts << button->text();
      return texts.join('|');
    };
    QTRY_VERIFY2(shown().contains("functions changed"), qPrintable(shown()));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QTRY_VERIFY2(!shown().contains("functions changed"), qPrintable(shown()));
  }

  /// Names that do not count: equal is what computes the same from the same.
  void namesIgnored() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file("renamed.py", kRenamed)}));
    QVERIFY(bench.does("diff.file", {file("before.py", kBefore)}));
    QVERIFY(bench.window.dump("diff").contains("+        product"));
    QVERIFY(bench.does("diff.ignoreNames", {"on"}));
    QVERIFY(bench.window.dump("diff").startsWith("No difference"));
    QVERIFY(bench.does("diff.ignoreNames", {"off"}));
    QVERIFY(bench.window.dump("diff").contains("+        product"));
    QVERIFY(bench.does("file.open", {file("crossed.py", kCrossed)}));
    QVERIFY(bench.does("diff.file", {file("before.py", kBefore)}));
    QVERIFY(bench.does("diff.ignoreNames", {"on"}));
    const QString text = bench.window.dump("diff");
    QVERIFY2(text.contains("+        product") && !text.contains("tanh"), qPrintable(text));
  }

  /// A file that does not open says why, and what was compared stays.
  void refusedFile() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("diff.file", {"/no/such/module.py"}));
    QVERIFY(bench.document.otherError().contains("/no/such/module.py"));
    QVERIFY(!bench.document.other());
  }
};

QTEST_MAIN(LiveDiffTest)
#include "tst_live_diff.moc"
