// What a recording answers, against a copy of everything that the recorded run held.
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/store/reader.h"
#include "core/support/file.h"
#include "recorded_run.h"
#include "test_recording.h"

using namespace rx;
using store::Keep;
using store::kNone;
using test::bytesOf;
using test::ModelState;
using test::ModelStep;
using test::readerAt;
using test::RecordedRun;
using test::ruleOf;
using test::stepWriting;
using test::writerAt;

namespace {

/// What a file takes on the disk.
uint64_t blocksOf(const QString& path) {
  struct stat info = {};
  return ::stat(path.toStdString().c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_blocks) * 512 : UINT64_MAX;
}

/// Steps before and behind a state for which `test` holds, as a store::Touches.
template <class Test>
store::Touches touchesOf(const std::vector<ModelStep>& steps, uint32_t state, const Test& test) {
  store::Touches touches;
  for (uint32_t s = 0; s < steps.size(); ++s) {
    if (!test(steps[s])) continue;
    if (s < state) touches.last = s;
    if (s >= state && !touches.next) touches.next = s;
  }
  return touches;
}

bool same(const store::Touches& a, const store::Touches& b) { return a.last == b.last && a.next == b.next; }

/// Asks for all that holds at a state.
bool agrees(const store::Reader& reader, const ModelState& model, uint32_t state) {
  auto frames = reader.frames(state);
  if (!frames || frames->size() != model.frames.size()) return false;
  for (size_t i = 0; i < frames->size(); ++i) {
    const auto& wanted = model.frames[model.frames.size() - 1 - i];
    if ((*frames)[i].activation != wanted.activation || (*frames)[i].instruction != wanted.instruction) return false;
    const auto& registers = model.registers.at(wanted.activation);
    for (uint32_t reg = 0; reg < registers.size(); ++reg) {
      auto value = reader.registerAt(state, wanted.activation, reg);
      if (!value || *value != registers[reg]) return false;
    }
  }
  for (const auto& [number, wanted] : model.storages) {
    auto bytes = reader.bytesAt(state, number, 0, wanted.size());
    if (!bytes || bytesOf(bytes->span()) != wanted) return false;
    const size_t from = wanted.size() / 3, length = wanted.size() / 2;
    auto slice = reader.bytesAt(state, number, from, length);
    if (!slice || bytesOf(slice->span()) != bytesOf(std::span(wanted).subspan(from, length))) return false;
  }
  return true;
}

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { path_ = folder_.filePath(QString("run%1.rxtrace").arg(++made_)); }
  void answersEveryState();
  void saysWhatAStepDid();
  void findsWhatTouched();
  void findsWhatTouched_data();
  void followsALiveRun();
  void lastStepsGoOn();
  void lastStepsOfMuchThatIsAlive();
  void diskBudgetDropsTheOldest();
  void diskBudgetTooSmallForTheProgram();
  void aBudgetWithoutABeginningIsRefused();
  void aBudgetIsThereWithoutANumber();
  void editsAreOfTheState();
  void weightsAreReferences();
  void endsWithDiagnostics();
  void liveStorages();
  void refusesWhatIsNotThere();
  void refusesOtherFiles();
  void valuesThatAreNone();

 private:
  QTemporaryDir folder_;
  int made_ = 0;
  QString path_;
};

void StoreTest::answersEveryState() {
  auto writer = writerAt(path_);
  QVERIFY(writer);
  RecordedRun run(*writer, 1);
  for (int i = 0; i < 700; ++i) run.step();
  run.finish();
  writer.reset();
  auto reader = readerAt(path_);
  QVERIFY(reader);
  QCOMPARE(reader->recorded(), 700u);
  QCOMPARE(reader->oldest(), 0u);
  QCOMPARE(reader->state(), store::RunState::Finished);
  QCOMPARE(reader->end()->result->integer, 42);
  QCOMPARE(QString::fromStdString(reader->end()->details), "details");
  QCOMPARE(QString::fromStdString(std::string(reader->program())), "the program");
  for (uint32_t state = 0; state <= 700; ++state)
    QVERIFY2(agrees(*reader, run.states()[state], state), qPrintable(QString::number(state)));
}

