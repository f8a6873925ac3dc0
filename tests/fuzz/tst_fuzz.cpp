// What fuzzing once found, again: every file of findings/NAME through the check of that name. And files that are cut
// and flipped at random, through the same checks: the samples, and the seeds of what is no text.
#include <QDirIterator>
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <random>

#include "checks.h"

namespace {
QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
std::string_view view(const QByteArray& bytes) { return {bytes.constData(), static_cast<size_t>(bytes.size())}; }
const QString kRoot = RX_SOURCE_DIR;

/// Every module of the samples, and the text of every era.
QStringList sampleTexts() {
  QStringList found;
  QDirIterator it(kRoot + "/samples", {"*.py", "*.relay"}, QDir::Files, QDirIterator::Subdirectories);
  while (it.hasNext()) {
    if (QString path = it.next(); !path.endsWith("make.py")) found << path;
  }
  found.sort();
  return found;
}
/// The row of a check; null where there is none.
auto checkOf(const QString& name) {
  const auto* found = std::find_if(std::begin(rx::fuzz::kChecks), std::end(rx::fuzz::kChecks),
                                   [&](const auto& row) { return name == QString::fromLatin1(row.name.data()); });
  return found == std::end(rx::fuzz::kChecks) ? nullptr : found;
}
bool isRelay(const QString& path) { return path.endsWith(".relay"); }
}  // namespace

