// What a recording keeps of the bytes that steps wrote: less by policy, equal pieces once.
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "test_recording.h"

using namespace rx;
using store::Keep;
using test::bytesOf;
using test::readerAt;
using test::ruleOf;
using test::stepWriting;
using test::writerAt;

class StorePiecesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { path_ = folder_.filePath(QString("run%1.rxtrace").arg(++made_)); }
  void policiesKeepLess_data();
  void policiesKeepLess();
  void equalPiecesAreKeptOnce();
  void piecesThatAreNearlyEqual();
  void wholeValuesAreNotCopied();
  void memoryIsUsedAgain();

 private:
  QTemporaryDir folder_;
  QString path_;
  int made_ = 0;
};

void StorePiecesTest::policiesKeepLess_data() {
  QTest::addColumn<int>("keep");
  QTest::addColumn<bool>("kept");
  QTest::newRow("bindings") << static_cast<int>(Keep::Bindings) << true;
  QTest::newRow("statistics") << static_cast<int>(Keep::Statistics) << false;
}

void StorePiecesTest::policiesKeepLess() {
  QFETCH(int, keep);
  QFETCH(bool, kept);
  auto writer = writerAt(path_, {static_cast<Keep>(keep)});
  const uint32_t large = writer->declareFresh(10000, std::byte{0});
  const uint32_t small = writer->declareFresh(64, std::byte{0});
  writer->beginRun({0, 1}, {}, 0);
  const std::vector<std::byte> ones(10000, std::byte{1});
  TensorStats stats;
  stats.count = 2500;
  stats.mean = 0.5;
  const store::StorageWrite whole[] = {{large, 0, ones, stats}, {small, 0, std::span(ones).first(64), {}}};
  const store::StorageWrite part[] = {{large, 10, std::span(ones).first(10), {}}};
  stepWriting(*writer, {.instruction = 1, .result = true}, whole);
  stepWriting(*writer, {.instruction = 2, .result = false}, whole);
  stepWriting(*writer, {.instruction = 3, .result = true}, part);
  auto reader = readerAt(path_);
  QCOMPARE(reader->policy().keep, static_cast<Keep>(keep));
  QVERIFY(reader->bytesAt(0, large, 0, 10000));
  QCOMPARE(ruleOf(reader->bytesAt(1, large, 0, 10000)), kept ? "" : "store.not-kept");
  QCOMPARE(ruleOf(reader->bytesAt(2, large, 0, 10000)), "store.not-kept");
  // The bytes around the part are those of a step that was not kept.
  QCOMPARE(ruleOf(reader->bytesAt(3, large, 0, 4096)), "store.not-kept");
  QVERIFY(bytesOf(reader->bytesAt(3, small, 0, 64)->span()) == bytesOf(std::span(ones).first(64)));
  auto changes = reader->changes(0);
  QCOMPARE(changes->writes[0].kept, kept);
  QCOMPARE(changes->writes[0].statistics->mean, 0.5);
  QCOMPARE(changes->writes[0].statistics->count, 2500);
  QVERIFY(changes->writes[1].kept);
}

void StorePiecesTest::equalPiecesAreKeptOnce() {
  auto writer = writerAt(path_);
  std::vector<std::byte> data(8 << 20);
  std::mt19937 random(8);
  for (std::byte& byte : data) byte = static_cast<std::byte>(random());
  const uint32_t one = writer->declareFresh(data.size(), std::byte{0xcd});
  const uint32_t other = writer->declareFresh(data.size(), std::byte{0xcd});
  writer->beginRun({0, 1}, {}, 0);
  const store::StorageWrite first[] = {{one, 0, data, {}}};
  stepWriting(*writer, {}, first);
  const uint64_t once = writer->bytesOnDisk();
  QVERIFY(once >= data.size());
  // The same again, elsewhere too, and zeros: rows and nothing else.
  const store::StorageWrite again[] = {{one, 0, data, {}}, {other, 0, data, {}}};
  stepWriting(*writer, {}, again);
  const std::vector<std::byte> zeros(data.size());
  const store::StorageWrite cleared[] = {{one, 0, zeros, {}}};
  stepWriting(*writer, {}, cleared);
  QVERIFY(writer->bytesOnDisk() < once + data.size() / 16);
  auto reader = readerAt(path_);
  QVERIFY(bytesOf(reader->bytesAt(2, other, 0, data.size())->span()) == data);
  QVERIFY(bytesOf(reader->bytesAt(3, one, 0, data.size())->span()) == zeros);
  QCOMPARE(reader->changes(1)->writes[0].changed, false);
  QCOMPARE(reader->changes(1)->writes[1].changed, true);
}