void StoreTest::saysWhatAStepDid() {
  auto writer = writerAt(path_);
  RecordedRun run(*writer, 2);
  for (int i = 0; i < 300; ++i) run.step();
  auto reader = readerAt(path_);
  for (uint32_t s = 0; s < 300; ++s) {
    auto changes = reader->changes(s);
    QVERIFY(changes);
    const ModelStep& wanted = run.steps()[s];
    QCOMPARE(changes->registers.size(), wanted.registers.size());
    for (size_t i = 0; i < wanted.registers.size(); ++i) {
      QCOMPARE(changes->registers[i].activation, wanted.registers[i].first);
      QCOMPARE(changes->registers[i].reg, wanted.registers[i].second);
    }
    QCOMPARE(changes->writes.size(), wanted.writes.size());
    for (size_t i = 0; i < wanted.writes.size(); ++i) {
      const auto& [got, write] = std::pair(changes->writes[i], wanted.writes[i]);
      QCOMPARE(got.storage, write.storage);
      QCOMPARE(got.offset, write.offset);
      QCOMPARE(got.bytes, write.bytes);
      QCOMPARE(got.changed, write.changed);
      QVERIFY(got.kept);
    }
    auto step = reader->step(s);
    QVERIFY(step);
    QCOMPARE(step->activation, run.states()[s].frames.back().activation);
    QCOMPARE(step->instruction, run.states()[s].frames.back().instruction);
    QCOMPARE(step->returned, run.states()[s + 1].frames.size() < run.states()[s].frames.size());
    QCOMPARE(step->pushed != kNone, run.states()[s + 1].frames.size() > run.states()[s].frames.size());
  }
}

void StoreTest::findsWhatTouched_data() {
  QTest::addColumn<int>("lastSteps");
  QTest::newRow("one generation") << 0;
  QTest::newRow("several") << 130;
}

void StoreTest::findsWhatTouched() {
  QFETCH(int, lastSteps);
  store::Policy policy;
  if (lastSteps > 0) policy = {Keep::LastSteps, static_cast<uint64_t>(lastSteps)};
  auto writer = writerAt(path_, policy);
  RecordedRun run(*writer, 3);
  for (int i = 0; i < 400; ++i) run.step();
  auto reader = readerAt(path_);
  for (uint32_t state = reader->oldest(); state <= 400; state += 23) {
    auto any = touchesOf(run.steps(), state, [](const ModelStep& step) { return !step.writes.empty(); });
    if (any.last && *any.last < reader->oldest()) any.last.reset();
    QVERIFY(same({reader->lastWrite(state), reader->nextWrite(state)}, any));
    for (const auto& frame : run.states()[state].frames)
      for (uint32_t reg = 0; reg < 5; ++reg) {
        const std::pair cell(frame.activation, reg);
        const auto wanted = touchesOf(run.steps(), state, [&](const ModelStep& step) {
          return std::find(step.registers.begin(), step.registers.end(), cell) != step.registers.end();
        });
        QVERIFY(same(reader->registerTouches(state, frame.activation, reg), wanted));
      }
    for (const auto& [number, bytes] : run.states()[state].storages) {
      const auto writes = touchesOf(run.steps(), state, [&](const ModelStep& step) {
        return std::any_of(step.writes.begin(), step.writes.end(), [&](auto& w) { return w.storage == number; });
      });
      QVERIFY(same(reader->writeTouches(state, number), writes));
      const uint64_t from = bytes.size() / 4, length = std::max<uint64_t>(bytes.size() / 3, 1);
      const auto found = reader->changeTouches(state, number, from, length);
      const auto overlaps = [&](const ModelStep& step) {
        return std::any_of(step.writes.begin(), step.writes.end(), [&](auto& w) {
          return w.storage == number && w.offset < from + length && from < w.offset + w.bytes;
        });
      };
      // Between the state and what is found, the bytes stay as they are; what is found did write there.
      const auto rangeAt = [&](uint32_t s) {
        return bytesOf(std::span(run.states()[s].storages.at(number)).subspan(from, length));
      };
      const uint32_t upTo = found.next ? *found.next : 400;
      for (uint32_t s = state; s <= upTo; ++s) QVERIFY(rangeAt(s) == rangeAt(state));
      if (found.next) QVERIFY(overlaps(run.steps()[*found.next]));
      if (found.last && *found.last >= reader->oldest()) QVERIFY(overlaps(run.steps()[*found.last]));
      if (found.last) QVERIFY(*found.last < state && rangeAt(*found.last + 1) == rangeAt(state));
    }
  }
}

