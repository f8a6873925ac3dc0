// The inspector over a made-up session; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/panels/inspector/inspector_panel.h"

#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QTextDocument>
#include <QtTest>

#include "made_up_session.h"
#include "views/panels/rich_label.h"

using namespace rx;
using namespace rx::views;

class InspectorPanelTest : public QObject {
  Q_OBJECT
  /// The panel with all that it has to show.
  const InspectorPanel& shown() {
    panel_->bringUpToDate();
    return *panel_;
  }

 private Q_SLOTS:
  /// The text that was measured is drawn as QLabel draws its own.
  void richTextIsThatOfALabel() {
    const QString html =
        "<div><b>Inputs</b> &nbsp;<a href='x' style='color:#1f6feb;text-decoration:none'>all</a></div>"
        "<table cellspacing='0' cellpadding='1'><tr><td style='color:#777777;padding-right:14px'>shape</td><td>"
        "a text of some length that takes more than one line where there is little room</td></tr></table>";
    RichLabel rich(nullptr);
    QLabel label;
    label.setTextFormat(Qt::RichText);
    label.setWordWrap(true);
    label.setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label.setTextInteractionFlags(Qt::TextBrowserInteraction);
    for (const QString& text : {html, html + html, QStringLiteral("one line")}) {
      rich.setHtml(text);
      label.setText(text);
      for (const int width : {180, 300, 620}) {
        const QSize size(width, rich.heightForWidth(width) + 7);
        rich.resize(size);
        label.resize(size);
        const QImage drawn = rich.grab().toImage();
        QCOMPARE(drawn, label.grab().toImage());
        rich.mark(1, 4);  // what is selected is drawn too
        QVERIFY(rich.grab().toImage() != drawn);
        rich.mark(0, 0);
      }
    }
  }

  /// A text that was laid out for a width is drawn again and asked for its sizes without being laid out.
  void richTextIsLaidOutOncePerWidth() {
    RichLabel rich(nullptr);
    rich.resize(240, 200);
    rich.setHtml(QStringLiteral("<b>some</b> words that take two lines of a narrow label"));
    const auto ask = [&rich] {
      rich.minimumSizeHint();
      rich.heightForWidth(240);
      rich.grab();
    };
    ask();
    const auto* measured = rich.findChild<QTextDocument*>("measured");
    QSignalSpy laidOut(measured->documentLayout(), &QAbstractTextDocumentLayout::update);
    ask();
    QCOMPARE(laidOut.size(), 0);
    rich.resize(300, 200);
    rich.grab();
    QVERIFY(laidOut.size() > 0);
  }

  void init() {
    desk_ = std::make_unique<MadeUpDesk>();
    panel_ = std::make_unique<InspectorPanel>(desk_->context, nullptr);
    panel_->setPalette(Palette::lightTheme().toQt());
    panel_->resize(380, 760);
    panel_->show();
  }
  void cleanup() {
    panel_.reset();
    desk_.reset();
  }
  void nothingSelectedSaysWhatCouldBe() {
    QVERIFY(shown().dump().contains("Select a function or a binding"));
    QVERIFY(!panel_->command("follow", {"nonsense"}));
    QVERIFY(!panel_->command("follow", {"binding:main"}));
    QVERIFY(!panel_->command("jump", {}));
  }
  void aBindingWithoutARun() {
    desk_->selection.selectBinding("main", 4, "s");
    const QString text = shown().dump();
    QVERIFY2(text.startsWith("s  DataflowVar  main · dataflow 1 · line 13\n"), qPrintable(text));
    QVERIFY2(text.contains("(n, n) f16\n"), qPrintable(text));
    QVERIFY2(text.contains("Inputs\n  q\n  kt\n"), qPrintable(text));
    QVERIFY(text.contains("Used by\n  p softmax line 14"));
    QVERIFY(text.contains("when the program runs"));
  }
  void whereTheInfCameFrom() {
    desk_->debug.stopAt(4);
    desk_->selection.selectBinding("main", 4, "s");
    QTRY_VERIFY(!panel_->busy());
    const QString text = shown().dump();
    QVERIFY2(text.contains("Where the Inf comes from\n  s 2 Inf made here, step 4; inputs finite"), qPrintable(text));
    QVERIFY(text.contains("largest inputs: q -3.125 · kt -3.125"));
    QVERIFY(text.contains("(n, n) f16 n = 17 (17, 17), 578 B"));
    QVERIFY(text.contains("NaN / Inf: 0 / 2 of 289"));
    QVERIFY(text.contains("65,504 is the largest float16"));
    QVERIFY2(text.contains("Values at [4, 11]"), qPrintable(text));
    QVERIFY(text.contains("+Inf"));
    shoot("light");
    panel_->setPalette(Palette::darkTheme().toQt());
    shoot("dark");
  }
  void linksLead() {
    desk_->selection.selectBinding("main", 4, "s");
    QVERIFY(panel_->command("follow", {"binding:main:q"}));
    QCOMPARE(desk_->selection.place().binding, 0);
    QVERIFY(panel_->command("follow", {"binding:main:wq"}));
    QCOMPARE(desk_->selection.place().binding, -1);
    QVERIFY(shown().dump().startsWith("wq  Parameter  main"));
    desk_->selection.selectStage(1);
    desk_->selection.selectBinding("main", 5, "p");
    const QString text = shown().dump();
    QVERIFY2(text.contains("From\n  0 R.nn.softmax(s) line 14 attention.py line 32\n"), qPrintable(text));
    QVERIFY(!panel_->command("follow", {"stage:0:main:p"}));
    QVERIFY(panel_->command("follow", {"stage:0:main:p:5"}));
    QCOMPARE(desk_->selection.place().binding, 5);
    QCOMPARE(desk_->selection.place().stage, 0);
    QCOMPARE(desk_->selection.place().variable, QString("p"));
  }
  void aFunction() {
    desk_->debug.stopAt(4);
    desk_->selection.selectFunction("main");
    const QString text = shown().dump();
    QVERIFY2(text.startsWith("main  Relax function  line 6"), qPrintable(text));
    QVERIFY2(text.contains("wq (512, 512) f16 524 kB"), qPrintable(text));
    QVERIFY(text.contains("n: n = 17 bound by x axis 0"));
    shoot("function");
  }
  void textIsNeverMarkup() {
    desk_->selection.selectBinding("main", -1, "<b>x</b>");
    QVERIFY(!shown().html().contains("<b>x</b>"));
  }

 private:
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(panel_->grab().save(folder + "/inspector_" + name + ".png"));
  }
  std::unique_ptr<MadeUpDesk> desk_;
  std::unique_ptr<InspectorPanel> panel_;
};

QTEST_MAIN(InspectorPanelTest)
#include "inspector_panel_test.moc"