/// More pieces than are compared with one that looks like them, which differ in one byte that their hash may not see.
void StorePiecesTest::piecesThatAreNearlyEqual() {
  auto writer = writerAt(path_);
  constexpr size_t kPieces = 40;
  std::vector<std::byte> data(kPieces * store::kPieceBytes, std::byte{1});
  for (size_t i = 0; i < kPieces; ++i) {
    data[i * store::kPieceBytes] = std::byte{2};
    data[i * store::kPieceBytes + 100] = static_cast<std::byte>(10 + i);
  }
  const uint32_t number = writer->declareFresh(data.size(), std::byte{0});
  writer->beginRun({0, 1}, {}, 0);
  const store::StorageWrite whole[] = {{number, 0, data, {}}};
  stepWriting(*writer, {}, whole);
  stepWriting(*writer, {}, whole);
  auto reader = readerAt(path_);
  QVERIFY(bytesOf(reader->bytesAt(2, number, 0, data.size())->span()) == data);
  QVERIFY(reader->changes(0)->writes[0].changed && !reader->changes(1)->writes[0].changed);
}

void StorePiecesTest::wholeValuesAreNotCopied() {
  auto writer = writerAt(path_);
  std::vector<std::byte> data(100000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i / 7 + i / 4096);
  const uint32_t number = writer->declareFresh(data.size(), std::byte{0});
  writer->beginRun({0, 1}, {}, 0);
  const store::StorageWrite whole[] = {{number, 0, data, {}}};
  stepWriting(*writer, {}, whole);
  data[50000] = std::byte{0xff};
  const store::StorageWrite byte[] = {{number, 50000, std::span(data).subspan(50000, 1), {}}};
  stepWriting(*writer, {}, byte);
  auto reader = readerAt(path_);
  auto before = reader->bytesAt(1, number, 0, 98304), after = reader->bytesAt(2, number, 0, 98304);
  QVERIFY(!before->copied());
  QVERIFY(after->copied());
  QVERIFY(bytesOf(after->span()) == bytesOf(std::span(data).first(98304)));
  QCOMPARE(reader->spansAt(2, number, 0, 98304)->size(), size_t{3});
}

/// Values on their way to the file, whose memory holds the next ones behind leave().
void StorePiecesTest::memoryIsUsedAgain() {
  constexpr int kSteps = 12;
  std::vector<std::byte> data(5 * (1 << 20) + 8192);
  const auto fill = [&](int step) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i % 251 + i / 4096 * 3 + step * 17);
  };
  auto writer = writerAt(path_);
  const uint32_t number = writer->declareFresh(data.size(), std::byte{0});
  writer->beginRun({0, 1}, {}, 0);
  for (int step = 0; step < kSteps; ++step) {
    writer->leave(data.data() + 4096, data.size() - 4096);
    writer->leave(data.data(), 4096);
    fill(step);
    const store::StorageWrite whole[] = {{number, 0, data, {}}};
    stepWriting(*writer, {}, whole);
  }
  writer->leave(data.data(), data.size());
  fill(kSteps);
  writer->finish({});
  QVERIFY(writer->stopped().empty());
  writer.reset();
  auto reader = readerAt(path_);
  QCOMPARE(reader->recorded(), uint32_t{kSteps});
  for (int step = 0; step < kSteps; ++step) {
    fill(step);
    QVERIFY(bytesOf(reader->bytesAt(static_cast<uint32_t>(step + 1), number, 0, data.size())->span()) == data);
  }
}

QTEST_GUILESS_MAIN(StorePiecesTest)
#include "tst_store_pieces.moc"
