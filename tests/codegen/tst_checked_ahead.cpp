// Kernels whose elements are chosen by data: a fault is the same whether each step is checked or many together, and so
// is the memory that it leaves.
#include <QTest>

#include "core/codegen/kernels.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_ahead.h"
#include "core/lower/host_lowering.h"
#include "core/runtime/registry.h"
#include "core/script/parse.h"

using namespace rx;

namespace {

const char* const kGather =
    "A: T.Buffer((40,), 'float32'), J: T.Buffer((3000,), 'int32'), C: T.Buffer((3000,), 'float32')";
const char* const kSymbolic = "A: T.Buffer((40,), 'float32'), j: T.handle, c: T.handle";

struct Outcome {
  std::string fault;
  std::vector<double> written;
};

Result<ir::Module> moduleOf(const QString& signature, const QString& body, bool noalias) {
  QString text =
      "from tvm.script import ir as I, tirx as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n    def k(";
  text += signature + "):\n";
  if (noalias) text += "        T.func_attr({'tirx.noalias': True})\n";
  for (const QString& line : body.split('\n')) text += "        " + line + "\n";
  return script::parseModule(make<SourceFile>("k.py", text.toStdString()));
}

/// Runs the kernel; what it wrote is the last argument.
Outcome outcome(const ir::Module& module, int level, bool checked, const std::vector<vm::Value>& args) {
  codegen::KernelCompiler compiler;
  compiler.options.optLevel = level;
  compiler.options.checkAccess = checked;
  const auto form = level == 0 ? lower::HostForm::Loops : lower::HostForm::Flat;
  compiler.lower = [form](const tir::PrimFuncRef& f) { return lower::loweredForHost(f, form, {}); };
  auto kernel = codegen::makeJitKernels(module, std::move(compiler))->find("k");
  if (!kernel) return {kernel.diagnostics()[0].message, {}};
  const vm::PackedRegistry registry = vm::PackedRegistry::withBuiltins();
  vm::Surroundings around;
  around.memory = std::make_shared<StorageArena>(1 << 24);
  around.registry = &registry;
  vm::CallContext context(around);
  const auto result = (*kernel)->call(context, vm::ArgumentsOf(args));
  Outcome made{result ? std::string() : result.diagnostics()[0].message, {}};
  const HostTensor& last = args.back().tensor();
  for (int64_t i = 0; i < last.count(); ++i) made.written.push_back(last.at(i));
  return made;
}

/// A has 40 elements, J 3000 indices into it but for those that `wrong` names, C is what is written.
std::vector<vm::Value> arguments(const std::vector<std::pair<int64_t, int64_t>>& wrong) {
  const Ref<HostTensor> a = *HostTensor::allocate({40}, DataType::Float(32));
  const Ref<HostTensor> j = *HostTensor::allocate({3000}, DataType::Int(32));
  const Ref<HostTensor> c = *HostTensor::allocate({3000}, DataType::Float(32));
  for (int64_t i = 0; i < 40; ++i) a->setInt(i, 100 + i);
  for (int64_t i = 0; i < 3000; ++i) j->setInt(i, i * 7 % 39);
  for (const auto& [at, value] : wrong) j->setInt(at, value);
  return {vm::Value::of(a), vm::Value::of(j), vm::Value::of(c)};
}

}  // namespace

class CheckedAheadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void faultsAreThoseOfEachStep_data();
  void faultsAreThoseOfEachStep();
  void whatStepsWriteMayChoose();
  void loopsThatAreTaken_data();
  void loopsThatAreTaken();
  void whatIsWritten();

 private:
  /// The loops of a kernel, outer ones first.
  static std::vector<const tir::For*> loopsOf(const ir::Module& module);
};

