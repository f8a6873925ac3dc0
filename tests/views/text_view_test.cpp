// The text view driven by keys and mouse; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/text/text_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>
#include <set>

#include "text_bench.h"
#include "views/text/find_bar.h"

using namespace rx;

class TextViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    view_ = shownProgram();
    QVERIFY(view_);
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
    shoot(*view_, "find");
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
    shoot(*view_, "folded");
    view_->goToLine(15);
    QVERIFY(!view_->isFolded(10));
    QCOMPARE(view_->rows().rowCount(), view_->buffer()->lineCount());
    view_->foldAll();
    QVERIFY(view_->rows().rowCount() < rows);
    view_->unfoldAll();
    QCOMPARE(view_->rows().rowCount(), view_->buffer()->lineCount());
  }
  void blocksFoldUnderTheirTitles() {
    QVERIFY(!view_->hasBlocks());
    view_->setBlocks({{12, 14, QStringLiteral("layer0, a residual block")}});
    QVERIFY(view_->hasBlocks());
    view_->setCaret(view_->buffer()->lineStart(13));
    const uint32_t rows = view_->rows().rowCount();
    view_->foldBlocks();
    QCOMPARE(view_->rows().rowCount(), rows - 2);
    QCOMPARE(view_->caretLine(), 12u);
    shoot(*view_, "folded_block");
    view_->goToLine(12);  // the header of a block is hidden with it
    QVERIFY(!view_->isFolded(12));
    QCOMPARE(view_->rows().rowCount(), rows);
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
    shoot(*view_, "many");
  }
  void pictures() {
    view_->setSelectedId(1);
    view_->setCaret(view_->buffer()->lineStart(17) + 14);
    shoot(*view_, "light");
    view_->setTheme(Palette::darkTheme());
    shoot(*view_, "dark");
    view_->setZoom(150);
    shoot(*view_, "dark150");
    view_->setTheme(Palette::lightTheme());
    view_->setBuffer(nullptr);
    view_->setPlaceholder("Nothing is open. Drop a module here, or choose one of the samples.");
    shoot(*view_, "empty");
  }

 private:
  std::unique_ptr<TextView> view_;
};

QTEST_MAIN(TextViewTest)
#include "text_view_test.moc"