class TestFuzz : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findings_data() {
    QTest::addColumn<QString>("check");
    QTest::addColumn<QString>("path");
    for (const auto& named : rx::fuzz::kChecks) {
      QString check = QString::fromStdString(std::string(named.name));
      QDir folder(kRoot + "/tests/fuzz/findings/" + check);
      for (const QString& name : folder.entryList(QDir::Files)) {
        QTest::newRow(qPrintable(check + "/" + name)) << check << folder.filePath(name);
      }
    }
  }
  void findings() {
    QFETCH(QString, check);
    QFETCH(QString, path);
    const QByteArray input = bytesOf(path);
    for (const auto& named : rx::fuzz::kChecks) {
      if (check == QLatin1String(named.name.data(), static_cast<int>(named.name.size())))
        QCOMPARE(QString::fromStdString(named.check(view(input))), QString());
    }
  }

  void seeds_data() {
    QTest::addColumn<QString>("check");
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("rounds");
    // As many as a second or two has time for.
    const std::pair<const char*, int> rounds[] = {{"executable", 5000}, {"arrays", 20000}, {"trace", 10000},
                                                  {"dap", 150},         {"passes", 60},    {"ir_bytes", 2000},
                                                  {"schedule", 500}};
    for (const auto& [check, count] : rounds) {
      const QDir folder(kRoot + "/tests/fuzz/seeds/" + check);
      QVERIFY2(!folder.entryList(QDir::Files).isEmpty(), check);
      for (const QString& name : folder.entryList(QDir::Files))
        QTest::newRow(qPrintable(check + ("/" + name))) << check << folder.filePath(name) << count;
    }
  }
  /// A seed as it is, then with bytes changed, or cut.
  void seeds() {
    QFETCH(QString, check);
    QFETCH(QString, path);
    QFETCH(int, rounds);
    const auto* named = checkOf(check);
    QVERIFY(named);
    const QByteArray seed = bytesOf(path);
    // Of a text with damage to its stages the damage is changed; damaged texts have tests of their own.
    const qsizetype first = check == "ir_bytes" ? seed.indexOf('\0') + 1 : 0;
    std::minstd_rand random(1);
    const auto place = [&] {
      return first + static_cast<qsizetype>(random() % static_cast<unsigned>(seed.size() - first));
    };
    for (int round = 0; round < rounds; ++round) {
      QByteArray changed = seed;
      for (unsigned flips = round == 0 ? 0 : 1 + random() % 4; flips > 0; --flips)
        changed[place()] = static_cast<char>(random());
      if (round % 8 == 7) changed.truncate(place());
      const std::string bad = named->check(view(changed));
      QVERIFY2(bad.empty(), qPrintable(QString("round %1: %2").arg(round).arg(QString::fromStdString(bad))));
    }
  }

  void everyByte_data() {
    QTest::addColumn<QString>("check");
    QTest::addColumn<QString>("path");
    for (const char* check : {"executable", "trace", "arrays"}) {
      const QDir folder(kRoot + "/tests/fuzz/seeds/" + check);
      for (const QFileInfo& seed : folder.entryInfoList(QDir::Files, QDir::Size | QDir::Reversed))
        QTest::newRow(qPrintable(check + ("/" + seed.fileName()))) << check << seed.filePath();
    }
  }
  /// Each byte of a seed changed in its last bit and in all, and the seed cut behind each.
  void everyByte() {
    QFETCH(QString, check);
    QFETCH(QString, path);
    const auto* named = checkOf(check);
    QVERIFY(named);
    const QByteArray seed = bytesOf(path);
    // Of long ones bytes that lie apart by a prime, so that they fall on every field of a row.
    const qsizetype stride = seed.size() > (1 << 14) ? 13 : 1;
    for (qsizetype at = 0; at < seed.size(); at += stride) {
      for (const int flip : {0x01, 0xff}) {
        QByteArray changed = seed;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        const std::string bad = named->check(view(changed));
        QVERIFY2(bad.empty(),
                 qPrintable(QString("byte %1 ^ %2: %3").arg(at).arg(flip).arg(QString::fromStdString(bad))));
      }
      const std::string bad = named->check(view(seed).substr(0, static_cast<size_t>(at)));
      QVERIFY2(bad.empty(), qPrintable(QString("cut at %1: %2").arg(at).arg(QString::fromStdString(bad))));
    }
  }

  void texts_data() {
    QTest::addColumn<QString>("path");
    for (const QString& path : sampleTexts()) QTest::newRow(qPrintable(path.mid(kRoot.size() + 1))) << path;
  }
  /// A text cut at every offset is a module or is refused with places inside it.
  void cutTexts_data() { texts_data(); }
  void cutTexts() {
    QFETCH(QString, path);
    const QByteArray text = bytesOf(path);
    for (int cut = 0; cut < text.size(); ++cut) {
      const std::string_view part = view(text).substr(0, static_cast<size_t>(cut));
      const std::string bad = isRelay(path) ? rx::fuzz::checkRelay(part) : rx::fuzz::checkText(part);
      QVERIFY2(bad.empty(), qPrintable(QString("cut at %1: %2").arg(cut).arg(QString::fromStdString(bad))));
    }
  }
  /// So is a text with bytes changed, and what is still read prints to a text that reads the same.
  void flipTexts_data() { texts_data(); }
  void flipTexts() {
    QFETCH(QString, path);
    const QByteArray text = bytesOf(path);
    std::minstd_rand random(1);
    for (int round = 0; round < 3000; ++round) {
      QByteArray changed = text;
      for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
        const int at = static_cast<int>(random() % static_cast<unsigned>(text.size()));
        // Half of the changes are characters that the text has: such texts get further.
        changed[at] = random() % 2 ? static_cast<char>(random())
                                   : text[static_cast<int>(random() % static_cast<unsigned>(text.size()))];
      }
      std::string bad = isRelay(path) ? rx::fuzz::checkRelay(view(changed)) : rx::fuzz::checkText(view(changed));
      if (bad.empty() && !isRelay(path)) bad = rx::fuzz::checkRoundTrip(view(changed));
      QVERIFY2(bad.empty(), qPrintable(QString("round %1: %2\n%3")
                                           .arg(round)
                                           .arg(QString::fromStdString(bad).left(300), QString::fromUtf8(changed))));
    }
  }
};

QTEST_GUILESS_MAIN(TestFuzz)
#include "tst_fuzz.moc"