void StoreTest::followsALiveRun() {
  auto writer = writerAt(path_);
  RecordedRun run(*writer, 4);
  auto reader = readerAt(path_);
  QVERIFY(reader);
  QCOMPARE(reader->recorded(), 0u);
  for (uint32_t i = 1; i <= 300; ++i) {
    run.step();
    if (i % 10 != 0) continue;
    QCOMPARE(reader->recorded(), i - 10);
    QVERIFY(agrees(*reader, run.states()[i - 10], i - 10));
    reader->refresh();
    QCOMPARE(reader->recorded(), i);
    QCOMPARE(reader->state(), store::RunState::Running);
    QVERIFY(agrees(*reader, run.states()[i], i));
    QVERIFY(agrees(*reader, run.states()[i / 2], i / 2));
  }
  writer.reset();
  reader->refresh();
  QCOMPARE(reader->state(), store::RunState::Cut);
}

void StoreTest::lastStepsGoOn() {
  auto writer = writerAt(path_, {Keep::LastSteps, 100});
  RecordedRun run(*writer, 5);
  for (int i = 0; i < 1050; ++i) run.step();
  auto reader = readerAt(path_);
  QCOMPARE(reader->oldest(), 900u);
  QCOMPARE(reader->dropped(), store::DropReason::LastSteps);
  for (uint32_t state = 900; state <= 1050; ++state)
    QVERIFY2(agrees(*reader, run.states()[state], state), qPrintable(QString::number(state)));
  QCOMPARE(ruleOf(reader->registerAt(899, 0, 0)), "store.not-kept");
  QCOMPARE(ruleOf(reader->frames(10)), "store.not-kept");
  QCOMPARE(ruleOf(reader->step(10)), "store.not-kept");
}

/// What is alive is written again by each generation: one that has not written as much goes on.
void StoreTest::lastStepsOfMuchThatIsAlive() {
  auto writer = writerAt(path_, {Keep::LastSteps, 10});
  uint32_t random = 1;
  const auto noise = [&](size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::byte& each : made) each = static_cast<std::byte>((random = random * 1664525 + 1013904223) >> 24);
    return made;
  };
  std::vector<std::byte> alive = noise(16 << 20);
  const uint32_t number = writer->declareContent(alive);
  writer->beginRun({0, 1}, {}, 0);
  const auto steps = [&](size_t count, size_t bytes) {
    for (size_t step = 0; step < count; ++step) {
      const std::vector<std::byte> written = noise(bytes);
      const store::StorageWrite write[] = {{number, 0, written, {}}};
      stepWriting(*writer, {}, write);
      writer->settle();  // it may be read until then
      std::copy(written.begin(), written.end(), alive.begin());
    }
  };
  steps(300, 64);
  auto reader = readerAt(path_);
  QCOMPARE(reader->oldest(), 0u);
  steps(60, 1 << 20);
  reader = readerAt(path_);
  QVERIFY2(reader->oldest() > 300 && reader->oldest() <= 350, qPrintable(QString::number(reader->oldest())));
  QCOMPARE(reader->dropped(), store::DropReason::LastSteps);
  QVERIFY(bytesOf(reader->bytesAt(360, number, 0, alive.size())->span()) == bytesOf(std::span<const std::byte>(alive)));
}

void StoreTest::diskBudgetDropsTheOldest() {
  constexpr uint64_t kBudget = 4 << 20;
  auto writer = writerAt(path_, {Keep::Everything, 0, kBudget});
  RecordedRun run(*writer, 6);
  for (int i = 0; i < 3000; ++i) run.step();
  QVERIFY2(writer->stopped().empty(), writer->stopped().c_str());
  QVERIFY(writer->bytesOnDisk() <= kBudget);
  QVERIFY(blocksOf(path_) <= kBudget);
  auto reader = readerAt(path_);
  QVERIFY(reader->oldest() > 0 && reader->oldest() < 3000);
  QCOMPARE(reader->dropped(), store::DropReason::DiskBudget);
  for (uint32_t state = reader->oldest(); state <= 3000; state += 13)
    QVERIFY(agrees(*reader, run.states()[state], state));
}

