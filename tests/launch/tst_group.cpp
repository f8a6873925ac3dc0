// Threads of a device's kernel, stepped in the interpreter: what they share, where they wait, what they do wrong.
#include <QtTest>

#include "core/interpret/program.h"
#include "core/ir/all_nodes.h"
#include "core/launch/group.h"
#include "core/lower/device_lowering.h"
#include "tests/device/device_modules.h"
#include "tests/support/compiled_text.h"

using namespace rx;
using launch::Group;
using How = launch::Toucher::How;

class TestGroup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsByStatement();
  void waitsForTheOthers();
  void takesValuesOfItsWarp();
  void onlyTheThreadsOfTheGroup();
  void launchesBeforeAreRun();
  void findsRaces_data();
  void findsRaces();
  void findsNoRace_data();
  void findsNoRace();
  void namesTheThreadOfAFault();
  void waitsInVain();
  void statementsStayWithInstructions();
};

namespace {

struct Kernel {
  lower::DeviceForm form;
  std::vector<vm::Value> args;
  const HostTensor& result() const { return args.back().tensor(); }
};

/// The kernel of a module and its arguments: x counts from 1, y is zeros.
Kernel kernelIn(const std::string& text, std::vector<int64_t> shape = {8}) {
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  if (!module) qFatal("%s", renderDiagnostics(module.diagnostics(), {}).c_str());
  const auto target = target::parseTarget("cuda -arch=sm_80");
  auto form = lower::loweredForDevice("k", refAs<tir::PrimFunc>((*module)->find("k")), {}, *target);
  if (!form) qFatal("%s", renderDiagnostics(form.diagnostics(), {}).c_str());
  Kernel made{std::move(*form), {}};
  for (int side = 0; side < 2; ++side) {
    auto tensor = *HostTensor::allocate(shape, DataType::Float(32));
    for (int64_t i = 0; i < tensor->count(); ++i) tensor->set(i, side == 0 ? static_cast<double>(i + 1) : 0);
    made.args.push_back(vm::Value::of(tensor));
  }
  return made;
}

Kernel kernelOfBody(const QString& body) { return kernelIn(kernelOf("float32 float32", body)); }

/// Over 8 threads of one group.
QString threads(const QString& statement) {
  QString text = "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    with T.sblock(\"\"):\n";
  for (const QString& line : statement.split('\n')) text += "        " + line + "\n";
  return text.chopped(1);
}
/// Over 8 groups of one thread.
QString groups(const QString& statement) { return threads(statement).replace("threadIdx", "blockIdx"); }

std::unique_ptr<Group> startedIn(const Kernel& kernel, std::array<int64_t, 3> at, launch::Races* races,
                                 const interpret::Options& options = {}) {
  auto launch = launch::launchOf(kernel.form, "k", kernel.args, 0, options);
  if (!launch) qFatal("%s", launch.diagnostics().front().message.c_str());
  auto group = Group::start(*launch, at, races, options);
  if (!group) qFatal("%s", group.diagnostics().front().message.c_str());
  return std::move(*group);
}

std::vector<launch::Race> racesOf(const Kernel& kernel) {
  auto launch = launch::launchOf(kernel.form, "k", kernel.args, 0, {});
  if (!launch) qFatal("%s", launch.diagnostics().front().message.c_str());
  launch::Races races(launch::grainOf(*launch));
  if (auto ran = launch::runLaunch(*launch, &races, {}); !ran) qFatal("%s", ran.diagnostics().front().message.c_str());
  return races.found();
}

}  // namespace

void TestGroup::stepsByStatement() {
  const Kernel kernel = kernelOfBody(threads("v: T.float32 = x[t] * T.float32(2)\ny[t] = v + T.float32(1)"));
  launch::Races races(4);
  const auto group = startedIn(kernel, {0, 0, 0}, &races);
  QCOMPARE(group->size(), int64_t{8});
  std::vector<launch::Touch> read, written;
  int steps = 0;
  for (; group->state(3) != Group::State::Done && steps < 100; ++steps) {
    QVERIFY(group->step(3));
    for (const launch::Touch& touch : group->touches()) {
      if (touch.buffer.starts_with("x")) read.push_back(touch);
      if (touch.buffer.starts_with("y")) written.push_back(touch);
    }
  }
  QVERIFY(steps >= 2);
  QCOMPARE(read.size(), size_t{1});
  QCOMPARE(read[0].index, int64_t{3});
  QCOMPARE(read[0].text, std::string("4"));
  QCOMPARE(written.size(), size_t{1});
  QCOMPARE(written[0].text, std::string("9"));
  QCOMPARE(kernel.result().at(3), 9.0);
  QCOMPARE(kernel.result().at(2), 0.0);  // nobody has run the others
  QVERIFY(group->finish());
  QCOMPARE(kernel.result().at(2), 7.0);
  QVERIFY(races.found().empty());
}

