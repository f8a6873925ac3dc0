// Recordings whose program was changed or cut, with hashes that are right: the debugger refuses it by name, or shows
// what is left of it, and never ends with a signal.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>

#include "core/debug/run_recorder.h"
#include "core/debug/session.h"
#include "small_program.h"

using namespace rx;
using namespace rx::debug;

namespace {

/// A stage in which memory was planned: an allocation that a call writes, the call, and another name of its value.
std::shared_ptr<const Stage> plannedStage() {
  StageFunction f{"main", {"x"}, {}};
  const auto add = [&](const char* variable, int source, int buffer) {
    StageBinding b;
    b.ordinal = static_cast<int>(f.bindings.size());
    b.variable = variable;
    b.source = source;
    b.buffer = buffer;
    b.pass = "CallTIRRewrite";
    b.sites = Array<OriginSite>{{"main", 0, static_cast<uint32_t>(b.ordinal / 3), "lv", {}}};
    f.bindings.push_back(b);
  };
  add("alloc", 1, 0);
  add("_", -1, 0);
  add("lv", 1, -1);
  add("h", -1, -1);
  return std::make_shared<Stage>("planned", std::vector{f}, std::vector<std::string>{"/somewhere/planned.py"});
}

/// Looks at all states of a run in each of its stages, as a window does.
void walk(Session& session) {
  for (size_t stage = 0; stage < session.program().stages.size(); ++stage) {
    QVERIFY(session.selectStage(static_cast<int64_t>(stage)).ok());
    for (int64_t state = 0; state <= session.history().recorded(); ++state) {
      if (!session.goTo(state).ok()) continue;
      (void)session.placeAt(state);
      for (int activation = 0; activation < std::min(session.history().activationCount(), 3); ++activation) {
        for (const auto& [place, ref] : session.valuesOf(activation)) {
          const auto value = session.read(ref);
          if (value) (void)session.unwritten(ref, *value);
          (void)session.writerOf(ref);
        }
        (void)session.registersBetween(activation, state, 0);
        (void)session.heapOf(activation, state);
      }
    }
    (void)session.goTo(0);
    session.breakpoints() = {session.bindingBreakpoint(static_cast<int>(stage), {0, 0}),
                             session.dataBreakpoint(static_cast<int>(stage), {0, 0})};
    (void)session.forward(Motion::Over, Granularity::Statement);
    (void)session.forward(Motion::Continue, Granularity::Statement);
    (void)session.backward(Motion::Continue, Granularity::Statement);
    session.breakpoints().clear();
  }
}

}  // namespace

class TestProgramDamage : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string path() const { return folder_.filePath("run.rxtrace").toStdString(); }

  /// Records a run that has no end, for a file that has one is hashed as a whole.
  void record() {
    vm::MachineOptions options;
    options.kernels = std::make_shared<test::SmallKernels>();
    options.record = true;
    auto machine = *vm::Machine::create(test::smallExecutable(), options);
    QVERIFY(machine->start("main", {test::smallInput()}).ok());
    Program program = programOf(machine->executable(), {test::smallStage(), plannedStage()});
    program.devices = {"host"};
    auto recorder = *RunRecorder::create(path(), program, *machine, {});
    while (machine->step() != vm::MachineStatus::Finished) recorder->step({});
    recorder->step({});
  }

  /// The recording that `change` was made to, which gets its bytes and its header; whether it is opened.
  bool opens(const std::function<void(store::FileHeader&, uchar*)>& change) {
    QFile file(QString::fromStdString(path()));
    if (!file.open(QIODevice::ReadWrite)) return false;
    uchar* const bytes = file.map(0, file.size());
    auto& header = *reinterpret_cast<store::FileHeader*>(bytes);
    const store::FileHeader before = header;
    const std::vector<uchar> program(bytes + before.program, bytes + before.program + before.programBytes);
    change(header, bytes + before.program);
    header.programHash = XXH3_64bits(bytes + header.program, header.programBytes);
    header.checksum = XXH3_64bits(&header, offsetof(store::FileHeader, checksum));
    auto history = TraceHistory::open(path());
    const bool opened = history.ok();
    if (!opened) named_ = named_ && history.diagnostics().front().rule.starts_with("store.");
    if (opened) {
      Session session(std::move(*history));
      walk(session);
    }
    header = before;
    std::copy(program.begin(), program.end(), bytes + before.program);
    return opened;
  }

  bool named_ = true;  ///< each refusal so far

 private Q_SLOTS:
  void everyByteChanged() {
    record();
    size_t size = 0;
    QVERIFY(opens([&](store::FileHeader& header, uchar*) { size = header.programBytes; }));
    int opened = 0, refused = 0;
    for (size_t i = 0; i < size; ++i)
      for (const int flip : {1 << i % 8, 0xff}) {
        ++(opens([&](store::FileHeader&, uchar* program) { program[i] ^= static_cast<uchar>(flip); }) ? opened
                                                                                                      : refused);
        QVERIFY2(named_, qPrintable(QString("byte %1").arg(i)));
      }
    QVERIFY(opened > 0);
    QVERIFY(refused > 0);
  }

  void everyCut() {
    record();
    size_t size = 0;
    QVERIFY(opens([&](store::FileHeader& header, uchar*) { size = header.programBytes; }));
    for (size_t kept = 0; kept < size; ++kept) {
      QVERIFY2(!opens([&](store::FileHeader& header, uchar*) { header.programBytes = kept; }),
               qPrintable(QString("cut at %1").arg(kept)));
      QVERIFY(named_);
    }
  }
};

QTEST_GUILESS_MAIN(TestProgramDamage)
#include "tst_program_damage.moc"