void StoreTest::diskBudgetTooSmallForTheProgram() {
  constexpr uint64_t kBudget = 1 << 20;
  auto writer = writerAt(path_, {Keep::Everything, 0, kBudget});
  std::mt19937 random(7);
  std::vector<std::byte> large(8 << 20);
  for (std::byte& byte : large) byte = static_cast<std::byte>(random());
  const uint32_t number = writer->declareContent(large);
  const uint32_t small = writer->declareContent(std::span(large).first(10000));
  const uint32_t made = writer->declareFresh(large.size(), std::byte{0});
  writer->beginRun({0, 1}, {}, 0);
  writer->step({.instruction = 1});
  QVERIFY2(writer->stopped().empty(), writer->stopped().c_str());
  // What one step writes is more than the budget: the recording ends before it, and has not passed the budget.
  const store::StorageWrite write[] = {{made, 0, large, {}}};
  stepWriting(*writer, {.instruction = 2}, write);
  QVERIFY(writer->stopped().find("budget") != std::string::npos);
  writer->step({.instruction = 3});
  writer->finish({});
  QVERIFY(writer->bytesOnDisk() <= kBudget);
  QVERIFY(blocksOf(path_) <= kBudget);
  auto reader = readerAt(path_);
  QCOMPARE(reader->state(), store::RunState::Stopped);
  QVERIFY(reader->stopReason().find("budget") != std::string::npos);
  QCOMPARE(reader->recorded(), 1u);
  QVERIFY(bytesOf(reader->bytesAt(1, small, 0, 10000)->span()) ==
          std::vector<std::byte>(large.begin(), large.begin() + 10000));
  const auto missing = reader->bytesAt(1, number, 0, large.size());
  QCOMPARE(ruleOf(missing), "store.not-kept");
  QVERIFY(missing.diagnostics().front().message.find("budget") != std::string::npos);
}

void StoreTest::aBudgetWithoutABeginningIsRefused() {
  QCOMPARE(ruleOf(store::Writer::create(path_.toStdString(), "program", {Keep::Everything, 0, 100})), "store.budget");
}

void StoreTest::aBudgetIsThereWithoutANumber() {
  auto writer = writerAt(path_);
  QVERIFY(writer->policy().diskBudget.value_or(0) > 0);
  auto free = writerAt(path_ + "2", {Keep::Everything, 0, 0});
  QCOMPARE(free->policy().diskBudget, std::optional<uint64_t>(0));
}

void StoreTest::editsAreOfTheState() {
  auto writer = writerAt(path_);
  const std::vector<std::byte> zeros(5000, std::byte{0}), ones(10, std::byte{1}), twos(10, std::byte{2});
  const uint32_t number = writer->declareContent(zeros);
  store::ValueEncoder encoder;
  const auto encoded = [&](int64_t value) {
    encoder.clear();
    encoder.integer(value);
    return std::string(encoder.bytes());
  };
  const std::string before = encoded(1), after = encoded(2), later = encoded(3);
  const store::RegisterWrite argument[] = {{0, 0, before}}, edited[] = {{0, 0, after}};
  const store::StorageWrite first[] = {{number, 4090, ones, {}}}, second[] = {{number, 0, twos, {}}};
  writer->beginRun({0, 1}, argument, 0);
  writer->edit({}, first);
  writer->step({.instruction = 1});
  writer->edit(edited, second);
  writer->set({0, 0, later});
  writer->step({.instruction = 2});
  auto reader = readerAt(path_);
  QCOMPARE(reader->changes(0)->writes.size(), size_t(0));
  QCOMPARE(reader->changes(1)->registers.size(), size_t(1));
  QCOMPARE(reader->changes(1)->writes.size(), size_t(0));
  QCOMPARE(reader->edits(0)->writes.size(), size_t(1));
  QCOMPARE(reader->edits(1)->writes.size(), size_t(1));
  QCOMPARE(reader->edits(1)->registers.size(), size_t(1));
  QCOMPARE(reader->edits(2)->registers.size(), size_t(0));
  QCOMPARE(reader->registerAt(0, 0, 0)->integer, int64_t(1));
  QCOMPARE(reader->registerAt(1, 0, 0)->integer, int64_t(2));
  QCOMPARE(reader->registerAt(2, 0, 0)->integer, int64_t(3));
  QVERIFY(bytesOf(reader->bytesAt(0, number, 4090, 10)->span()) == ones);
  QVERIFY(bytesOf(reader->bytesAt(0, number, 0, 10)->span()) == std::vector<std::byte>(10));
  QVERIFY(bytesOf(reader->bytesAt(1, number, 0, 10)->span()) == twos);
  QCOMPARE(reader->changeTouches(2, number, 0, 10).last, std::optional<uint32_t>(0));
  // An edit behind the last step is there before another one comes.
  writer->edit({}, first);
  reader->refresh();
  QCOMPARE(reader->edits(2)->writes.size(), size_t(1));
  QCOMPARE(*reader->edited(), (std::vector<uint32_t>{0, 1, 2}));
  // Recordings of the layout before had no list of them.
  writer.reset();
  reader.reset();
  QFile file(path_);
  QVERIFY(file.open(QIODevice::ReadWrite));
  store::FileHeader header;
  QCOMPARE(file.read(reinterpret_cast<char*>(&header), sizeof header), qint64{sizeof header});
  header.format = store::kFirstEdits - 1;
  header.checksum = XXH3_64bits(&header, offsetof(store::FileHeader, checksum));
  QVERIFY(file.seek(0));
  QCOMPARE(file.write(reinterpret_cast<const char*>(&header), sizeof header), qint64{sizeof header});
  file.close();
  reader = readerAt(path_);
  QVERIFY(reader);
  QCOMPARE(*reader->edited(), (std::vector<uint32_t>{0, 1, 2}));
}