void CheckedAheadTest::faultsAreThoseOfEachStep_data() {
  QTest::addColumn<QString>("signature");
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("fault");  ///< part of it, where an index of 40 or above is at `at`
  const QString index = "index 1000000 of dimension 0 of A";
  QTest::newRow("one number") << kGather << "for i in range(3000):\n    C[i] = A[J[i]]" << index;
  QTest::newRow("a sum of it") << kGather << "for i in range(3000):\n    C[i] = A[J[i] + 1] * T.float32(2)"
                               << "index 1000001 of dimension 0 of A";
  QTest::newRow("sizes known when it runs")
      << kSymbolic
      << "n = T.int64()\nJ = T.match_buffer(j, (n,), 'int32')\nC = T.match_buffer(c, (n,), 'float32')\n"
         "for i in range(n):\n    C[i] = A[J[i]]"
      << index;
  QTest::newRow("a part of the range") << kGather << "for i in range(100, 2990):\n    C[i] = A[J[i]]" << index;
  QTest::newRow("numbers of numbers") << kGather << "for i in range(3000):\n    C[i] = A[J[J[i]]]"
                                      << "index 1000000 of dimension 0 of J";
  QTest::newRow("a bound number") << kGather
                                  << "for i in range(3000):\n    v: T.let[T.int32] = J[i]\n    C[i] = A[v] + A[v]"
                                  << index;
  QTest::newRow("where it counts")
      << kGather << "for i in range(3000):\n    C[i] = T.if_then_else(J[i] > 3, A[J[i]], T.float32(1))" << index;
  QTest::newRow("where it does not") << kGather << "for i in range(3000):\n    if J[i] < 40:\n        C[i] = A[J[i]]"
                                     << "";
  QTest::newRow("on all threads") << kGather << "for i in T.parallel(3000):\n    C[i] = A[J[i]]" << index;
  QTest::newRow("in vectors") << kGather
                              << "for i in range(375):\n    for v in T.vectorized(8):\n"
                                 "        C[i * 8 + v] = A[J[i * 8 + v]]"
                              << index;
  QTest::newRow("with a divisor") << kGather << "for i in range(3000):\n    C[i] = A[T.truncdiv(J[i], J[i] - 1000000)]"
                                  << "by zero";
  QTest::newRow("into it") << kGather << "for i in range(3000):\n    C[J[i]] = C[J[i]] + A[3]"
                           << "index 1000000 of dimension 0 of C";
}

void CheckedAheadTest::faultsAreThoseOfEachStep() {
  QFETCH(QString, signature);
  QFETCH(QString, body);
  QFETCH(QString, fault);
  const auto module = moduleOf(signature, body, true);
  QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics()[0].message.c_str());
  const Outcome sound = outcome(*module, 2, false, arguments({}));
  QCOMPARE(outcome(*module, 2, true, arguments({})).written, sound.written);
  // The first and the last step, the borders of what is checked together, and two at once: the first one is told.
  for (const int64_t at : {0, 150, 255, 256, 700, 2989, 2999}) {
    const bool runs = !body.contains("range(100") || (at >= 100 && at < 2990);
    const auto wrong = [&] { return arguments({{at, 1000000}, {std::min<int64_t>(at + 5, 2999), 1000000}}); };
    const Outcome each = outcome(*module, 0, true, wrong());
    const Outcome together = outcome(*module, 2, true, wrong());
    QCOMPARE(together.fault, each.fault);
    const bool faults = !fault.isEmpty() && runs;
    QCOMPARE(!together.fault.empty(), faults);
    QVERIFY2(!faults || together.fault.find(fault.toStdString()) != std::string::npos, together.fault.c_str());
    // Threads and vectors have written more than the steps before.
    if (!body.contains("T.")) QCOMPARE(together.written, each.written);
  }
}

