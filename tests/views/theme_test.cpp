// The palettes: every text is legible on every ground it is drawn on.
#include <QDir>
#include <QPainter>
#include <QPalette>
#include <QSet>
#include <QtTest>

#include "views/theme/icons.h"
#include "views/theme/kind_mark.h"
#include "views/theme/own_colors.h"
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
  /// Every colour has one role; given another value all that is drawn with it has it, and given back it is as it was.
  void ownColours_data() { contrast_data(); }
  void ownColours() {
    QFETCH(bool, dark);
    const Palette& shown = dark ? Palette::darkTheme() : Palette::lightTheme();
    QSet<QString> ids;
    OwnColors own;
    for (const ColorRole& role : colorRoles()) {
      ids.insert(role.id);
      own.insert(role.id, QColor::fromRgb(0xff000000U | static_cast<unsigned>(ids.size())));
    }
    QCOMPARE(static_cast<size_t>(ids.size()), colorRoles().size());
    QVERIFY(setOwnColors(dark, own) && !setOwnColors(dark, own));
    for (const ColorRole& role : colorRoles()) QCOMPARE(colorOf(shown, role), own.value(role.id));
    for (const ColorPair& pair : textPairs(shown)) QVERIFY2(pair.text.rgb() - 0xff000001U < own.size(), pair.name);
    QCOMPARE(shown.of(OpKind::Tuple).line, shown.of(OpKind::Movement).line);
    QVERIFY(&Palette::forQt(shown.toQt()) == &shown);
    QVERIFY(setOwnColors(dark, {{"no such role", Qt::red}, {"text", QColor()}}));
    for (const ColorRole& role : colorRoles()) QCOMPARE(colorOf(shown, role), colorOf(plainTheme(dark), role));
  }
  /// The pair that is the hardest to read is named, and the colour that is proposed can be read everywhere.
  void legibleColours() {
    Palette palette = plainTheme(false);
    const ColorRole& comment = *colorRole("comment");
    QVERIFY(!colorRole("no such role") && !leastContrast(palette, *colorRole("border")));
    QVERIFY(leastContrast(palette, comment)->ratio >= kLeastContrast);
    QCOMPARE(*legibleColor(palette, comment), palette.comment);
    setColor(&palette, comment, QColor("#c0d0c0"));
    const std::optional<RoleContrast> least = leastContrast(palette, comment);
    QVERIFY(least->ratio < 2);
    QCOMPARE(least->text, QString("comment"));
    QCOMPARE(least->ground, QString("selected"));
    const std::optional<QColor> legible = legibleColor(palette, comment);
    QVERIFY(legible && std::abs(legible->hslHue() - 120) < 8);
    setColor(&palette, comment, *legible);
    QVERIFY(leastContrast(palette, comment)->ratio >= kLeastContrast);
    // No ground carries both black and white.
    setColor(&palette, *colorRole("text"), Qt::black), setColor(&palette, *colorRole("grey"), Qt::white);
    QVERIFY(!legibleColor(palette, *colorRole("base")));
  }
  void ratioOfKnownColours() {
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
  }
  /// Every file of resources/icons draws something, in the ink that was asked for and in nothing else.
  void icons() {
    const QStringList names = QDir(RX_SOURCE_DIR "/resources/icons").entryList({"*.svg"});
    QVERIFY(names.size() > 40);
    for (const QString& file : names) {
      const QByteArray name = file.chopped(4).toLatin1();
      const QImage image = views::icon(name.constData(), QColor(Qt::red)).pixmap(48).toImage();
      int drawn = 0;
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          const QColor color = image.pixelColor(x, y);
          if (color.alpha() < 250) continue;
          ++drawn;
          QVERIFY2(color.red() > 250 && color.green() < 5 && color.blue() < 5, name.constData());
        }
      }
      QVERIFY2(drawn > 40, name.constData());
    }
    QVERIFY(views::icon("no such icon", Palette::lightTheme()).isNull());
    const QIcon open = views::icon("open", Palette::lightTheme());
    QVERIFY(open.pixmap(16).toImage() != open.pixmap(16, QIcon::Disabled).toImage());
  }

  /// Kinds of one family share mark and colour, and no two families share a mark.
  void kindMarks() {
    std::vector<QImage> seen;
    for (const KindLegend& row : kindLegend()) {
      QImage image(20, 20, QImage::Format_ARGB32_Premultiplied);
      image.fill(Qt::transparent);
      QPainter painter(&image);
      drawKindMark(painter, kindMark(row.kind), Qt::black, QRectF(0, 0, 20, 20));
      painter.end();
      for (const QImage& other : seen) QVERIFY2(other != image, row.name);
      seen.push_back(image);
    }
    QCOMPARE(kindMark(OpKind::Tuple), KindMark::TriangleRight);
    QCOMPARE(kindMark(OpKind::Parameter), KindMark::None);
  }

  void themeFollowsTheDesktop() {
    QVERIFY(Palette::forQt(Palette::darkTheme().toQt()).dark);
    QVERIFY(!Palette::forQt(Palette::lightTheme().toQt()).dark);
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