void StoreTest::weightsAreReferences() {
  const std::string weights = folder_.filePath("weights.bin").toStdString();
  std::string content(1 << 20, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 8);
  QVERIFY(writeFile(weights, content));
  QCOMPARE(ruleOf(store::FileReference::to(weights, 1 << 20, 1)), "store.reference");
  auto reference = store::FileReference::to(weights, 1000, 500000);
  QVERIFY(reference);
  auto writer = writerAt(path_);
  const uint32_t number = writer->declareReference(*reference);
  writer->beginRun({0, 1}, {}, 0);
  const std::vector<std::byte> nines(10, std::byte{9});
  const store::StorageWrite part[] = {{number, 5000, nines, {}}};
  stepWriting(*writer, {}, part);
  QVERIFY(writer->bytesOnDisk() < 250000);  // half of them
  auto reader = readerAt(path_);
  std::string wanted = content.substr(1000, 500000);
  auto before = reader->bytesAt(0, number, 0, wanted.size());
  QVERIFY(!before->copied());
  QVERIFY(bytesOf(before->span()) == bytesOf(std::as_bytes(std::span(wanted))));
  wanted.replace(5000, 10, std::string(10, '\x09'));
  QVERIFY(bytesOf(reader->bytesAt(1, number, 0, wanted.size())->span()) == bytesOf(std::as_bytes(std::span(wanted))));
  QVERIFY(reader->storage(1, number)->reference->path == weights);
  QVERIFY(writeFile(weights, content + "more"));
  QCOMPARE(ruleOf(reader->bytesAt(0, number, 0, 100)), "store.reference");
}

void StoreTest::endsWithDiagnostics() {
  auto writer = writerAt(path_);
  writer->beginRun({0, 1}, {}, 0);
  writer->peak(77);
  writer->peak(5);
  store::RunEnd end;
  end.failed = true;
  end.diagnostics.push_back(errorAt({}, "vm.shape", "3 is not 4"));
  end.diagnostics[0].context = "main";
  end.diagnostics[0].notes.push_back({"n was bound here", {}});
  writer->finish(end);
  auto reader = readerAt(path_);
  QCOMPARE(reader->state(), store::RunState::Failed);
  QCOMPARE(reader->peakBytes(), 77u);
  const Diagnostic& got = reader->end()->diagnostics.at(0);
  QCOMPARE(QString::fromStdString(got.rule + got.message + got.context), "vm.shape3 is not 4main");
  QCOMPARE(QString::fromStdString(got.notes.at(0).message), "n was bound here");
  QVERIFY(!reader->end()->result);
}

