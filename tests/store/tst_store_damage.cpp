// Recordings whose writer was killed or ran out of disk, and files that were cut or changed: what is left is answered
// or refused, never a signal.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <filesystem>
#include <set>

#include "core/store/late_writer.h"
#include "core/store/reader.h"
#include "core/support/file.h"
#include "recorded_run.h"

using namespace rx;
using test::RecordedRun;

namespace {

/// Asks a recording everything; false where an answer contradicts itself or a refusal has no name.
bool consistent(const std::string& path, uint64_t& answers) {
  const auto named = [&](const auto& result) {
    if (result) ++answers;
    return result.ok() || result.diagnostics().front().rule.starts_with("store.");
  };
  auto opened = store::Reader::open(path);
  if (!named(opened)) return false;
  if (!opened) return true;
  store::Reader& reader = **opened;
  if (reader.oldest() > reader.recorded()) return false;
  const uint32_t stride = std::max(1u, (reader.recorded() - reader.oldest()) / 2);
  for (uint32_t state = reader.oldest(); state <= reader.recorded(); state += stride) {
    auto frames = reader.frames(state);
    auto changes = reader.changes(state);
    auto live = reader.liveAt(state);
    if (!named(frames) || !named(changes) || !named(live) || !named(reader.next(state))) return false;
    for (uint32_t frame = 0; frame < std::min(reader.activations(), 4u); ++frame) {
      if (!named(reader.activation(frame))) return false;
      for (uint32_t reg = 0; reg < 5; ++reg) {
        if (!named(reader.registerAt(state, frame, reg))) return false;
        const auto touches = reader.registerTouches(state, frame, reg);
        if (touches.next && *touches.next >= reader.recorded()) return false;
      }
    }
    if (const auto next = reader.nextWrite(state); next && *next >= reader.recorded()) return false;
    (void)reader.lastWrite(state);
    for (uint32_t number = 0; number < 4; ++number) {
      auto info = reader.storage(state, number);
      if (!named(info)) return false;
      if (!info) continue;
      const uint64_t length = std::min<uint64_t>(info->bytes, 20000);
      auto bytes = reader.bytesAt(state, number, 0, length);
      if (!named(bytes)) return false;
      // Reading them is the question here.
      uint64_t sum = 0;
      if (bytes)
        for (std::byte byte : bytes->span()) sum += static_cast<uint64_t>(byte);
      if (sum > length * 255) return false;
      (void)reader.changeTouches(state, number, 0, length / 2);
      (void)reader.writeTouches(state, number);
    }
  }
  return true;
}

/// Runs `body` in a process of its own, and gives its status.
template <class Body>
int inChild(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

class StoreDamageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyByteChanged();
  void everyCut();
  void whatIsCompleteIsCovered();
  void targetsAreNoDevices();
  void killedAtAnyMoment();
  void readWhileWritten();
  void whatFailsLateIsNotCounted();
  void fullDiskEndsTheRecording();

 private:
  std::string small(const store::Policy& policy, bool finished = false);
  QTemporaryDir folder_;
};

/// A recording with a bit of everything; one that is not finished has no hashes, and is told by what is left of it.
std::string StoreDamageTest::small(const store::Policy& policy, bool finished) {
  const std::string path = folder_.filePath("small.rxtrace").toStdString();
  auto writer = store::Writer::create(path, "program", policy);
  RecordedRun run(**writer, 11, 4200);
  for (int i = 0; i < 16; ++i) run.step();
  if (finished) run.finish();
  return path;
}

void StoreDamageTest::everyByteChanged() {
  const std::string path = small({store::Keep::LastSteps, 10});
  auto file = MappedFile::open(path);
  QVERIFY(file);
  const size_t size = (*file)->bytes().size();
  QFile editable(QString::fromStdString(path));
  QVERIFY(editable.open(QIODevice::ReadWrite));
  uchar* bytes = editable.map(0, static_cast<qint64>(size));
  QVERIFY(bytes);
  uint64_t whole = 0, answers = 0, least = UINT64_MAX;
  QVERIFY(consistent(path, whole));
  for (size_t i = 0; i < size; ++i) {
    const uchar before = bytes[i];
    // One bit in turn, or all.
    bytes[i] = static_cast<uchar>(before ^ (i % 9 == 8 ? 0xff : 1 << i % 9));
    answers = 0;
    const bool fine = consistent(path, answers);
    bytes[i] = before;
    least = std::min(least, answers);
    QVERIFY2(fine, qPrintable(QString("byte %1").arg(i)));
  }
  // Some changes are found at once.
  QCOMPARE(least, uint64_t{0});
  answers = 0;
  QVERIFY(consistent(path, answers));
  QCOMPARE(answers, whole);
}

void StoreDamageTest::everyCut() {
  const std::string path = small({});
  auto file = readFile(path);
  QVERIFY(file);
  uint64_t whole = 0;
  QVERIFY(consistent(path, whole));
  std::set<uint64_t> numbers;
  for (size_t size = file->size(); size-- > 0;) {
    QCOMPARE(::truncate(path.c_str(), static_cast<off_t>(size)), 0);
    uint64_t answers = 0;
    QVERIFY2(consistent(path, answers), qPrintable(QString("cut at %1").arg(size)));
    numbers.insert(answers);
  }
  // From whole to nothing, with steps between.
  QVERIFY(numbers.contains(0));
  QVERIFY(numbers.size() > 3);
}

void StoreDamageTest::whatIsCompleteIsCovered() {
  const std::string path = small({}, true);
  const std::string whole = *readFile(path);
  uint64_t answers = 0;
  QVERIFY(consistent(path, answers) && answers > 20);
  QFile editable(QString::fromStdString(path));
  QVERIFY(editable.open(QIODevice::ReadWrite));
  uchar* bytes = editable.map(0, static_cast<qint64>(whole.size()));
  QVERIFY(bytes);
  const auto refused = [&] {
    const auto opened = store::Reader::open(path);
    return !opened && opened.diagnostics().front().rule.starts_with("store.");
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    bytes[i] = static_cast<uchar>(bytes[i] ^ 1 << i % 8);
    const bool fine = refused();
    bytes[i] = static_cast<uchar>(bytes[i] ^ 1 << i % 8);
    QVERIFY2(fine, qPrintable(QString("byte %1").arg(i)));
  }
  QVERIFY(!refused());
  editable.unmap(bytes);
  QVERIFY(writeFile(path, whole + "x"));
  QVERIFY(refused());
  for (size_t size = 0; size < whole.size(); size += 509) {
    QVERIFY(writeFile(path, std::string_view(whole).substr(0, size)));
    QVERIFY2(refused(), qPrintable(QString("cut at %1").arg(size)));
  }
  // With much that was dropped, and more chunks than one.
  const std::string large = folder_.filePath("large.rxtrace").toStdString();
  {
    auto writer = store::Writer::create(large, "program", {store::Keep::LastSteps, 100});
    RecordedRun run(**writer, 15, 1 << 20);
    while ((*writer)->recorded() < 1000) run.step();
    run.finish();
  }
  answers = 0;
  QVERIFY(consistent(large, answers) && answers > 20);
}

void StoreDamageTest::targetsAreNoDevices() {
  const std::string fifo = folder_.filePath("fifo").toStdString(), link = folder_.filePath("link").toStdString();
  QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& target : {std::string("/dev/full"), std::string("/dev/null")}) {
    const auto writer = store::Writer::create(target, "program");
    QVERIFY(!writer);
    QCOMPARE(writer.diagnostics().front().rule, std::string("store.file"));
    struct stat info = {};
    QVERIFY(::stat(target.c_str(), &info) == 0 && S_ISCHR(info.st_mode));
  }
  QVERIFY(!store::Reader::open(fifo));
  const std::string path = small({}, true);
  QCOMPARE(::symlink(path.c_str(), link.c_str()), 0);
  {
    auto writer = store::Writer::create(link, "another");
    // The old one stays until there is a run in the new.
    QCOMPARE((*store::Reader::open(link))->program(), std::string_view("program"));
    (*writer)->beginRun({0, 1}, {}, 0);
    QCOMPARE((*store::Reader::open(link))->program(), std::string_view("another"));
  }
  struct stat info = {};
  QVERIFY(::lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode));
  QCOMPARE((*store::Reader::open(path))->program(), std::string_view("another"));
}

