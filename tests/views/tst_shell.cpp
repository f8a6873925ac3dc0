// The shell on a made-up document: every row of the command table, the palette, the script runner, layouts, dialogs.
#include <QAction>
#include <QDialog>
#include <QKeySequence>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyleOption>
#include <QTemporaryDir>
#include <QtTest>

#include "fakes.h"
#include "views/shell/actions.h"
#include "views/shell/cards/toast.h"
#include "views/shell/command.h"
#include "views/shell/main_window.h"
#include "views/shell/palette_popup.h"
#include "views/shell/panel_table.h"
#include "views/shell/script_runner.h"
#include "views/shell/themed_style.h"

using rx::Palette;
using namespace rx::views;

namespace {

struct Bench {
  FakeDocument document;
  Selection selection;
  FakeDebug debug;
  Settings settings{Settings::Keep::InMemory};
  MainWindow window{&document, &selection, &debug, &settings};
  Bench() {
    window.resize(1280, 800);
    window.show();
  }
  void open() {
    document.open("fake.py", {});
    selection.selectFunction("main");
  }
  bool script(const QString& text, QStringList* report = nullptr) {
    ScriptRunner runner(&window, "script", text);
    QSignalSpy done(&runner, &ScriptRunner::finished);
    runner.start();
    if (!done.wait(20000)) return false;
    if (report) *report = runner.report();
    return done.first().first().toBool();
  }
};

}  // namespace

class ShellTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tableIsSound() {
    QSet<QString> ids;
    QHash<QString, QString> keys;
    for (const Command* row : commandTable()) {
      QVERIFY2(!ids.contains(row->id), row->id);
      ids.insert(row->id);
      QVERIFY2(*row->title && *row->help && row->run && row->enabled, row->id);
      QVERIFY2(QString(row->id).contains('.'), row->id);
      for (const QString& key : keysOf(*row)) {
        QVERIFY2(!QKeySequence(key).isEmpty(), row->id);
        // F5 starts or continues: the two are never enabled together.
        if (keys.contains(key)) QVERIFY2(key == "F5", qPrintable(key + " " + keys.value(key) + " " + row->id));
        keys.insert(key, row->id);
      }
    }
    QVERIFY(!findCommand("no.such"));
  }

  void everyCommandOfAMenuIsInIt() {
    Bench bench;
    for (const Command* row : commandTable()) {
      if (!*row->menu || (*row->arguments && row->arguments[0] != '[') || QString(row->menu).contains("Recent"))
        continue;
      QVERIFY2(bench.window.findChild<QAction*>(row->id), row->id);
    }
  }

  void commandsWithoutADocument() {
    Bench bench;
    QVERIFY(!bench.window.run("pass.next"));
    QVERIFY(bench.window.lastError().contains("not possible now"));
    QVERIFY(!bench.window.run("no.such"));
    QVERIFY(!bench.window.run("file.open", {"/no/such/file.py"}));
    QVERIFY(bench.window.statusText().contains("no such file"));
    QVERIFY(bench.window.dump("start").contains("mlp"));
  }

  void scriptDrivesPassesAndRun() {
    Bench bench;
    bench.open();
    QTemporaryDir folder;
    const QString text = QString(
                             "# comment\n"
                             "pass.next 2\n"
                             "expect stage 2 LegalizeOps\n"
                             "select.binding lv3\n"
                             "expect lv3\n"
                             "debug.start main\n"
                             "debug.stepOver 4\n"
                             "expect step 4\n"
                             "debug.stepBack 2\n"
                             "expect step 2\n"
                             "debug.continue\n"
                             "expect ended\n"
                             "debug.goToStep 1\n"
                             "view.theme dark\n"
                             "screenshot %1/a.png\n"
                             "dump passes %1/passes.txt\n")
                             .arg(folder.path());
    QStringList report;
    QVERIFY2(bench.script(text, &report), qPrintable(report.join('\n')));
    QVERIFY(QFileInfo(folder.filePath("a.png")).size() > 1000);
    QFile passes(folder.filePath("passes.txt"));
    QVERIFY(passes.open(QIODevice::ReadOnly));
    QVERIFY(passes.readAll().contains("LegalizeOps\tmain +1"));
  }

  void scriptFailures_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("unknown") << "no.such";
    QTest::newRow("disabled") << "debug.stepOver";
    QTest::newRow("expect") << "expect a text that the status does not have";
    QTest::newRow("count") << "pass.next -3";
    QTest::newRow("binding") << "select.binding absent";
    QTest::newRow("panel") << "dump absent /tmp/x";
    QTest::newRow("quote") << "expect \"open";
    QTest::newRow("line") << "edit.goToLine 100000";
    QTest::newRow("run argument") << "debug.start main colour=red";
    QTest::newRow("layout") << "view.layout absent";
  }
  void scriptFailures() {
    QFETCH(QString, text);
    Bench bench;
    bench.open();
    QStringList report;
    QVERIFY(!bench.script(text + "\nexpect never reached", &report));
    QCOMPARE(report.size(), 1);
    QVERIFY(report.first().startsWith("script:1: "));
  }

  void words() {
    QString error;
    QCOMPARE(scriptWords("a \"b c\" d\\ e \"\"", &error), QStringList({"a", "b c", "d e", ""}));
    QVERIFY(error.isEmpty());
    scriptWords("\"", &error);
    QVERIFY(!error.isEmpty());
  }

  void paletteRanks() {
    Bench bench;
    bench.open();
    const auto all = paletteEntries(bench.window.desk());
    const auto first = [&](const QString& typed) { return rankedEntries(all, typed, 10).at(0); };
    QCOMPARE(first("toggle br").command, QString("debug.toggleBreakpoint"));
    QCOMPARE(first("@lv4").title, QString("lv4"));
    QCOMPARE(first("#Legal").arguments, QStringList("2"));
    QCOMPARE(first(":12").arguments, QStringList("12"));
    QVERIFY(rankedEntries(all, "qqqqxyz", 10).empty());
    PaletteModel model;
    QVERIFY(rankedEntries(all, "", 5).size() == 5);
  }

  void layoutsAndPanels() {
    Bench bench;
    bench.open();
    for (const char* layout : {"view.layoutRead", "view.layoutDebug"})
      QVERIFY(bench.window.run(layout));
    QVERIFY(bench.window.run("view.saveLayout", {"mine"}));
    QVERIFY(!bench.window.run("view.saveLayout", {"Read"}));
    QVERIFY(bench.window.run("view.layout", {"mine"}));
    for (const PanelRow& row : panelTable()) {
      QVERIFY2(bench.window.run("view.panel", {row.id}), row.id);
      QVERIFY2(!bench.window.dump(row.id).isNull(), row.id);
    }
    QVERIFY(!bench.window.run("view.panel", {"absent"}));
  }

  /// Pictures to look at, in build/.../screenshots.
  void pictures_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("theme");
    QTest::newRow("1280-light") << QSize(1280, 800) << "light";
    QTest::newRow("1280-dark") << QSize(1280, 800) << "dark";
    QTest::newRow("1920-light") << QSize(1920, 1080) << "light";
  }
  void pictures() {
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    Bench bench;
    bench.settings.setTheme(theme);
    bench.window.applyLook();
    bench.window.resize(size);
    const QString where = QString("%1/screenshots/shell-%2").arg(RX_BINARY_DIR, QTest::currentDataTag());
    QStringList report;
    QVERIFY2(bench.script("screenshot " + where + "-start.png", &report), qPrintable(report.join('\n')));
    bench.open();
    QVERIFY2(bench.script("debug.start main\ndebug.stepOver 7\nscreenshot " + where +
                              "-debug.png\nview.palette step\nscreenshot " + where + "-palette.png\n",
                          &report),
             qPrintable(report.join('\n')));
    QVERIFY2(bench.script("view.layoutRead\nhelp.shortcuts\nscreenshot " + where + "-keys.png\n", &report),
             qPrintable(report.join('\n')));
    QVERIFY2(bench.script("view.layoutRead\ndebug.stop\npass.last\ndebug.start\nscreenshot " + where + "-run.png\n",
                          &report),
             qPrintable(report.join('\n')));
  }

  /// A style sheet of the application would match every rule with every widget at each change of theme.
  void themeChangesWithoutAStyleSheet() {
    Bench bench;
    bench.open();
    bench.window.say("something to read");
    const auto groundOfMessage = [&] {
      QCoreApplication::sendPostedEvents();
      auto* toast = bench.window.findChild<Toast*>();
      return toast->grab().toImage().pixelColor(toast->width() / 2, 3);
    };
    QVERIFY(bench.window.run("view.themeLight"));
    QCOMPARE(groundOfMessage(), Palette::lightTheme().raised);
    QVERIFY(bench.window.run("view.themeDark"));
    QVERIFY(qApp->styleSheet().isEmpty());
    const auto* style = dynamic_cast<ThemedStyle*>(QApplication::style());
    QVERIFY(style);
    QVERIFY(style->theme().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Base), Palette::darkTheme().base);
    QCOMPARE(groundOfMessage(), Palette::darkTheme().raised);
  }

  /// What went wrong waits to be read: it goes when it is closed, by Esc too, or when something else is to be said.
  void errorsStay() {
    Bench bench;
    bench.open();
    auto* toast = bench.window.findChild<Toast*>();
    bench.window.sayFailed("nothing was written");
    QVERIFY(toast->isVisible());
    const auto goes = [&] {
      const auto labels = toast->findChildren<QLabel*>();
      return std::ranges::any_of(labels,
                                 [](const QLabel* l) { return l->isVisible() && l->text().startsWith("goes in"); });
    };
    QVERIFY(!goes());
    QTest::keyClick(&bench.window, Qt::Key_Escape);
    QVERIFY(!toast->isVisible());
    bench.window.sayFailed("nothing was written");
    bench.window.say("something was");
    QVERIFY(goes());
    bench.window.sayFailed("nothing was written");
    QVERIFY(!goes() && toast->isVisible());
  }

  /// A toast lies over the panels and moves none, takes no focus, and is kept in the log; a later one takes its place.
  void toastMovesNothing() {
    Bench bench;
    bench.open();
    QTest::qWait(100);  // the docks share their space when they are seen for the first time
    auto* toast = bench.window.findChild<Toast*>();
    Panel* text = bench.window.panel("ir");
    const QRect before(text->mapTo(&bench.window, QPoint()), text->size());
    const QWidget* focus = QApplication::focusWidget();
    bench.window.say("first");
    bench.window.say("second", {"debug.stopOnNonFinite", "on"});
    QCoreApplication::processEvents();
    QVERIFY(toast->isVisible());
    QCOMPARE(toast->content().text, QString("second"));
    QCOMPARE(QRect(text->mapTo(&bench.window, QPoint()), text->size()), before);
    QCOMPARE(QApplication::focusWidget(), focus);
    QVERIFY(bench.debug.log_.size() >= 2);
    QCOMPARE(bench.debug.log_[bench.debug.log_.size() - 2].text, QString("first"));
    QPushButton* undo = nullptr;
    for (QPushButton* button : toast->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == "Undo") undo = button;
    QVERIFY(undo);
    undo->click();
    QVERIFY(bench.settings.value("stopOnNonFinite", false).toBool());
    QVERIFY(bench.window.statusText().contains("stops where the first NaN"));
    for (const char* sentence : {"", "short", "A sentence of about the length that a toast usually has, or more."})
      QVERIFY(Toast::timeFor(sentence) >= 4000 && Toast::timeFor(sentence) <= 6000);
    QVERIFY(QTest::qWaitFor([&] { return !toast->isVisible(); }, 7000));
    QVERIFY(bench.window.statusText().contains("stops where the first NaN"));
    bench.window.say("without anything to take back");
    for (QPushButton* button : toast->findChildren<QPushButton*>()) QVERIFY(!button->isVisible());
  }

  /// A message of more than a line is seen whole, beside its buttons and without.
  void toastsShowAllLines() {
    Bench bench;
    bench.open();
    bench.window.resize(1600, 950);
    auto* toast = bench.window.findChild<Toast*>();
    auto* label = toast->findChild<QLabel*>();
    for (const QStringList& ways : {QStringList(), QStringList{"debug.start", "pass.last", "help.tour"}}) {
      for (int words = 4; words < 40; ++words) {
        ToastContent content;
        content.text = QStringLiteral("11 stages ").repeated(words);
        content.tone = words % 2 ? ToastTone::Warning : ToastTone::Info;
        content.commands = ways;
        toast->show(content);
        QCoreApplication::processEvents();
        QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                 qPrintable(QStringLiteral("%1 words: %2 of %3")
                                .arg(words)
                                .arg(label->height())
                                .arg(label->heightForWidth(label->width()))));
      }
    }
  }

  /// The parts of a scroll bar cover it, whatever its range: none is drawn or hit where another is.
  void scrollBarPartsCoverTheBar() {
    const ThemedStyle style(Palette::lightTheme());
    QScrollBar bar(Qt::Vertical);
    QStyleOptionSlider option;
    option.initFrom(&bar);
    option.orientation = Qt::Vertical;
    option.rect = QRect(0, 0, 14, 300);
    for (const auto& [most, page, at] : {std::array{0, 10, 0}, std::array{100, 10, 40}, std::array{2147483647, 1, 5},
                                         std::array{2147483647, 2147483647, 2147483647}}) {
      option.maximum = most;
      option.pageStep = page;
      option.sliderPosition = at;
      const auto part = [&](QStyle::SubControl of) {
        return style.subControlRect(QStyle::CC_ScrollBar, &option, of, nullptr).height();
      };
      QCOMPARE(part(QStyle::SC_ScrollBarSubPage) + part(QStyle::SC_ScrollBarSlider) + part(QStyle::SC_ScrollBarAddPage),
               300);
      QVERIFY(part(QStyle::SC_ScrollBarSlider) >= option.fontMetrics.height());
      QVERIFY(style.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarAddLine, nullptr).isEmpty());
    }
  }

  void dialogsOpen() {
    Bench bench;
    bench.open();
    for (const char* id : {"debug.start", "export.package", "pass.pipeline", "help.shortcuts", "help.about"}) {
      QVERIFY2(bench.window.run(id), id);
      QVERIFY(bench.window.findChild<QDialog*>());
    }
    QVERIFY(bench.window.dump("shortcuts").contains("debug.stepOver"));
  }
};

QTEST_MAIN(ShellTest)
#include "tst_shell.moc"