void StoreTest::liveStorages() {
  auto writer = writerAt(path_);
  const uint32_t one = writer->declareFresh(100, std::byte{0}), other = writer->declareFresh(200, std::byte{0});
  const uint32_t unused = writer->declareFresh(300, std::byte{0});
  store::ValueEncoder encoder;
  encoder.tuple(2);
  encoder.storage(one);
  const int64_t shape[] = {5};
  encoder.tensor({other, 0, DataType::Float(32), shape});
  const std::string both(encoder.bytes());
  encoder.clear();
  encoder.storage(one);
  const std::string alone(encoder.bytes());
  encoder.clear();
  encoder.none();
  // The second register is not emptied when what it names is let go of.
  const store::RegisterWrite argument[] = {{0, 0, both}, {0, 1, alone}};
  writer->beginRun({0, 2}, argument, 0);
  writer->set({0, 0, encoder.bytes()});
  writer->step({});
  writer->release(one);
  auto reader = readerAt(path_);
  auto live = reader->liveAt(0);
  QVERIFY(live);
  QCOMPARE(live->size(), size_t{2});
  QCOMPARE((*live)[0].bytes, 100u);
  QCOMPARE((*live)[1].bytes, 200u);
  QVERIFY(reader->liveAt(1)->empty());
  QCOMPARE(reader->storage(1, one)->releasedState, 1u);
  QCOMPARE(reader->storage(1, unused)->releasedState, kNone);
}

void StoreTest::refusesWhatIsNotThere() {
  auto writer = writerAt(path_);
  const uint32_t number = writer->declareFresh(100, std::byte{0});
  writer->beginRun({0, 2}, {}, 0);
  auto reader = readerAt(path_);
  QCOMPARE(ruleOf(reader->step(0)), "store.place");
  QCOMPARE(ruleOf(reader->next(1)), "store.place");
  QCOMPARE(ruleOf(reader->registerAt(0, 1, 0)), "store.place");
  QCOMPARE(ruleOf(reader->registerAt(0, 0, 2)), "store.place");
  QCOMPARE(ruleOf(reader->bytesAt(0, number, 99, 2)), "store.place");
  QCOMPARE(ruleOf(reader->bytesAt(0, number + 1, 0, 1)), "store.place");
  QVERIFY(reader->registerAt(0, 0, 1));
  QVERIFY(reader->bytesAt(0, number, 100, 0));
}

void StoreTest::refusesOtherFiles() {
  const auto refusal = [&](const std::string& content) {
    if (!writeFile(path_.toStdString(), content)) return std::string("no file");
    return ruleOf(store::Reader::open(path_.toStdString()));
  };
  QCOMPARE(refusal(""), "store.file");
  QCOMPARE(refusal("PK\x03\x04"), "store.file");
  QCOMPARE(refusal("rxtrace3" + std::string(5000, 'x')), "store.version");
  QCOMPARE(refusal("rxtrace4"), "store.damaged");
  QCOMPARE(refusal("rxtrace4" + std::string(5000, '\xff')), "store.version");
  QCOMPARE(refusal("rxtrace4" + std::string(5000, '\0')), "store.damaged");
  QCOMPARE(ruleOf(store::Reader::open(folder_.path().toStdString())), "store.file");
  QCOMPARE(ruleOf(store::Reader::open(folder_.filePath("none").toStdString())), "store.file");
  QCOMPARE(ruleOf(store::Writer::create(folder_.filePath("no/such/folder").toStdString(), "")), "store.file");
}

void StoreTest::valuesThatAreNone() {
  store::ValueEncoder encoder;
  encoder.tuple(2);
  encoder.closure("f", 1);
  encoder.string("text");
  encoder.real(0.5);
  const std::string whole(encoder.bytes());
  auto value = store::decodeValue(whole);
  QVERIFY(value);
  QCOMPARE(value->items.at(0).items.at(0).text, std::string("text"));
  QCOMPARE(value->items.at(1).real, 0.5);
  for (size_t size = 0; size < whole.size(); ++size)
    QCOMPARE(ruleOf(store::decodeValue(whole.substr(0, size))), "store.damaged");
  QCOMPARE(ruleOf(store::decodeValue(whole + "x")), "store.damaged");
  // Tuples that promise more items than there are bytes, and tuples in each other without end.
  encoder.clear();
  encoder.tuple(size_t{1} << 60);
  QCOMPARE(ruleOf(store::decodeValue(encoder.bytes())), "store.damaged");
  encoder.clear();
  for (int i = 0; i < 100000; ++i) encoder.tuple(1);
  encoder.none();
  QCOMPARE(ruleOf(store::decodeValue(encoder.bytes())), "store.damaged");
}

QTEST_GUILESS_MAIN(StoreTest)
#include "tst_store.moc"
