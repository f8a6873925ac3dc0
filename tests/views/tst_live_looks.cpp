// How the window looks on the real program: texts that are whole, names and values that keep their room, the line in
// sight, icons of the theme, names for readers of the screen.
#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QLabel>
#include <QProcess>
#include <QScrollBar>
#include <QSet>
#include <QTabBar>
#include <QToolButton>

#include "live_bench.h"
#include "painted_texts.h"
#include "views/shell/actions.h"
#include "views/shell/dock_area.h"
#include "views/shell/toolbar_button.h"
#include "views/text/text_view.h"
#include "views/theme/palette.h"

using namespace rx::views;

class LiveLooksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Where a strip is short its tabs lose what their titles tell of the content, none its name; with room they have it
  /// back, and a tab says all of it to who points at it.
  void tabsKeepTheirNames() {
    LiveBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("dynamic") && bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    const auto texts = [&bench] {
      QStringList all;
      for (const QTabBar* bar : bench.window.docks().findChildren<QTabBar*>()) {
        if (!bar->isVisible()) continue;
        for (int tab = 0; tab < bar->count(); ++tab) {
          all << bar->tabText(tab);
          const int room = bar->tabRect(tab).width(), wanted = bar->fontMetrics().horizontalAdvance(bar->tabText(tab));
          if (room < wanted) all << "cut: " + bar->tabText(tab);
          if (!bar->tabToolTip(tab).startsWith(bar->tabText(tab))) all << "tip: " + bar->tabToolTip(tab);
        }
      }
      return all;
    };
    QTRY_VERIFY2(texts().contains("Memory") && texts().contains("Values"), qPrintable(texts().join('|')));
    QVERIFY2(texts().filter("cut: ").isEmpty() && texts().filter("tip: ").isEmpty(), qPrintable(texts().join('|')));
    bench.window.resize(1600, 1000);
    QTRY_VERIFY2(!texts().filter("Memory ").isEmpty(), qPrintable(texts().join('|')));
  }

  /// In a window of usual size no value of a run covers the name of an operator.
  void operatorsStandBeforeValues() {
    for (const char* sample : {"attention_fp16", "scan", "decoder"}) {
      LiveBench bench;
      QVERIFY(bench.open(sample) && bench.does("select.function", {"main"}));
      QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
      QCOMPARE(bench.window.layoutName(), QString("Debug"));
      const auto* view = bench.window.panel("ir")->findChild<rx::TextView*>();
      QVERIFY(!view->decorations().notes.empty());
      const double letter = QFontMetricsF(view->viewport()->font()).horizontalAdvance('0');
      int looked = 0;
      for (const rx::Link& link : view->decorations().links) {
        if (!link.hasKind) continue;
        const uint32_t line = view->buffer()->lineOf(link.begin);
        const uint32_t column = link.end - view->buffer()->lineStart(line);
        double columns = column;
        for (const rx::Shortening& part : view->shortenings(view->buffer()->line(line)))
          if (part.end <= column) columns -= part.end - part.begin - static_cast<double>(part.text.size());
        QVERIFY2(view->textLeft() + columns * letter <= view->valuesLeft() + letter / 2,
                 qPrintable(QStringLiteral("%1 line %2").arg(sample).arg(line + 1)));
        ++looked;
      }
      QVERIFY(looked > 1);
    }
    // Operators that stand beyond all room take none from the values.
    LiveBench bench;
    QVERIFY(bench.open("tree_lstm") && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}) && bench.does("debug.stepOver", {"3"}));
    const auto* view = bench.window.panel("ir")->findChild<rx::TextView*>();
    const double letter = QFontMetricsF(view->viewport()->font()).horizontalAdvance('0');
    QVERIFY(view->viewport()->width() - view->valuesLeft() > 15 * letter);
  }

  /// What is selected stays in sight where the text gets lower while it is put elsewhere.
  void theLineStaysInSight() {
    LiveBench bench;
    bench.window.resize(1920, 1080);
    QVERIFY(bench.open("decoder") && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "mode=release"}));
    const auto inSight = [&bench] {
      const Panel* text = bench.window.panel("ir");
      const QRect line = text->caretRect();
      const QPoint bottom = text->mapTo(&bench.window, line.bottomLeft());
      QWidget* there = bench.window.childAt(bottom + QPoint(line.width() / 2, 0));
      return line.isValid() && there && text->isAncestorOf(there) && !qobject_cast<QScrollBar*>(there);
    };
    for (const char* layout : {"Debug", "Read", "Debug", "Read"}) {
      QVERIFY(bench.does("view.layout", {layout}));
      QTRY_VERIFY2(inSight(), layout);
    }
    auto* view = bench.window.panel("ir")->findChild<rx::TextView*>();
    const double before = view->lineHeight();
    for (const int zoom : {110, 130, 160, 200, 150, 100, 80, 100}) {
      view->setZoom(zoom);
      QVERIFY2(inSight(), qPrintable(QString::number(zoom)));
      if (zoom == 200) QVERIFY(view->lineHeight() > before * 1.5);
    }
  }

  void textsAreWhole_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QStringList>("state");
    for (const QSize size : {QSize(1024, 700), QSize(1280, 800)}) {
      const QString name = QStringLiteral("%1x%2 %3").arg(size.width()).arg(size.height());
      QTest::newRow(qPrintable(name.arg("opened"))) << size << "resnet18" << QStringList{"select.function", "main"};
      QTest::newRow(qPrintable(name.arg("lowered")))
          << size << "branch" << QStringList{"pass.goTo", "StaticPlanBlockMemory"};
      QTest::newRow(qPrintable(name.arg("stopped")))
          << size << "attention_fp16" << QStringList{"debug.start", "main", "stop=nonfinite"};
    }
  }

  /// In every layout, with every panel in front once, nothing that is written is cut without dots and a tip, and
  /// nothing lies on what stands beside it.
  void textsAreWhole() {
    QFETCH(QSize, size);
    QFETCH(QString, sample);
    QFETCH(QStringList, state);
    LiveBench bench;
    bench.window.resize(size);
    QVERIFY(bench.open(sample));
    QVERIFY(bench.does(state[0], state.mid(1)));
    QSet<QString> faults;
    for (const char* layout : {"Read", "Debug", "Profile"}) {
      QVERIFY(bench.does("view.layout", {layout}));
      for (const QString& panel : bench.window.docks().ids()) {
        QVERIFY2(bench.does("view.panel", {panel}), qPrintable(panel));
        QCoreApplication::processEvents();
        for (const QString& fault : rx::test::textFaults(&bench.window)) faults += fault;
      }
    }
    QStringList all(faults.begin(), faults.end());
    all.sort();
    for (const QString& fault : all) qWarning("%s", qPrintable(fault));
    QCOMPARE(all.size(), 0);
  }

  /// Numbers of registers never give way to their types, nor names of operators to the bars beside them.
  void valuesAndNamesKeepTheirRoom() {
    LiveBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=nonfinite"}));
    QVERIFY(bench.does("view.layout", {"Debug"}) && bench.does("view.panel", {"registers"}));
    QStringList ranges;
    for (const rx::test::PaintedText& text : rx::test::paintedTexts(bench.window.panel("registers"))) {
      QVERIFY2(!text.text.startsWith('(') || !text.text.endsWith(QChar(0x2026)), qPrintable(text.text));
      if (text.text.contains(QRegularExpression("[0-9] … -?[0-9]"))) ranges << text.text;
    }
    QVERIFY2(!ranges.isEmpty(), qPrintable(bench.window.dump("registers")));
    QVERIFY(bench.does("debug.stop") && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"inspector"}));
    for (const rx::test::PaintedText& text : rx::test::paintedTexts(bench.window.panel("inspector")))
      QVERIFY2(!text.text.endsWith(QChar(0x2026)), qPrintable(text.text));
  }

  /// The same on a screen of 150 %, where lengths are rounded otherwise. The scale is chosen before a program starts.
  void textsAreWholeAt150() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", "1.5");
    QProcess larger;
    larger.setProcessEnvironment(environment);
    larger.setProcessChannelMode(QProcess::MergedChannels);
    larger.start(QCoreApplication::applicationFilePath(),
                 {"textsAreWhole:1024x700 stopped", "textsAreWhole:1280x800 stopped"});
    QVERIFY(larger.waitForFinished(10 * kPatience));
    QVERIFY2(larger.exitStatus() == QProcess::NormalExit && larger.exitCode() == 0, larger.readAll().constData());
  }

  /// Icons that are kept are of the theme that is shown, whenever they were made: a change of the theme leaves none
  /// behind that can hardly be seen.
  void iconsFollowTheTheme() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    int seen = 0;
    for (const char* theme : {"light", "dark", "light"}) {
      QVERIFY(bench.does("view.theme", {theme}));
      for (const char* layout : {"Read", "Debug"}) {
        QVERIFY(bench.does("view.layout", {layout}));
        for (const QToolButton* button : bench.window.findChildren<QToolButton*>()) {
          if (button->icon().isNull() || !button->isVisible() || qobject_cast<const ToolbarButton*>(button)) continue;
          const QImage image = button->icon().pixmap(32).toImage();
          double most = 0;
          for (int i = 0; i < 32 * 32; ++i) {
            const QColor ink = image.pixelColor(i % 32, i / 32);
            if (ink.alpha() < 250) continue;
            most = std::max(most, rx::contrastRatio(ink, button->palette().color(QPalette::Base)));
          }
          QVERIFY2(most >= 4.5, qPrintable(QStringLiteral("%1 %2: %3").arg(theme, button->toolTip()).arg(most)));
          ++seen;
        }
      }
    }
    QVERIFY(seen > 30);
  }

  /// Whatever takes the focus or a click has a name for readers of the screen, in every panel.
  void widgetsHaveAccessibleNames() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QSet<QString> nameless;
    const auto look = [&] {
      for (const QWidget* widget : bench.window.findChildren<QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool asks = button || (widget->focusPolicy() & Qt::TabFocus) || qobject_cast<const QTabBar*>(widget);
        // A field of Qt's inside another one speaks by that.
        const bool inner = widget->objectName().startsWith("qt_") || widget->focusProxy() ||
                           qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                           qobject_cast<const QAbstractSpinBox*>(widget->parentWidget());
        const bool words = qobject_cast<const QLabel*>(widget);  // which are what it is called
        if (!asks || inner || words || !widget->isVisible()) continue;
        const QString name = widget->accessibleName().isEmpty() && button ? button->text() : widget->accessibleName();
        if (name.isEmpty())
          nameless += QStringLiteral("%1 %2 in %3")
                          .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                               widget->parentWidget() ? widget->parentWidget()->objectName() : QString());
      }
    };
    for (const char* layout : {"Read", "Debug", "Profile"}) {
      QVERIFY(bench.does("view.layout", {layout}));
      look();
    }
    for (const QString& panel : bench.window.docks().ids()) {
      QVERIFY(bench.does("view.panel", {panel}));
      look();
    }
    for (const QString& one : nameless) qWarning("%s", qPrintable(one));
    QCOMPARE(nameless.size(), 0);
  }
};

QTEST_MAIN(LiveLooksTest)
#include "tst_live_looks.moc"