void StoreDamageTest::killedAtAnyMoment() {
  const std::string path = folder_.filePath("killed.rxtrace").toStdString();
  uint32_t most = 0;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto writer = store::Writer::create(path, "program");
      RecordedRun run(**writer, 12);
      for (;;) run.step();
    }
    ::usleep(static_cast<useconds_t>(20000 + 3777 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    auto reader = store::Reader::open(path);
    // It may have died before there was a run.
    if (!reader) continue;
    QCOMPARE((*reader)->state(), store::RunState::Cut);
    most = std::max(most, (*reader)->recorded());
    // The same run again, as far as it got.
    auto writer = store::Writer::create(path + ".again", "program");
    RecordedRun run(**writer, 12);
    const uint32_t compared = std::min((*reader)->recorded(), 300u);
    while (run.steps().size() < (*reader)->recorded() && run.steps().size() < compared) run.step();
    for (const auto& [number, bytes] : run.states()[compared].storages) {
      auto got = (*reader)->bytesAt(compared, number, 0, bytes.size());
      QVERIFY(got);
      QVERIFY(std::equal(bytes.begin(), bytes.end(), got->span().begin()));
    }
    uint64_t answers = 0;
    QVERIFY(consistent(path, answers));
    QVERIFY((*reader)->frames((*reader)->recorded()));
  }
  QVERIFY(most > 100);
}

