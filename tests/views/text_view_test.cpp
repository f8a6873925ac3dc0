// The text view driven by keys and mouse; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/text/text_view.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>
#include <set>

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
  /// A long line goes on below: keys, clicks and marks follow what is on the screen, and the number stands once.
  void wrappedLines() {
    view_->setNotes({});
    view_->resize(620, 700);
    view_->setWrapped(true);
    const std::string text = kProgram;
    const uint32_t line = 10, start = view_->buffer()->lineStart(line), end = view_->buffer()->lineEnd(line);
    const int parts = qRound(view_->rowHeight(line) / view_->lineHeight());
    QVERIFY(parts >= 2);
    QCOMPARE(view_->horizontalScrollBar()->maximum(), 0);
    QCOMPARE(view_->rowTop(line + 1), view_->rowTop(line) + view_->rowHeight(line));
    QCOMPARE(view_->rowHeight(0), view_->lineHeight());
    QCOMPARE(view_->lineRect(line).height(), qCeil(view_->rowHeight(line)));
    // Down goes through the parts, then on; up comes back.
    view_->setCaret(start + 8);
    for (int part = 1; part < parts; ++part) {
      QTest::keyClick(view_.get(), Qt::Key_Down);
      QCOMPARE(view_->caretLine(), line);
    }
    QTest::keyClick(view_.get(), Qt::Key_Down);
    QCOMPARE(view_->caretLine(), line + 1);
    for (int part = 0; part < parts; ++part) QTest::keyClick(view_.get(), Qt::Key_Up);
    QCOMPARE(view_->caretOffset(), start + 8);
    // End: of the part, then of the line; Home: of the part, then of the line.
    QTest::keyClick(view_.get(), Qt::Key_End);
    const uint32_t partEnd = view_->caretOffset();
    QVERIFY(partEnd > start + 8 && partEnd < end);
    QTest::keyClick(view_.get(), Qt::Key_End);
    QCOMPARE(view_->caretOffset(), end);
    QTest::keyClick(view_.get(), Qt::Key_Home);
    const uint32_t lastPart = view_->caretOffset();
    QVERIFY(lastPart > partEnd && lastPart < end);
    QTest::keyClick(view_.get(), Qt::Key_Home);
    QCOMPARE(view_->caretOffset(), start + 4);
    // A click into the last part lands in it, and a drag back to the first selects from there.
    const auto inPart = [&](int part, qreal column) {
      const qreal y = view_->rowTop(line) + (part + 0.5) * view_->lineHeight() - view_->verticalScrollBar()->value();
      return QPointF(view_->textLeft() + column * view_->lineHeight() / 2, y).toPoint();
    };
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, inPart(parts - 1, 9));
    QVERIFY(view_->caretOffset() >= lastPart && view_->caretOffset() < end);
    const uint32_t clicked = view_->caretOffset();
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, Qt::ShiftModifier, inPart(0, 0));
    QCOMPARE(view_->selectedText(), QString::fromStdString(text.substr(start, clicked - start)));
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, inPart(0, 200));  // right of the first part: its end
    QVERIFY(view_->caretOffset() < lastPart && view_->caretOffset() >= partEnd);
    view_->setWrapped(false);
    QCOMPARE(view_->rowHeight(line), view_->lineHeight());
  }
  /// A line that waits for a call has an arrow beside its number, a lighter one than the line that runs next; it moves
  /// nothing and goes with the text.
  void callerLineHasAnOutline() {
    const auto inkOf = [this](uint32_t line) {
      const QImage image = view_->viewport()->grab().toImage();
      const qreal scale = image.devicePixelRatio();
      const qreal top = view_->rows().rowOf(line) * view_->lineHeight() - view_->verticalScrollBar()->value();
      int dark = 0;
      for (int y = qRound(top * scale) + 1; y < qRound((top + view_->lineHeight()) * scale) - 1; ++y)
        for (int x = qRound(view_->numbersRight() * scale); x < qRound((view_->textLeft() - 8) * scale); ++x)
          dark += qGray(image.pixel(x, y)) < 120;
      return dark;
    };
    view_->setMarks({});
    view_->setCurrentLine(14);
    const int empty = inkOf(16), full = inkOf(14), scrolled = view_->verticalScrollBar()->value();
    view_->setCallerLine(16);
    QVERIFY(view_->callerLine() == 16u);
    const int outline = inkOf(16);
    QVERIFY2(outline > empty && outline < full, qPrintable(QString("%1 %2 %3").arg(empty).arg(outline).arg(full)));
    QCOMPARE(view_->verticalScrollBar()->value(), scrolled);
    view_->setCallerLine(std::nullopt);
    QCOMPARE(inkOf(16), empty);
    view_->setCallerLine(16);
    view_->setBuffer(TextBuffer::from("a\nb"));
    QVERIFY(!view_->callerLine());
  }

  /// What is drawn for a place stands on its part: once, and on no other.
  void marksOnWrappedLines() {
    view_->setNotes({});
    view_->setBands({});
    view_->setMarks({});
    view_->setSelectedId(0);
    view_->setCurrentLine(std::nullopt);
    view_->resize(620, 700);
    view_->setWrapped(true);
    const uint32_t line = 14;
    const auto at = static_cast<uint32_t>(std::string(kProgram).find("out_sinfo"));
    QCOMPARE(view_->buffer()->lineOf(at), line);
    view_->setSquiggles({{at, at + 9, MarkKind::Error, "here"}});
    view_->setCaret(0);
    const int parts = qRound(view_->rowHeight(line) / view_->lineHeight());
    QVERIFY(parts >= 2);
    const QImage image = view_->viewport()->grab().toImage();
    const qreal scale = image.devicePixelRatio();
    const auto inks = [&](int part, qreal left, qreal right, const QColor& color) {
      const qreal top = view_->rowTop(line) + part * view_->lineHeight();
      int count = 0;
      for (int y = qCeil(top * scale); y < qFloor((top + view_->lineHeight()) * scale); ++y)
        for (int x = qCeil(left * scale); x < qFloor(right * scale); ++x) {
          const QColor seen = image.pixelColor(x, y);  // waves are smoothed
          const int apart = std::abs(seen.red() - color.red()) + std::abs(seen.green() - color.green()) +
                            std::abs(seen.blue() - color.blue());
          count += apart < 60 ? 1 : 0;
        }
      return count;
    };
    const qreal gutter = view_->numbersRight(), width = view_->viewport()->width();
    int withWave = 0;
    for (int part = 0; part < parts; ++part) {
      const int ground = inks(part, 0, gutter, view_->theme().base);
      const int all =
          (qFloor(gutter * scale)) * (qFloor((view_->rowTop(line) + (part + 1) * view_->lineHeight()) * scale) -
                                      qCeil((view_->rowTop(line) + part * view_->lineHeight()) * scale));
      QCOMPARE(ground == all, part > 0);  // only the first part has a number
      withWave += inks(part, gutter, width, view_->theme().error) > 5 ? 1 : 0;
    }
    QCOMPARE(withWave, 1);
    // What stands in two parts is found as one.
    QCOMPARE(view_->findAll("(n, 512), dtype=\"float16\"))\n"), 1);
    QCOMPARE(view_->findAll("out_sinfo"), 2);
  }
  /// Heights are guessed first and corrected as they are seen: what is at the top never jumps for it.
  void wrappedLinesScrollEvenly() {
    std::string lines;
    for (int i = 0; i < 10'000; ++i) {
      lines += "        lv" + std::to_string(i) + " = R.call_tir(";
      for (int k = 0; k < i % 7 * 5; ++k) lines += "argument_" + std::to_string(k) + ", ";
      lines += ")\n";
    }
    view_->setBuffer(TextBuffer::from(lines));
    view_->resize(500, 400);
    view_->setWrapped(true);
    QScrollBar* bar = view_->verticalScrollBar();
    const int step = qRound(view_->lineHeight());
    for (const uint32_t from : {0u, 5000u, 9900u}) {
      view_->goToLine(from);
      for (const int direction : {1, -1}) {
        for (int i = 0; i < 80; ++i) {
          // The line in the middle of the view moves by what the view is scrolled by.
          uint32_t middle = 0;
          for (uint32_t line = from > 200 ? from - 200 : 0; line < 10'000 && view_->lineRect(line).top() < 200; ++line)
            middle = line;
          const int before = view_->lineRect(middle).top(), value = bar->value();
          bar->setValue(value + direction * step);
          if (value + direction * step < 0 || value + direction * step > bar->maximum()) break;
          QCOMPARE(view_->lineRect(middle).top(), before - direction * step);
        }
      }
    }
    // Sizes change: the selected line stays in sight.
    view_->setSelectedLine(7777);
    view_->revealLine(7777);
    const auto inSight = [&] {
      const QRect rect = view_->lineRect(7777);
      return rect.top() >= 0 && rect.top() + view_->lineHeight() <= view_->viewport()->height() + 1;
    };
    QVERIFY(inSight());
    for (const int width : {900, 350, 640}) {
      view_->resize(width, 400);
      QVERIFY2(inSight(), qPrintable(QString::number(width)));
    }
    for (const int zoom : {150, 200, 100}) {
      view_->setZoom(zoom);
      QVERIFY2(inSight(), qPrintable(QString::number(zoom)));
    }
    for (const bool on : {false, true}) {
      view_->setWrapped(on);
      QVERIFY(inSight());
    }
    view_->goToLine(9'999);
    QVERIFY(view_->lineRect(9'999).bottom() <= view_->viewport()->height() + 1);
    QCOMPARE(bar->value(), bar->maximum());
  }
  /// A comparison side by side: the rows stay beside one another however long a line of one side is.
  void partnersWrapTogether() {
    TextView left, right;
    left.setPartner(&right);
    right.setPartner(&left);
    for (TextView* view : {&left, &right}) {
      view->resize(300, 300);
      view->setBuffer(TextBuffer::from(view == &left ? "a\n" + std::string(200, 'b') + "\nc\n" : "a\nb\nc\n"));
      view->setRows({{RowKind::Line, 0, 1}, {RowKind::Line, 1, 1}, {RowKind::Line, 2, 1}});
      view->setWrapped(true);
      view->show();
    }
    QVERIFY(left.rowHeight(1) > 3 * left.lineHeight());
    QCOMPARE(right.rowTop(2), left.rowTop(2));
    left.resize(700, 300);
    QCOMPARE(right.rowTop(2), left.rowTop(2));
    left.setWrapped(false);
    right.setWrapped(false);
    QCOMPARE(right.rowTop(2), 2 * right.lineHeight());
  }
  /// Two columns of numbers in place of one; the next text has its own again.
  void numbersOfTwoTexts() {
    view_->setBuffer(TextBuffer::from("a\nb\nc\n"));
    const qreal one = view_->numbersRight();
    view_->setSideNumbers({{1, 1}, {2, 0}, {0, 2}});
    QVERIFY(view_->numbersRight() > one + view_->numberWidth());
    view_->grab();
    view_->setBuffer(TextBuffer::from("a\n"));
    QCOMPARE(view_->numbersRight(), one);
  }
  /// Bookmarks stand beside their lines, drawn, with a breakpoint too, and not beside others.
  void bookmarksInTheGutter() {
    view_->setMarks({{4, BreakpointState::Enabled}});
    view_->setCaret(0);
    const auto gutterOf = [&](uint32_t line) {
      const QRect rect = view_->lineRect(line);
      const QImage image = view_->viewport()->grab().toImage();
      return image.copy(0, qRound(rect.top() * image.devicePixelRatio()), int(view_->lineHeight() * 0.9),
                        int(view_->lineHeight()));
    };
    std::vector<QImage> before;
    for (uint32_t line = 2; line < 6; ++line) before.push_back(gutterOf(line));
    view_->setPlaces({{4, "look here"}, {2, {}}, {99, "gone"}});
    QCOMPARE(view_->decorations().places.size(), size_t{2});
    for (uint32_t line = 2; line < 6; ++line) QCOMPARE(gutterOf(line) != before[line - 2], line == 2 || line == 4);
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
  /// A value for every line of a long text costs what is on screen.
  void notesAreMadeWhenTheyAreLookedAt() {
    constexpr uint32_t kLines = 5000;
    std::string text;
    std::vector<uint32_t> lines;
    for (uint32_t i = 0; i < kLines; ++i) {
      text += "lv" + std::to_string(i) + '\n';
      lines.push_back(i);
    }
    lines.push_back(kLines + 7);  // no such line
    auto made = std::make_shared<std::set<uint32_t>>();
    view_->setBuffer(TextBuffer::from(text));
    view_->setLineNotes({lines, [made](uint32_t line) {
                           made->insert(line);
                           return LineNote{line, {{QString::number(line), NoteRole::Grey}}, {}};
                         }});
    view_->grab();
    QVERIFY2(!made->empty() && made->size() < 400, qPrintable(QString::number(made->size())));
    QVERIFY(!made->contains(kLines - 2));
    const LineNote* late = view_->decorations().noteOf(kLines - 2);
    QVERIFY(late && late->pieces.size() == 1 && late->pieces[0].text == QString::number(kLines - 2));
    QVERIFY(made->contains(kLines - 2));
    QVERIFY(!view_->decorations().noteOf(kLines + 7) && !made->contains(kLines + 7));
    view_->verticalScrollBar()->setValue(view_->verticalScrollBar()->maximum());
    view_->grab();
    QVERIFY(made->contains(kLines - 1) && made->size() < 800);
  }
  void decorationsOutsideTheTextAreDropped() {
    view_->setBuffer(TextBuffer::from("a\nb"));
    view_->setLinks({{0, 1, 1}, {2, 99, 2}, {5, 3, 3}});
    view_->setNotes({{7, {{"x"}}, {}}});
    view_->setMarks({{9, BreakpointState::Enabled}});
    view_->setBands({{5, 6}});
    view_->setSquiggles({{90, 99, MarkKind::Error, "x"}});
    view_->setCurrentLine(9);
    view_->setCallerLine(9);
    QVERIFY(!view_->callerLine());
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
  void wrappedPictures() {
    view_->resize(700, 620);
    view_->setWrapped(true);
    view_->setSelectedLine(15);
    view_->setCaret(view_->buffer()->lineStart(15) + 14);
    view_->findAll("matmul");
    shoot("wrapped");
    view_->setTheme(Palette::darkTheme());
    view_->setNotes({});
    view_->setShortTypes(true);
    view_->resize(420, 620);
    shoot("wrapped_dark");
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