void TestGroup::waitsForTheOthers() {
  const Kernel kernel = kernelIn(sharingKernel());
  launch::Races races(4);
  const auto group = startedIn(kernel, {0, 0, 0}, &races);
  int steps = 0;
  while (group->state(0) != Group::State::Waits && steps++ < 100) QVERIFY(group->step(0));
  QCOMPARE(group->state(0), Group::State::Waits);
  QCOMPARE(group->state(7), Group::State::Ready);
  // The next step needs what the others have put down: they run to where they wait, and no further.
  QVERIFY(group->step(0));
  QCOMPARE(group->state(7), Group::State::Ready);
  QCOMPARE(kernel.result().at(0), 0.0);
  while (group->state(0) != Group::State::Done && steps++ < 100) QVERIFY(group->step(0));
  QCOMPARE(kernel.result().at(0), 8.0);
  QCOMPARE(kernel.result().at(7), 0.0);
  bool shared = false;
  for (const launch::ThreadValue& value : group->values(0))
    shared = shared || (value.buffer && value.scope == "shared" && value.buffer->at(7) == 8.0);
  QVERIFY(shared);
  QVERIFY(races.found().empty());
}

void TestGroup::takesValuesOfItsWarp() {
  for (const auto& [ending, first] : {std::pair("_down", 2.0), {"_up", 1.0}, {"_xor", 2.0}, {"", 2.0}}) {
    const Kernel kernel = kernelIn(movingKernel(ending, "float32"));
    const auto group = startedIn(kernel, {0, 0, 0}, nullptr);
    QVERIFY(group->finish());
    QCOMPARE(kernel.result().at(0), first);
  }
}

void TestGroup::onlyTheThreadsOfTheGroup() {
  // With so many steps a million groups would not be done.
  const QString body =
      "for b in T.thread_binding(1000000, thread=\"blockIdx.x\"):\n"
      "    for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
      "        with T.sblock(\"\"):\n"
      "            y[t] = x[t] + T.Cast(\"float32\", b)";
  const Kernel kernel = kernelOfBody(body);
  interpret::Options options;
  options.maxSteps = 1000;
  const auto group = startedIn(kernel, {999999, 0, 0}, nullptr, options);
  QVERIFY(group->finish());
  QCOMPARE(kernel.result().at(0), 1000000.0);
}

void TestGroup::launchesBeforeAreRun() {
  const Kernel kernel = kernelOfBody(
      "z = T.sblock_alloc_buffer((8,))\n"
      "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    with T.sblock(\"a\"):\n        z[t] = x[t] * x[t]\n"
      "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    with T.sblock(\"b\"):\n        y[t] = z[7 - t]");
  QCOMPARE(kernel.form.kernels.size(), size_t{2});
  const auto second = launch::launchOf(kernel.form, "k", kernel.args, 1, {});
  QVERIFY(second);
  QVERIFY(launch::runLaunch(*second, nullptr, {}));
  QCOMPARE(kernel.result().at(0), 64.0);
  const auto third = launch::launchOf(kernel.form, "k", kernel.args, 2, {});
  QVERIFY(!third);
  QCOMPARE(third.diagnostics().front().rule, std::string("interpret.launch"));
}

void TestGroup::findsRaces_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<How>("first");
  QTest::addColumn<How>("second");
  QTest::newRow("two write") << threads("y[0] = x[t]") << How::Writes << How::Writes;
  QTest::newRow("one writes what another reads")
      << threads("y[t] = x[t]\nx[t] = y[7 - t]") << How::Reads << How::Writes;
  QTest::newRow("two groups") << groups("y[0] = x[t]") << How::Writes << How::Writes;
  const QString add = "T.evaluate(T.atomic_add(T.address_of(y[0]), x[t]))";
  QTest::newRow("one adds to what another has read") << threads(add + "\nx[t] = y[0]") << How::Reads << How::Adds;
  QTest::newRow("one writes what another adds to")
      << threads("if t == 3:\n    y[0] = x[t]\nelse:\n    " + add) << How::Adds << How::Writes;
  QTest::newRow("the first group adds, and the last reads")
      << groups("if t < 7:\n    " + add + "\nelse:\n    x[t] = y[0]") << How::Adds << How::Reads;
}

void TestGroup::findsRaces() {
  QFETCH(QString, body);
  QFETCH(How, first);
  QFETCH(How, second);
  const Kernel kernel = kernelOfBody(body);
  const auto races = racesOf(kernel);
  QVERIFY(!races.empty());
  QCOMPARE(races[0].first.how, first);
  QCOMPARE(races[0].second.how, second);
  const auto launch = launch::launchOf(kernel.form, "k", kernel.args, 0, {});
  const Diagnostic said = launch::raceDiagnostic(races[0], *launch);
  QCOMPARE(said.rule, std::string("interpret.race"));
  QVERIFY(said.message.find("blockIdx (") != std::string::npos);
  QVERIFY(said.message.find("threadIdx (") != std::string::npos);
  QVERIFY(!said.fix.empty());
}