void StoreDamageTest::readWhileWritten() {
  const std::string path = folder_.filePath("both.rxtrace").toStdString();
  auto first = store::Writer::create(path, "program");
  (*first)->beginRun({0, 1}, {}, 0);
  first->reset();
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = store::Writer::create(path, "program", {store::Keep::LastSteps, 200});
    RecordedRun run(**writer, 13);
    for (;;) run.step();
  }
  uint32_t most = 0;
  bool fine = true;
  QElapsedTimer time;
  time.start();
  // Many looks, and on until there is something to look at.
  for (int i = 0; (i < 200 || most <= 100) && fine && time.elapsed() < 30000; ++i) {
    uint64_t answers = 0;
    fine = consistent(path, answers);
    if (auto reader = store::Reader::open(path)) most = std::max(most, (*reader)->recorded());
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  QVERIFY(fine);
  QVERIFY(most > 100);
}

void StoreDamageTest::whatFailsLateIsNotCounted() {
  const std::string path = folder_.filePath("late").toStdString();
  const std::vector<std::byte> bytes(1 << 20, std::byte{7});
  for (const bool writable : {true, false}) {
    const int file = ::open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CREAT, 0600);
    QVERIFY(file >= 0);
    uint64_t counted = 0;
    store::LateWriter late(file);
    QVERIFY(late.write(4096, bytes));
    late.publish(counted, 1);
    QCOMPARE(late.settle() == 0, writable);
    QVERIFY(!late.writes(4096));
    QCOMPARE(counted, uint64_t(writable ? 1 : 0));
    late.publish(counted, 2);
    QCOMPARE(counted, uint64_t(writable ? 2 : 0));
    ::close(file);
  }
  QCOMPARE(std::filesystem::file_size(path), 4096 + bytes.size());
}

void StoreDamageTest::fullDiskEndsTheRecording() {
  const std::string path = folder_.filePath("full.rxtrace").toStdString();
  // A limit on the length of a file is met where a full disk is: where it is put on disk or written.
  for (const rlim_t limit : {30'000, 100'000, 500'000, 2'000'000}) {
    const int status = inChild([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit length{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &length);
      auto writer = store::Writer::create(path, "program");
      if (!writer) ::_exit(1);
      RecordedRun run(**writer, 14);
      for (int i = 0; i < 3000; ++i) run.step();
      if ((*writer)->stopped().empty()) ::_exit(2);
    });
    QCOMPARE(status, 0);
    auto reader = store::Reader::open(path);
    if (!reader) {
      // There was no room for the beginning of a run.
      QCOMPARE(QString::fromStdString(reader.diagnostics().front().rule), "store.file");
      continue;
    }
    QCOMPARE((*reader)->state(), store::RunState::Stopped);
    QVERIFY(!(*reader)->stopReason().empty());
    auto writer = store::Writer::create(path + ".again", "program");
    RecordedRun run(**writer, 14);
    while (run.steps().size() < (*reader)->recorded()) run.step();
    for (uint32_t state = 0; state <= (*reader)->recorded(); state += 5)
      for (const auto& [number, bytes] : run.states()[state].storages) {
        auto got = (*reader)->bytesAt(state, number, 0, bytes.size());
        QVERIFY(got);
        QVERIFY(std::equal(bytes.begin(), bytes.end(), got->span().begin()));
      }
    if (limit == 2'000'000) QVERIFY((*reader)->recorded() > 50);
  }
}

QTEST_GUILESS_MAIN(StoreDamageTest)
#include "tst_store_damage.moc"