/// Where the memory that chooses is written by the steps, each of them looks at what is there then.
void CheckedAheadTest::whatStepsWriteMayChoose() {
  const auto module =
      moduleOf("A: T.Buffer((40,), 'int32'), J: T.Buffer((3000,), 'int32'), C: T.Buffer((3000,), 'int32')",
               "for i in range(2999):\n    C[i + 1] = A[J[i]]", false);
  QVERIFY(module.ok());
  for (const int64_t last : {38, 40}) {
    auto shared = [&] {
      std::vector<vm::Value> args = arguments({});
      const Ref<HostTensor> a = *HostTensor::allocate({40}, DataType::Int(32));
      for (int64_t i = 0; i < 40; ++i) a->setInt(i, i == 38 ? last : i + 1);
      return std::vector<vm::Value>{vm::Value::of(a), args[1], args[1]};
    };
    const Outcome each = outcome(*module, 0, true, shared()), together = outcome(*module, 2, true, shared());
    QCOMPARE(together.fault, each.fault);
    QCOMPARE(together.fault.empty(), last < 40);
    QCOMPARE(together.written, each.written);
  }
}

std::vector<const tir::For*> CheckedAheadTest::loopsOf(const ir::Module& module) {
  std::vector<const tir::For*> loops;
  walk(*as<tir::PrimFunc>(module->functions[0])->body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<tir::For>(&node)) loops.push_back(loop);
    return true;
  });
  return loops;
}

void CheckedAheadTest::loopsThatAreTaken_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<bool>("taken");
  QTest::newRow("chosen by data") << "for i in range(3000):\n    C[i] = A[J[i]]" << true;
  QTest::newRow("chosen by the step") << "for i in range(3000):\n    C[i] = A[i % 40]" << false;
  QTest::newRow("the same in all steps") << "for i in range(3000):\n    C[i] = A[J[7]]" << false;
  QTest::newRow("few steps") << "for i in range(8):\n    C[i] = A[J[i]]" << false;
  QTest::newRow("a counter of a byte") << "for i in range(T.int8(0), T.int8(100)):\n    C[i] = A[J[i]]" << false;
  QTest::newRow("written where data say") << "for i in range(3000):\n    C[J[i]] = A[J[i]]" << false;
  QTest::newRow("chosen by what is written") << "for i in range(3000):\n    J[i] = 3\n    C[i] = A[J[i]]" << false;
  QTest::newRow("a loop in it") << "for i in range(3000):\n    for k in range(3):\n        C[i] = A[J[i]]" << false;
  QTest::newRow("a call that does something")
      << "for i in range(3000):\n    C[i] = A[J[i]]\n    T.call_packed(\"f\", i)" << false;
}
void CheckedAheadTest::loopsThatAreTaken() {
  QFETCH(QString, body);
  QFETCH(bool, taken);
  const auto module = moduleOf(kGather, body, true);
  QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics()[0].message.c_str());
  const auto plan = lower::checkedAhead(*loopsOf(*module).front(), [](const tir::Buffer&) { return true; });
  QCOMPARE(plan.has_value(), taken);
  if (!taken) return;
  QCOMPARE(plan->deciding.size(), size_t{1});
  QCOMPARE(plan->deciding[0]->name.view(), std::string_view("J"));
  QCOMPARE(plan->written.size(), size_t{1});
  QCOMPARE(plan->written[0]->name.view(), std::string_view("C"));
}

void CheckedAheadTest::whatIsWritten() {
  const auto module = moduleOf(kGather,
                               "for i in T.parallel(3000):\n    B = T.alloc_buffer((4,))\n    B[0] = A[0]\n"
                               "    J[i] = 1\n    for k in range(40):\n        C[i] = C[i] + A[J[k]]",
                               true);
  QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics()[0].message.c_str());
  const auto written = lower::writtenBy(loopsOf(*module).front()->body);
  QVERIFY(written.has_value());
  std::string names;
  for (const tir::VarRef& data : *written) names += std::string(data->name.view()) + " ";
  QCOMPARE(names, std::string("J C "));
  const auto calls = moduleOf(kGather, "for i in T.parallel(3000):\n    T.call_packed(\"f\", i)", true);
  QVERIFY(calls.ok());
  QVERIFY(!lower::writtenBy(loopsOf(*calls).front()->body).has_value());
}

QTEST_APPLESS_MAIN(CheckedAheadTest)
#include "tst_checked_ahead.moc"