void TestGroup::findsNoRace_data() {
  QTest::addColumn<std::string>("text");
  const auto of = [](const QString& body) { return kernelOf("float32 float32", body); };
  QTest::newRow("each its own") << of(threads("y[t] = x[t] + x[0]"));
  QTest::newRow("each its own, by groups") << of(groups("y[t] = x[t] + x[0]"));
  QTest::newRow("waiting between") << sharingKernel();
  QTest::newRow("waiting between, in each group")
      << of("for b in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
            "    for t in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
            "        with T.sblock(\"\"):\n"
            "            ours = T.sblock_alloc_buffer((2,), scope=\"shared\")\n"
            "            ours[t] = x[b * 2 + t]\n"
            "            y[b * 2 + t] = ours[1 - t]");
  QTest::newRow("added in one") << of(threads("T.evaluate(T.atomic_add(T.address_of(y[0]), x[t]))"));
  QTest::newRow("added by groups") << of(groups("T.evaluate(T.atomic_add(T.address_of(y[0]), x[t]))"));
  QTest::newRow("added and read, waiting between")
      << of(threads("T.evaluate(T.atomic_add(T.address_of(y[0]), x[t]))\nT.evaluate(T.tvm_storage_sync(\"shared\"))\n"
                    "x[t] = y[0]"));
  QTest::newRow("one of them alone") << of(threads("if t == 3:\n    y[0] = x[t]"));
}

void TestGroup::findsNoRace() {
  QFETCH(std::string, text);
  QVERIFY(racesOf(kernelIn(text)).empty());
}

void TestGroup::namesTheThreadOfAFault() {
  const Kernel kernel = kernelOfBody(threads("y[t] = x[t + 1]"));
  const auto group = startedIn(kernel, {0, 0, 0}, nullptr);
  const auto ran = group->finish();
  QVERIFY(!ran);
  const Diagnostic& said = ran.diagnostics().front();
  QCOMPARE(said.rule, std::string("kernel.bounds"));
  QVERIFY2(said.message.find("index 8") != std::string::npos, said.message.c_str());
  QVERIFY2(said.message.find("threadIdx (7, 0, 0)") != std::string::npos, said.message.c_str());
  QCOMPARE(group->state(7), Group::State::Failed);
  QCOMPARE(group->state(0), Group::State::Done);
}

void TestGroup::waitsInVain() {
  const QString wait = "    T.evaluate(T.tvm_storage_sync(\"shared\"))\n";
  const Kernel kernel = kernelOfBody(threads("if t < 4:\n" + wait + "else:\n" + wait + "y[t] = x[t]"));
  const auto group = startedIn(kernel, {0, 0, 0}, nullptr);
  const auto ran = group->finish();
  QVERIFY(!ran);
  QCOMPARE(ran.diagnostics().front().rule, std::string("interpret.barrier"));
  QVERIFY(!ran.diagnostics().front().notes.empty());
  // Those that are at their end are waited for no longer.
  const Kernel early = kernelOfBody(threads("if t < 4:\n" + wait + "y[t] = x[t]"));
  QVERIFY(startedIn(early, {0, 0, 0}, nullptr)->finish());
  QCOMPARE(early.result().at(0), 1.0);
}

/// What a loop need not do in each step is before it, and belongs to the loop: what follows keeps its own statement.
void TestGroup::statementsStayWithInstructions() {
  const auto module = script::parseModule(make<SourceFile>(
      "m.py",
      kernelOf("float32 float32",
               "for i in range(2):\n    for j in range(4):\n        y[i * 4 + j] = x[i * 3 + j] * x[i * 4 + 3]")));
  QVERIFY(module);
  const auto program = interpret::compile(refAs<tir::PrimFunc>((*module)->find("k")), "k");
  QVERIFY(program);
  QCOMPARE(program->statements.size(), program->code.size());
  bool moved = false, stored = false;
  const auto spanOf = [&](size_t at) { return program->spans[program->statements[at]]; };
  for (size_t i = 1; i < program->code.size(); ++i) {
    const interpret::Instr& in = program->code[i];
    if (in.code == interpret::Code::Store) {
      stored = true;
      // The loads of the value are of the same statement, and the step of the loop behind it is not.
      QCOMPARE(program->code[i + 1].code, interpret::Code::Next);
      QCOMPARE(program->statements[i - 1], program->statements[i]);
      QVERIFY(program->statements[i + 1] != program->statements[i]);
      QVERIFY(spanOf(i + 1).begin < spanOf(i).begin);
    }
    if (in.code == interpret::Code::Next && !moved) {
      // What stands before the inner loop and in the outer one is of the inner loop.
      const auto first = static_cast<size_t>(in.imm);
      QVERIFY(first > 0);
      QCOMPARE(program->statements[first - 1], program->statements[i]);
      moved = program->code[first - 1].code == interpret::Code::Place ||
              program->code[first - 1].code == interpret::Code::IntBinary;
    }
  }
  QVERIFY(stored);
  QVERIFY(moved);
}

QTEST_GUILESS_MAIN(TestGroup)
#include "tst_group.moc"
