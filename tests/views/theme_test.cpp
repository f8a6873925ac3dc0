// The palettes: every text is legible on every ground it is drawn on.
#include <QPalette>
#include <QtTest>

#include "views/theme/palette.h"

using namespace rx;

class ThemeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void contrast_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void contrast() {
    QFETCH(bool, dark);
    const Palette& palette = dark ? Palette::darkTheme() : Palette::lightTheme();
    for (const ColorPair& pair : textPairs(palette)) {
      const double ratio = contrastRatio(pair.text, pair.ground);
      QVERIFY2(
          ratio >= 4.5,
          qPrintable(QString("%1: %2 on %3 is %4").arg(pair.name, pair.text.name(), pair.ground.name()).arg(ratio)));
    }
  }
  void ratioOfKnownColours() {
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
  }
  void themeFollowsTheDesktop() {
    QVERIFY(Palette::forQt(Palette::darkTheme().toQt()).dark);
    QVERIFY(!Palette::forQt(Palette::lightTheme().toQt()).dark);
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
