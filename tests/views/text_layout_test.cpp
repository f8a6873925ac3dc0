// How the text view fits its text to the room it has: wrapped lines, short types, zoom, and what stays in sight; with
// RX_SCREENSHOTS set it leaves pictures in that folder.
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include "painted_texts.h"
#include "text_bench.h"
#include "views/text/text_view.h"

using namespace rx;

class TextLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    view_ = shownProgram();
    QVERIFY(view_);
  }
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
  /// Types that have no room in the text stand beside the values, of lines without a value too, as long as values keep
  /// their own; wide and very narrow views have none there.
  void typesStandBesideValues() {
    QCOMPARE(shapeOf("    lv: R.Tensor((n, 512), dtype=\"float16\") = R.exp(x)"), QString("(n, 512)"));
    QCOMPARE(shapeOf("    lv = R.exp(x)"), QString());
    QCOMPARE(shapeOf("    lv: R.Tuple(R.Tensor((4,), dtype=\"float32\")) = R.split(x)"), QString());
    QCOMPARE(shapeOf("    def main(x: R.Tensor((4,), dtype=\"float32\")):"), QString());
    const std::string text =
        "def main():\n    lv: R.Tensor((4, 128), dtype=\"float32\") = R.exp(x)\n"
        "    lv1: R.Tensor((4, 128), dtype=\"float32\") = R.exp(lv)\n";
    view_->setBuffer(TextBuffer::from(text));
    std::vector<Link> links{linkOf(text, "R.exp", 0, LinkRole::Callee),
                            linkOf(text, "R.exp", 0, LinkRole::Callee, text.rfind("R.exp"))};
    for (Link& link : links) link.hasKind = true;
    view_->setLinks(links);
    view_->setNotes({{1, {{"(4, 128) f32", NoteRole::Grey, {}, true}, {"-6.21 … 5.87"}}, {}}});
    view_->setShortTypes(true);
    view_->setValueTitle("value after step 16");
    bool moved = false;
    for (int width = 1400; width >= 200; width -= 10) {
      view_->resize(width, 520);
      // The last words of the title stay as long as they fit, and no joint stands without what it joins.
      for (const rx::test::PaintedText& text : rx::test::paintedTexts(view_.get()))
        QVERIFY2(!text.text.startsWith("and "), qPrintable(QString::number(width)));
      if (!view_->typesMoved()) continue;
      moved = true;
      QVERIFY(view_->typeForm() == TypeForm::Hidden);
      // A line that is bound and has no value has its shape there all the same.
      const QRect at = view_->lineRect(2).translated(view_->viewport()->pos());
      const QRect column(view_->viewport()->x() + view_->valuesLeft() + 2, at.top() + 2,
                         view_->viewport()->width() - view_->valuesLeft() - 4, at.height() - 4);
      const QImage ink = view_->grab(column).toImage();
      int other = 0;
      for (int x = 0; x < ink.width(); ++x)
        for (int y = 0; y < ink.height(); ++y) other += ink.pixel(x, y) != ink.pixel(0, 0);
      QVERIFY2(other > 20, qPrintable(QString::number(width)));
    }
    QVERIFY(moved);
    view_->resize(1400, 520);
    QVERIFY(!view_->typesMoved());
    view_->setNotes({});
    QVERIFY(!view_->typesMoved());
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
    shoot(*view_, "wrapped");
    view_->setTheme(Palette::darkTheme());
    view_->setNotes({});
    view_->setShortTypes(true);
    view_->resize(420, 620);
    shoot(*view_, "wrapped_dark");
  }

 private:
  std::unique_ptr<TextView> view_;
};

QTEST_MAIN(TextLayoutTest)
#include "text_layout_test.moc"
