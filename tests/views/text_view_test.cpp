// The text view driven by keys and mouse; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/text/text_view.h"

#include <QClipboard>
#include <QDir>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include "views/text/find_bar.h"

using namespace rx;

namespace {

const char* const kProgram = R"(# from tvm.script import relax as R
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def matmul(x: T.Buffer((16, 512), "float16"), out: T.Buffer((16, 512), "float16")):
        for i, j in T.grid(16, 512):
            with T.block("matmul"):
                out[i, j] = x[i, j] * T.float16(2.0)

    @R.function
    def main(x: R.Tensor(("n", 512), dtype="float16"), wq: R.Tensor((512, 512), dtype="float16")) -> R.Tensor(("n", 512), dtype="float16"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            q = R.call_tir(cls.matmul, (x, wq), out_sinfo=R.Tensor((n, 512), dtype="float16"))
            k: R.Tensor((n, 512), dtype="float16") = R.permute_dims(q, axes=None)
            s = R.call_tir(cls.matmul2, (q, k), out_sinfo=R.Tensor((n, n), dtype="float16"))
            gv: R.Tensor((n, n), dtype="float16") = R.nn.softmax(s, axis=-1)
            R.output(gv)
        return gv
)";

Link linkOf(const std::string& text, const std::string& word, uint64_t id, LinkRole role, size_t from = 0) {
  const auto begin = static_cast<uint32_t>(text.find(word, from));
  return {begin, begin + static_cast<uint32_t>(word.size()), id, role};
}

std::vector<Link> programLinks() {
  const std::string text = kProgram;
  const size_t s = text.find("s = R.call_tir");
  Link callee = linkOf(text, "matmul,", 9, LinkRole::Callee);
  callee.end -= 1;
  callee.hasKind = true;
  callee.kind = OpKind::Compute;
  Link softmax = linkOf(text, "R.nn.softmax", 0, LinkRole::Callee);
  softmax.hasKind = true;
  softmax.kind = OpKind::Reduction;
  Link permute = linkOf(text, "R.permute_dims", 0, LinkRole::Callee);
  permute.hasKind = true;
  permute.kind = OpKind::Movement;
  return {linkOf(text, "q", 1, LinkRole::Definition, text.find("            q = ")),
          linkOf(text, "k", 2, LinkRole::Definition, text.find("            k: ")),
          linkOf(text, "q", 1, LinkRole::Use, text.find("dims(q")),
          linkOf(text, "s", 3, LinkRole::Definition, s),
          linkOf(text, "q", 1, LinkRole::Use, text.find("2, (q") + 3),
          linkOf(text, "s", 3, LinkRole::Use, text.find("max(s") + 4),
          callee,
          softmax,
          permute};
}

void decorate(TextView& view) {
  view.setBuffer(TextBuffer::from(kProgram));
  view.setLinks(programLinks());
  view.setBands({{13, 18}});
  view.setNotes({{10, {{"n = 17", NoteRole::Chip}, {"bound by x, axis 0", NoteRole::Grey}}, {}},
                 {14, {{"(17, 512) f16", NoteRole::Grey}, {"-3.1 … 2.9", NoteRole::Grey}}, {}},
                 {15, {{"(17, 512) f16", NoteRole::Stale}}, {}},
                 {16, {{"2 Inf", NoteRole::Error}, {"of 289 · first at [4, 11]", NoteRole::Grey}}, "whole note"}});
  const std::string text = kProgram;
  const auto at = static_cast<uint32_t>(text.find("axis=-1"));
  view.setSquiggles({{at, at + 7, MarkKind::Warning, "axis -1 is the last axis"},
                     {static_cast<uint32_t>(text.find("matmul2")), static_cast<uint32_t>(text.find("matmul2") + 7),
                      MarkKind::Error, "matmul2 is not in the module"}});
  view.setMarks({{14, BreakpointState::Disabled},
                 {15, BreakpointState::Conditional},
                 {16, BreakpointState::Enabled},
                 {17, BreakpointState::Unbound}});
  view.setCurrentLine(16);
}

QPoint pointOf(const TextView& view, uint32_t offset) {
  const uint32_t line = view.buffer()->lineOf(offset);
  // The caret's rectangle is where a click has to land; take it from a copy of the view's own arithmetic.
  const qreal y = (view.rows().rowOf(line) + 0.5) * view.lineHeight() - view.verticalScrollBar()->value();
  const QFontMetricsF metrics(view.viewport()->font(), view.viewport());
  const qreal width = metrics.horizontalAdvance(QLatin1Char('0'));
  const auto digits = std::max<qsizetype>(3, QString::number(view.buffer()->lineCount()).size());
  const qreal left = std::ceil(view.lineHeight() * 2.5 + digits * width);
  return QPointF(left + (offset - view.buffer()->lineStart(line) + 0.4) * width, y).toPoint();
}

}  // namespace

class TextViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Short types change the picture only: what is copied and found is the whole text, and the caret passes a short
  /// type in one step.
  void shortTypes() {
    TextView view;
    view.resize(600, 400);
    view.setBuffer(TextBuffer::from(kProgram));
    view.show();
    const std::string text = kProgram;
    const auto type = static_cast<uint32_t>(text.find("R.Tensor((n, 512), dtype=\"float16\") = R.permute"));
    const int before = view.horizontalScrollBar()->maximum();
    QVERIFY(view.typeForm() == TypeForm::Whole);
    view.setShortTypes(true);
    QVERIFY(view.typeForm() == TypeForm::Short);
    QVERIFY(view.horizontalScrollBar()->maximum() < before);
    view.setCaret(type);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.caretOffset(), type + 35);
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.caretOffset(), type);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(view.selectedText(), QString("R.Tensor((n, 512), dtype=\"float16\")"));
    QCOMPARE(view.tipAt(type + 3), QString("R.Tensor((n, 512), dtype=\"float16\")"));
    QCOMPARE(view.findAll("float16\") = R.permute"), 1);
    view.grab();
    view.resize(2400, 400);
    QVERIFY(view.typeForm() == TypeForm::Whole);
    QVERIFY(view.tipAt(type + 3).isEmpty());
  }
  void init() {
    view_ = std::make_unique<TextView>();
    view_->resize(1000, 520);
    decorate(*view_);
    view_->show();
    view_->setFocus();
    QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  }
  /// A click selects: it says what it hit, and leads nowhere; with Ctrl it asks for the definition.
  void aClickSaysWhatItHit() {
    QSignalSpy spy(view_.get(), &TextView::clicked), away(view_.get(), &TextView::definitionRequested);
    const Link use = *std::find_if(view_->decorations().links.begin(), view_->decorations().links.end(),
                                   [](const Link& link) { return link.role == LinkRole::Use; });
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, pointOf(*view_, use.begin));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy[0][0].toUInt(), view_->buffer()->lineOf(use.begin));
    QCOMPARE(spy[0][1].toULongLong(), quint64(use.id));
    QVERIFY(away.isEmpty());
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, Qt::ControlModifier, pointOf(*view_, use.begin));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(away.count(), 1);
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, pointOf(*view_, 3));  // a comment: nothing is there
    QCOMPARE(spy.count(), 2);
    QCOMPARE(spy[1][1].toULongLong(), quint64(0));
  }
  /// Keys tell when they moved the caret to another line; setCaret does not.
  void keysTellWhereTheCaretWent() {
    QSignalSpy spy(view_.get(), &TextView::caretMovedByUser);
    view_->setCaret(0);
    QVERIFY(spy.isEmpty());
    QTest::keyClick(view_.get(), Qt::Key_Down);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy[0][0].toUInt(), 1u);
    QTest::keyClick(view_.get(), Qt::Key_Right);
    QCOMPARE(spy.count(), 1);
  }
  /// Values have their own column: what runs over the text's room there is types, never the operator's name.
  void typesGiveWayBeforeValues() {
    view_->setShortTypes(true);
    for (const int width : {1400, 1000, 700, 520}) {
      view_->resize(width, 520);
      const qreal room = (view_->valuesLeft() - view_->textLeft()) / view_->fontMetrics().averageCharWidth();
      QVERIFY2(room > 10 && view_->valuesLeft() < view_->viewport()->width(), qPrintable(QString::number(width)));
    }
    QVERIFY(view_->typeForm() == TypeForm::Hidden);
    view_->setNotes({});
    QCOMPARE(view_->valuesLeft(), view_->viewport()->width());
  }
  void largerTextKeepsTheLine() {
    std::string lines;
    for (int i = 0; i < 400; ++i) lines += "line " + std::to_string(i) + "\n";
    view_->setBuffer(TextBuffer::from(lines));
    view_->setSelectedLine(200);
    view_->revealLine(200);
    const auto inSight = [&] {
      const qreal y = 200 * view_->lineHeight() - view_->verticalScrollBar()->value();
      return y >= 0 && y + view_->lineHeight() <= view_->viewport()->height();
    };
    QVERIFY(inSight());
    for (const int zoom : {150, 200, 300, 100}) {
      view_->setZoom(zoom);
      QVERIFY2(inSight(), qPrintable(QString::number(zoom)));
    }
    view_->resize(1000, 200);
    QVERIFY(inSight());
    QVERIFY(view_->selectedLine() == 200u);
    view_->setSelectedLine(4000);
    QVERIFY(!view_->selectedLine());
  }
  void aLineIsScrolledToWithAMargin() {
    std::string lines;
    for (int i = 0; i < 400; ++i) lines += "line " + std::to_string(i) + "\n";
    view_->setBuffer(TextBuffer::from(lines));
    for (const uint32_t line : {20u, 30u, 29u, 200u, 190u}) {
      view_->revealLine(line);
      const qreal y = line * view_->lineHeight() - view_->verticalScrollBar()->value();
      QVERIFY2(y >= 3 * view_->lineHeight() - 1, qPrintable(QString::number(line)));
      QVERIFY2(y + 4 * view_->lineHeight() <= view_->viewport()->height() + 1, qPrintable(QString::number(line)));
    }
  }
  void clickInTheGutterNamesTheLine() {
    QSignalSpy spy(view_.get(), &TextView::gutterClicked);
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, QPoint(3, int(view_->lineHeight() * 2.5)));
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy[0][0].toUInt(), 2u);
  }
  void keysWalkTheDefinitions() {
    QSignalSpy spy(view_.get(), &TextView::linkActivated);
    view_->setCaret(0);
    for (int i = 0; i < 3; ++i) QTest::keyClick(view_.get(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(view_->caretLine(), 16u);
    QTest::keyClick(view_.get(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(view_->caretLine(), 15u);
    QTest::keyClick(view_.get(), Qt::Key_Return);
    QCOMPARE(spy.count(), 5);
    QCOMPARE(spy.last()[0].toULongLong(), quint64(2));
  }
  void selectionAndCopy() {
    view_->setCaret(0);
    for (int i = 0; i < 6; ++i) QTest::keyClick(view_.get(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(view_->selectedText(), QString("# from"));
    QTest::keyClick(view_.get(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("# from"));
    QTest::keyClick(view_.get(), Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(view_->caretLine(), view_->buffer()->lineCount() - 1);
    QTest::keyClick(view_.get(), Qt::Key_Right);  // at the very end nothing moves
    QCOMPARE(view_->caretLine(), view_->buffer()->lineCount() - 1);
    QTest::keyClick(view_.get(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(view_->selectedText(), QString(kProgram));
  }
  void findMarksAllAndWraps() {
    QTest::keyClick(view_.get(), Qt::Key_F, Qt::ControlModifier);
    auto* edit = view_->findChild<QLineEdit*>();
    QTRY_VERIFY(edit->hasFocus());
    QTest::keyClicks(edit, "softmax");
    QCOMPARE(view_->search()->matches().size(), 1u);
    edit->setText("matmul");
    QCOMPARE(view_->search()->matches().size(), 4u);
    QCOMPARE(view_->selectedText(), QString("matmul"));
    const int first = view_->currentMatch();
    for (int i = 0; i < 4; ++i) QTest::keyClick(edit, Qt::Key_F3);
    QCOMPARE(view_->currentMatch(), first);
    QTest::keyClick(edit, Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(view_->currentMatch(), (first + 3) % 4);
    edit->setText("not there");
    QVERIFY(view_->search()->matches().empty());
    shoot("find");
    QTest::keyClick(edit, Qt::Key_Escape);
    QVERIFY(!view_->search());
  }
  void goToLineRefusesWhatIsNotThere() {
    QTest::keyClick(view_.get(), Qt::Key_G, Qt::ControlModifier);
    auto* edit = view_->findChild<QLineEdit*>();
    edit->setText("999");
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(edit->isVisible());
    edit->setText("5");
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(view_->caretLine(), 4u);
    QVERIFY(!edit->isVisible());
  }
  void foldingHidesAndReveals() {
    view_->setCaret(0);
    view_->setFolded(9, true);  // a decorator has no body
    QVERIFY(!view_->isFolded(9));
    view_->setFolded(10, true);
    const uint32_t rows = view_->rows().rowCount();
    QVERIFY(rows < view_->buffer()->lineCount());
    shoot("folded");
    view_->goToLine(15);
    QVERIFY(!view_->isFolded(10));
    QCOMPARE(view_->rows().rowCount(), view_->buffer()->lineCount());
    view_->foldAll();
    QVERIFY(view_->rows().rowCount() < rows);
    view_->unfoldAll();
    QCOMPARE(view_->rows().rowCount(), view_->buffer()->lineCount());
  }
  void tipsAreReachable() {
    const auto offset = static_cast<uint32_t>(std::string(kProgram).find("axis=-1"));
    QCOMPARE(view_->tipAt(offset + 2), QString("axis -1 is the last axis"));
    QVERIFY(view_->tipAt(0).isEmpty());
  }
  void decorationsOutsideTheTextAreDropped() {
    view_->setBuffer(TextBuffer::from("a\nb"));
    view_->setLinks({{0, 1, 1}, {2, 99, 2}, {5, 3, 3}});
    view_->setNotes({{7, {{"x"}}, {}}});
    view_->setMarks({{9, BreakpointState::Enabled}});
    view_->setBands({{5, 6}});
    view_->setSquiggles({{90, 99, MarkKind::Error, "x"}});
    view_->setCurrentLine(9);
    QCOMPARE(view_->decorations().links.size(), 1u);
    QVERIFY(view_->decorations().notes.empty() && view_->decorations().marks.empty());
    QVERIFY(!view_->currentLine());
    view_->grab();
  }
  void oddBytesAreShownSafely() {
    std::string text =
        "tab\there \xff\xfe \xe2\x80\xae"
        "evil\xe2\x80\xac \x1b[31m \xc3\xa9\n";
    text += std::string(50'000, 'x') + "\n" + std::string(30'000, '\xc3') + "\n\xf0\x9f";
    view_->setBuffer(TextBuffer::from(text));
    view_->grab();
    QVERIFY(!shownText(text).contains(QChar(0x202e)));
    QVERIFY(!shownText(text).contains(QChar(0x1b)));
    view_->setCaret(0);
    for (int i = 0; i < 40; ++i) QTest::keyClick(view_.get(), Qt::Key_Right, Qt::ShiftModifier);
    view_->selectAll();
    view_->grab();
  }
  void manyLines() {
    std::string text;
    for (int i = 0; i < 200'000; ++i)
      text += "            lv" + std::to_string(i) + " = R.add(x, R.const(" + std::to_string(i) + ", \"float32\"))\n";
    view_->setBuffer(TextBuffer::from(text));
    view_->goToLine(150'000);
    QCOMPARE(view_->caretLine(), 150'000u);
    view_->find("lv19999", {});
    QTRY_VERIFY(view_->search()->done());
    QCOMPARE(view_->search()->matches().size(), 11u);
    shoot("many");
  }
  void zoomKeepsThePlace() {
    QSignalSpy spy(view_.get(), &TextView::zoomChanged);
    const qreal before = view_->lineHeight();
    QTest::keyClick(view_.get(), Qt::Key_Equal, Qt::AltModifier);
    QCOMPARE(view_->zoom(), 110);
    QCOMPARE(spy.count(), 1);
    view_->setZoom(10'000);
    QCOMPARE(view_->zoom(), 400);
    QVERIFY(view_->lineHeight() > before);
    QTest::keyClick(view_.get(), Qt::Key_0, Qt::AltModifier);
    QCOMPARE(view_->lineHeight(), before);
  }
  void pictures() {
    view_->setSelectedId(1);
    view_->setCaret(view_->buffer()->lineStart(17) + 14);
    shoot("light");
    view_->setTheme(Palette::darkTheme());
    shoot("dark");
    view_->setZoom(150);
    shoot("dark150");
    view_->setTheme(Palette::lightTheme());
    view_->setBuffer(nullptr);
    view_->setPlaceholder("Nothing is open. Drop a module here, or choose one of the samples.");
    shoot("empty");
  }

 private:
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(view_->grab().save(folder + "/text_" + name + ".png"));
  }
  std::unique_ptr<TextView> view_;
};

QTEST_MAIN(TextViewTest)
#include "text_view_test.moc"
