// What a desktop is told about the window: the entry with its handler of relaxscope:// links, the types of files, the
// icon; valid, and installed where desktops look.
#include <QFile>
#include <QImage>
#include <QMimeDatabase>
#include <QPainter>
#include <QProcess>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

namespace {

const QString kFolder = QStringLiteral(RX_SOURCE_DIR "/resources/desktop/");

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The keys of the entry's only group.
QMap<QString, QString> keysOf(const QByteArray& entry) {
  QMap<QString, QString> keys;
  const QStringList lines = QString::fromUtf8(entry).split('\n', Qt::SkipEmptyParts);
  if (lines.value(0) != "[Desktop Entry]") return keys;
  for (const QString& line : lines.mid(1)) keys.insert(line.section('=', 0, 0), line.section('=', 1));
  return keys;
}

}  // namespace

class DesktopTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void entry() {
    const QMap<QString, QString> keys = keysOf(contentOf(kFolder + "relaxscope.desktop"));
    QCOMPARE(keys.value("Type"), QString("Application"));
    for (const char* key : {"Name", "Comment", "Icon", "Categories"}) QVERIFY2(!keys.value(key).isEmpty(), key);
    // Files and links reach the program as its arguments.
    QCOMPARE(keys.value("Exec"), QString("relaxscope %U"));
    for (const char* list : {"Categories", "MimeType", "Keywords"}) QVERIFY2(keys.value(list).endsWith(';'), list);
    QVERIFY(keys.value("MimeType").split(';').contains("x-scheme-handler/relaxscope"));
    const QString tool = QStandardPaths::findExecutable("desktop-file-validate");
    if (tool.isEmpty()) return;
    QProcess process;
    process.start(tool, {kFolder + "relaxscope.desktop"});
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
  }

  /// Every type that the entry opens and that is ours is described, with a pattern of file names.
  void types() {
    QXmlStreamReader xml(contentOf(kFolder + "relaxscope.xml"));
    QMap<QString, QStringList> patterns;
    QString type;
    while (!xml.atEnd()) {
      if (xml.readNext() != QXmlStreamReader::StartElement) continue;
      if (xml.name() == QLatin1String("mime-type")) type = xml.attributes().value("type").toString();
      if (xml.name() == QLatin1String("glob")) patterns[type] << xml.attributes().value("pattern").toString();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    const QMap<QString, QString> keys = keysOf(contentOf(kFolder + "relaxscope.desktop"));
    for (const QString& opened : keys.value("MimeType").split(';', Qt::SkipEmptyParts))
      if (!opened.startsWith("x-scheme-handler/")) QVERIFY2(patterns.contains(opened), qPrintable(opened));
    QCOMPARE(patterns.size(), 3);
  }

  void iconDraws() {
    QSvgRenderer icon(kFolder + "relaxscope.svg");
    QVERIFY(icon.isValid());
    QImage image(64, 64, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    icon.render(&painter);
    painter.end();
    QSet<QRgb> colors;
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) colors.insert(image.pixel(x, y));
    QVERIFY(colors.size() > 4);
  }

  /// `cmake --install` puts them where desktops look, and a desktop then knows the types.
  void installed() {
    QTemporaryDir prefix;
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("cmake", {"--install", RX_BINARY_DIR, "--component", "desktop", "--prefix", prefix.path()});
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
    for (const char* file :
         {"share/applications/relaxscope.desktop", "share/mime/packages/relaxscope.xml",
          "share/icons/hicolor/scalable/apps/relaxscope.svg", "share/relaxscope/samples/mlp/module.py"})
      QVERIFY2(QFile::exists(prefix.filePath(file)), file);
    qputenv("XDG_DATA_HOME", prefix.filePath("share").toUtf8());
    const QMimeDatabase types;
    QCOMPARE(types.mimeTypeForFile("run.rxtrace", QMimeDatabase::MatchExtension).name(),
             QString("application/x-relaxscope-recording"));
    QCOMPARE(types.mimeTypeForData(QByteArray("rxtrace2 and more")).name(),
             QString("application/x-relaxscope-recording"));
    QCOMPARE(types.mimeTypeForFile("model.tvmscript", QMimeDatabase::MatchExtension).name(),
             QString("text/x-tvmscript"));
    QVERIFY(types.mimeTypeForData(QByteArray("nothing of ours")).name() != "text/x-tvmscript");
  }
};

QTEST_GUILESS_MAIN(DesktopTest)
#include "tst_desktop.moc"
