#include <QTest>
#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/codegen/kernels.h"
#include "core/ir/all_nodes.h"
#include "core/lower/host_lowering.h"
#include "core/lower/shape_program.h"
#include "core/runtime/registry.h"
#include "core/support/processor.h"

using namespace rx;
using namespace rx::tir;

namespace {

const DataType kI64 = DataType::Int(64);
const DataType kF32 = DataType::Float(32);

PrimExpr num(int64_t value) { return intImm(value); }
VarRef var(const char* name, DataType dtype = kI64) { return make<Var>(name, dtype); }
BufferRef bufferOf(const char* name, Array<PrimExpr> shape, DataType dtype = kF32) {
  auto* buffer = new Buffer();
  buffer->name = name;
  buffer->dtype = dtype;
  buffer->shape = std::move(shape);
  buffer->data = make<Var>(name, DataType::Handle());
  return BufferRef(buffer);
}
PrimExpr load(const BufferRef& buffer, Array<PrimExpr> indices) {
  return make<BufferLoad>(buffer, std::move(indices), buffer->dtype);
}
Stmt store(const BufferRef& buffer, PrimExpr value, Array<PrimExpr> indices) {
  return make<BufferStore>(buffer, std::move(value), std::move(indices));
}
Stmt loop(const VarRef& i, PrimExpr extent, Stmt body, ForKind kind = ForKind::Serial) {
  return make<For>(i, num(0), std::move(extent), kind, std::move(body));
}
PrimExpr intrinsic(const char* name, Array<PrimExpr> args, DataType dtype) {
  return make<tir::Call>(dtype, make<relax::Op>(std::string("tirx.") + name, 0U), std::move(args));
}
PrimFuncRef func(std::vector<BufferRef> buffers, Stmt body, std::vector<VarRef> scalars = {}) {
  std::vector<VarRef> params;
  for (const BufferRef& buffer : buffers) params.push_back(make<Var>(buffer->name, DataType::Handle()));
  for (const VarRef& scalar : scalars) {
    params.push_back(scalar);
    buffers.push_back(nullptr);
  }
  return make<PrimFunc>(Array<VarRef>(params), Array<BufferRef>(buffers), std::move(body), nullptr);
}
vm::Value tensor(std::vector<int64_t> shape, std::vector<double> values, DataType dtype = kF32) {
  return vm::Value::of(*HostTensor::fromDoubles(std::move(shape), dtype, values));
}
vm::Value zeros(std::vector<int64_t> shape, DataType dtype = kF32) {
  return vm::Value::of(*HostTensor::allocate(std::move(shape), dtype));
}
std::vector<double> numbers(const vm::Value& value) {
  std::vector<double> result;
  for (int64_t i = 0; i < value.tensor().count(); ++i) result.push_back(value.tensor().at(i));
  return result;
}

/// C[i, j] = sum over k of A[i, k] * B[k, j], as a block with an init.
PrimFuncRef matmul(DataType dtype) {
  const VarRef n = var("n");
  const BufferRef a = bufferOf("A", {n, num(3)}, dtype);
  const BufferRef b = bufferOf("B", {num(3), num(2)}, dtype);
  const BufferRef c = bufferOf("C", {n, num(2)}, dtype);
  const VarRef i = var("i"), j = var("j"), k = var("k"), vi = var("vi"), vj = var("vj"), vk = var("vk");
  auto* block = new Block();
  auto iter = [&](const VarRef& v, PrimExpr extent, IterType type) {
    return make<IterVar>(make<Range>(num(0), std::move(extent)), v, type);
  };
  block->iterVars = {iter(vi, n, IterType::DataPar), iter(vj, num(2), IterType::DataPar),
                     iter(vk, num(3), IterType::CommReduce)};
  block->name = "matmul";
  block->init = store(c, dtype.isFloat() ? floatImm(0, dtype) : intImm(0, dtype), {vi, vj});
  block->body = store(c, make<Add>(load(c, {vi, vj}), make<Mul>(load(a, {vi, vk}), load(b, {vk, vj}))), {vi, vj});
  const Stmt realize = make<BlockRealize>(Array<PrimExpr>{i, j, k}, boolImm(true), Ref<Block>(block));
  return func({a, b, c}, loop(i, n, loop(j, num(2), loop(k, num(3), realize))));
}

/// out[i] = f(x[i])
PrimFuncRef elementwise(DataType dtype, const std::function<PrimExpr(PrimExpr)>& f, DataType outType) {
  const VarRef n = var("n"), i = var("i");
  const BufferRef x = bufferOf("x", {n}, dtype);
  const BufferRef out = bufferOf("out", {n}, outType);
  return func({x, out}, loop(i, n, store(out, f(load(x, {i})), {i})));
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
  vm::PackedRegistry registry_ = vm::PackedRegistry::withBuiltins();
  std::atomic<bool> stop_ = false;

  Result<vm::Value> run(const PrimFuncRef& function, std::vector<vm::Value> args, int level = 0) {
    const auto module = make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{make<relax::GlobalVar>("k"), function}},
                                           nullptr, nullptr, SourceList{});
    codegen::KernelOptions options;
    options.optLevel = level;
    const lower::HostForm form = level == 0 ? lower::HostForm::Loops : lower::HostForm::Flat;
    const auto lowered = [form](const PrimFuncRef& f) { return lower::loweredForHost(f, form, {}); };
    auto kernel = codegen::makeJitKernels(module, {options, lowered, nullptr})->find("k");
    if (!kernel) return kernel.failure();
    vm::Surroundings around;
    around.memory = std::make_shared<StorageArena>(1 << 24);
    around.registry = &registry_;
    around.stop = &stop_;
    vm::CallContext context(around);
    return (*kernel)->call(context, vm::ArgumentsOf(args));
  }
  std::string ruleOf(const PrimFuncRef& function, std::vector<vm::Value> args) {
    auto result = run(function, std::move(args));
    return result.ok() ? "" : result.diagnostics()[0].rule;
  }

 private Q_SLOTS:
  void reductionsWithSymbolicShapes_data();
  void reductionsWithSymbolicShapes();
  void halfRoundsEveryStep();
  void integerDivision();
  void mathFunctions();
  void smallFloats();
  void featuresOfTheProcessor();
  void argumentsAreChecked();
  void accessesAreChecked();
  void parallelLoops();
  void parallelSumsKeepTheirOrder();
  void aFaultInOnePartEndsTheKernel();
  void allocationsAndViews();
  void vectorsOfAnyLength();
  void packedCalls();
  void scalarsInAndOut();
  void loopsAreLeft();
  void longLoopsSeeThatTheRunIsCancelled_data();
  void longLoopsSeeThatTheRunIsCancelled();
  void deepAndLongPrograms();
  void whatHasNoCodeIsRefused();
  void codeIsNeverWritable();
};

/// Looked at all the while that kernels are compiled and run: no memory is to be written to and executed.
void KernelsTest::codeIsNeverWritable() {
  std::atomic<bool> done{false};
  std::atomic<int> looks{0}, found{0}, executable{0};
  std::thread watcher([&] {
    for (; !done || looks == 0; ++looks) {
      std::ifstream maps("/proc/self/maps");
      for (std::string line; std::getline(maps, line);) {
        const std::string rights = line.substr(line.find(' ') + 1, 3);
        found += rights == "rwx";
        executable += rights == "r-x";
      }
    }
  });
  for (int i = 0; i < 4; ++i)
    for (const int level : {0, 2}) QVERIFY(run(matmul(kF32), {zeros({2, 3}), zeros({3, 2}), zeros({2, 2})}, level));
  done = true;
  watcher.join();
  QVERIFY(executable > 0);
  QCOMPARE(found.load(), 0);
}

void KernelsTest::reductionsWithSymbolicShapes_data() {
  QTest::addColumn<QString>("type");
  QTest::addColumn<int>("level");
  for (const char* type : {"float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8", "int64"}) {
    for (int level : {0, 2}) QTest::addRow("%s O%d", type, level) << type << level;
  }
}

void KernelsTest::reductionsWithSymbolicShapes() {
  QFETCH(QString, type);
  QFETCH(int, level);
  const DataType dtype = *DataType::parse(type.toStdString());
  const vm::Value c = zeros({2, 2}, dtype);
  auto result = run(matmul(dtype),
                    {tensor({2, 3}, {1, 2, 3, 4, 5, 6}, dtype), tensor({3, 2}, {1, 0, 0, 1, 2, 3}, dtype), c}, level);
  QVERIFY2(result.ok(), result.ok() ? "" : result.diagnostics()[0].message.c_str());
  QCOMPARE(numbers(c), (std::vector<double>{7, 11, 16, 23}));
}

void KernelsTest::halfRoundsEveryStep() {
  const DataType half = DataType::Float(16);
  const vm::Value c = zeros({1, 2}, half);
  // 60000 + 5536 passes the largest half, so the sum is infinite although the next step would bring it back.
  QVERIFY(run(matmul(half), {tensor({1, 3}, {60000, 10000, -30000}, half), tensor({3, 2}, {1, 0, 1, 0, 1, 1}, half), c})
              .ok());
  QVERIFY(std::isinf(numbers(c)[0]));
  QCOMPARE(numbers(c)[1], -30000.0);
}

void KernelsTest::integerDivision() {
  const DataType i32 = DataType::Int(32);
  struct Case {
    std::function<PrimExpr(PrimExpr)> f;
    std::vector<double> expected;
  };
  const PrimExpr three = intImm(3, i32);
  const PrimExpr zero = intImm(0, i32);
  for (const Case& c : std::vector<Case>{
           {[&](PrimExpr x) -> PrimExpr { return make<FloorDiv>(x, three); }, {-3, -1, 2}},
           {[&](PrimExpr x) -> PrimExpr { return make<FloorMod>(x, three); }, {2, 2, 1}},
           {[&](PrimExpr x) -> PrimExpr { return make<Div>(x, three); }, {-2, 0, 2}},
           {[&](PrimExpr x) -> PrimExpr { return make<Mod>(x, three); }, {-1, -1, 1}},
           {[&](PrimExpr x) -> PrimExpr { return make<FloorMod>(x, make<Sub>(zero, three)); }, {-1, -1, -2}}}) {
    const vm::Value out = zeros({3}, i32);
    QVERIFY(run(elementwise(i32, c.f, i32), {tensor({3}, {-7, -1, 7}, i32), out}).ok());
    QCOMPARE(numbers(out), c.expected);
  }
  auto byNothing = [&](PrimExpr x) -> PrimExpr { return make<Mod>(x, make<Mul>(x, zero)); };
  const auto divided = run(elementwise(i32, byNothing, i32), {tensor({3}, {-7, -1, 7}, i32), zeros({3}, i32)});
  QVERIFY(!divided.ok());
  QVERIFY(QString::fromStdString(divided.diagnostics()[0].message).contains("an integer is divided by zero"));
}

void KernelsTest::mathFunctions() {
  struct Case {
    const char* name;
    double (*f)(double);
  };
  for (const Case& c : {Case{"exp", std::exp}, Case{"tanh", std::tanh}, Case{"erf", std::erf}, Case{"sqrt", std::sqrt},
                        Case{"log", std::log}, Case{"floor", std::floor},
                        Case{"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
                        Case{"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
                        Case{"fabs", [](double x) { return std::fabs(x); }}}) {
    for (const DataType dtype : {kF32, DataType::Float(64), DataType::Float(16)}) {
      const vm::Value out = zeros({3}, dtype);
      QVERIFY(run(elementwise(
                      dtype, [&](PrimExpr x) { return intrinsic(c.name, {x}, dtype); }, dtype),
                  {tensor({3}, {0.25, 1, 2.5}, dtype), out})
                  .ok());
      const std::vector<double> expected = {c.f(0.25), c.f(1), c.f(2.5)};
      for (size_t i = 0; i < 3; ++i)
        QVERIFY2(std::fabs(numbers(out)[i] - expected[i]) <= (dtype.bits == 16 ? 1e-2 : 1e-6), c.name);
    }
  }
}

void KernelsTest::smallFloats() {
  const DataType fp8 = *DataType::parse("float8_e4m3fn");
  const vm::Value out = zeros({2}, fp8);
  QVERIFY(run(elementwise(
                  kF32,
                  [&](PrimExpr x) -> PrimExpr {
                    const PrimExpr y = make<Cast>(fp8, x);
                    return make<Add>(y, y);
                  },
                  fp8),
              {tensor({2}, {1.06, 300}), out})
              .ok());
  QCOMPARE(numbers(out)[0], 2.0);
  QVERIFY(std::isnan(numbers(out)[1]));
}

/// What packages look for by themselves is what LLVM finds here.
void KernelsTest::featuresOfTheProcessor() {
  std::vector<std::string> names;
#if defined(__x86_64__)
#define RX_X86(feature, leaf, subleaf, reg, bit, state) names.emplace_back(feature);
#define RX_ARM(feature, word, bits)
#else
#define RX_X86(feature, leaf, subleaf, reg, bit, state)
#define RX_ARM(feature, word, bits) names.emplace_back(feature);
#endif
#include "core/support/processor_features.def"
  const auto there = codegen::processorFeatures();
  std::string all;
  for (const std::string& name : names) {
    QCOMPARE(missingFeature(name), there.contains(name) ? std::string_view() : std::string_view(name));
    if (there.contains(name)) all += name + " ";
  }
  QVERIFY(!all.empty());
  QCOMPARE(missingFeature(all), std::string_view());
  QCOMPARE(missingFeature(all + "no-such-feature"), std::string_view("no-such-feature"));
}

void KernelsTest::argumentsAreChecked() {
  const PrimFuncRef f = matmul(kF32);
  const vm::Value a = zeros({2, 3}), b = zeros({3, 2}), c = zeros({2, 2});
  QCOMPARE(ruleOf(f, {a, b, c}), std::string());
  QCOMPARE(ruleOf(f, {a, b}), std::string("vm.argument-count"));
  QCOMPARE(ruleOf(f, {a, b, zeros({5, 2})}), std::string("vm.kernel-argument"));
  QCOMPARE(ruleOf(f, {a, zeros({2, 2}), c}), std::string("vm.kernel-argument"));
  QCOMPARE(ruleOf(f, {a, zeros({3, 2}, kI64), c}), std::string("vm.kernel-argument"));
  QCOMPARE(ruleOf(f, {a, vm::Value::of(int64_t{1}), c}), std::string("vm.kernel-argument"));
}

void KernelsTest::accessesAreChecked() {
  const VarRef i = var("i");
  const BufferRef x = bufferOf("x", {num(4)});
  const BufferRef out = bufferOf("out", {num(4)});
  const PrimFuncRef f = func({x, out}, loop(i, num(4), store(out, load(x, {make<Add>(i, num(1))}), {i})));
  auto result = run(f, {zeros({4}), zeros({4})});
  QVERIFY(!result.ok());
  QVERIFY(result.diagnostics()[0].message.find("of dimension 0 of x is outside of") != std::string::npos);
}

/// Each step writes a row of its own, through a temporary of its own, in a nested parallel loop.
void KernelsTest::parallelLoops() {
  const VarRef i = var("i"), j = var("j"), n = var("n");
  const BufferRef x = bufferOf("x", {n, num(3)});
  const BufferRef out = bufferOf("out", {n, num(3)});
  const BufferRef row = bufferOf("row", {num(3)});
  const PrimExpr doubled = make<Add>(load(x, {i, j}), load(x, {i, j}));
  const std::vector<Stmt> steps = {make<AllocBuffer>(row), loop(j, num(3), store(row, doubled, {j}), ForKind::Parallel),
                                   loop(j, num(3), store(out, load(row, {j}), {i, j}))};
  const PrimFuncRef f = func({x, out}, loop(i, n, seq(steps), ForKind::Parallel));
  for (const int64_t rows : {0, 1, 5, 1000}) {
    std::vector<double> numbersIn(static_cast<size_t>(rows * 3)), expected;
    for (size_t k = 0; k < numbersIn.size(); ++k) numbersIn[k] = static_cast<double>(k);
    for (const double value : numbersIn) expected.push_back(2 * value);
    for (const int level : {0, 2}) {
      const vm::Value result = zeros({rows, 3});
      auto ran = run(f, {tensor({rows, 3}, numbersIn), result}, level);
      QVERIFY2(ran.ok(), ran.ok() ? "" : ran.diagnostics()[0].message.c_str());
      QCOMPARE(numbers(result), expected);
    }
  }
}

/// A loop that sums into one place is marked in vain: it runs in order, and nothing is lost.
void KernelsTest::parallelSumsKeepTheirOrder() {
  const VarRef i = var("i");
  const BufferRef x = bufferOf("x", {num(1000)});
  const BufferRef out = bufferOf("out", {num(1)});
  const PrimExpr sum = make<Add>(load(out, {num(0)}), load(x, {i}));
  const PrimFuncRef f = func({x, out}, loop(i, num(1000), store(out, sum, {num(0)}), ForKind::Parallel));
  const vm::Value result = zeros({1});
  QVERIFY(run(f, {tensor({1000}, std::vector<double>(1000, 1.0)), result}, 2).ok());
  QCOMPARE(numbers(result), std::vector<double>{1000});
}

void KernelsTest::aFaultInOnePartEndsTheKernel() {
  const VarRef i = var("i");
  const BufferRef x = bufferOf("x", {num(1000)});
  const BufferRef out = bufferOf("out", {num(1000)});
  const PrimFuncRef f =
      func({x, out}, loop(i, num(1000), store(out, load(x, {make<Add>(i, num(7))}), {i}), ForKind::Parallel));
  auto result = run(f, {zeros({1000}), zeros({1000})}, 2);
  QVERIFY(!result.ok());
  QVERIFY(result.diagnostics()[0].message.find("of dimension 0 of x is outside of") != std::string::npos);
}

void KernelsTest::allocationsAndViews() {
  // A large and a small temporary, and a view of a row of the input.
  const VarRef i = var("i"), r = var("r"), j = var("j");
  const BufferRef x = bufferOf("x", {num(2), num(3)});
  const BufferRef out = bufferOf("out", {num(2), num(3)});
  const BufferRef large = bufferOf("large", {num(100000)});
  const BufferRef small = bufferOf("small", {num(3)});
  auto* named = new Buffer(*bufferOf("row", {num(3)}));
  named->elemOffset = var("row_offset");
  const BufferRef row(named);
  auto* inner = new Block();
  inner->iterVars = {make<IterVar>(make<Range>(num(0), num(2)), r, IterType::DataPar)};
  inner->allocBuffers = {large, small};
  inner->matchBuffers = {make<MatchBufferRegion>(
      row, make<BufferRegion>(x, Array<Ref<Range>>{make<Range>(r, num(1)), make<Range>(num(0), num(3))}))};
  const std::vector<Stmt> body = {
      loop(j, num(3), store(large, make<Add>(load(row, {j}), floatImm(1)), {make<Mul>(j, num(1000))})),
      loop(j, num(3), store(small, load(large, {make<Mul>(j, num(1000))}), {j})),
      loop(j, num(3), store(out, load(small, {j}), {r, j}))};
  inner->body = seq(body);
  const PrimFuncRef f =
      func({x, out}, loop(i, num(2), make<BlockRealize>(Array<PrimExpr>{i}, boolImm(true), Ref<Block>(inner))));
  const vm::Value result = zeros({2, 3});
  QVERIFY(run(f, {tensor({2, 3}, {1, 2, 3, 4, 5, 6}), result}).ok());
  QCOMPARE(numbers(result), (std::vector<double>{2, 3, 4, 5, 6, 7}));
}

/// Elements of nine numbers begin at no multiple of a power of two.
void KernelsTest::vectorsOfAnyLength() {
  for (const int lanes : {1, 3, 8, 9, 16}) {
    const BufferRef x = bufferOf("x", {num(4 * lanes)}), out = bufferOf("out", {num(4 * lanes)});
    const BufferRef kept = bufferOf("kept", {num(4)}, kF32.withLanes(lanes));
    const VarRef i = var("i"), j = var("j");
    const auto place = [&](const VarRef& at) {
      const PrimExpr first = make<Mul>(at, num(lanes));
      const PrimExpr many = make<Ramp>(first, num(1), num(lanes), first->dtype.withLanes(lanes));
      return lanes == 1 ? first : many;
    };
    const auto all = [&](const BufferRef& buffer, const VarRef& at) -> PrimExpr {
      return make<BufferLoad>(buffer, Array<PrimExpr>{place(at)}, kF32.withLanes(lanes));
    };
    const PrimExpr one = load(kept, {j});
    const Stmt body = make<SeqStmt>(Array<Stmt>{make<AllocBuffer>(kept), loop(i, num(4), store(kept, all(x, i), {i})),
                                                loop(j, num(4), store(out, make<Add>(one, one), {place(j)}))});
    std::vector<double> given, expected;
    for (int n = 0; n < 4 * lanes; ++n) {
      given.push_back(n);
      expected.push_back(2 * n);
    }
    for (const int level : {0, 2}) {
      const vm::Value result = zeros({4 * lanes});
      QVERIFY(run(func({x, out}, body), {tensor({4 * lanes}, given), result}, level));
      QCOMPARE(numbers(result), expected);
    }
  }
}

void KernelsTest::packedCalls() {
  const BufferRef x = bufferOf("x", {num(2), num(3)});
  const BufferRef out = bufferOf("out", {num(2), num(3)});
  auto array = [&](const BufferRef& b) {
    return intrinsic("tvm_stack_make_array",
                     {b->data, intrinsic("tvm_stack_make_shape", {num(2), num(3)}, DataType::Handle()),
                      intImm(0, DataType::Int(32)), intImm(2, DataType::Int(32)), floatImm(0), num(0)},
                     DataType::Handle());
  };
  auto callSort = [&](const char* name) -> Stmt {
    return make<Evaluate>(intrinsic(
        "tvm_call_packed", {make<StringImm>(name), array(x), array(out), intImm(1, DataType::Int(32)), boolImm(true)},
        DataType::Int(32)));
  };
  const vm::Value result = zeros({2, 3});
  QVERIFY(run(func({x, out}, callSort("tvm.contrib.sort.sort")), {tensor({2, 3}, {3, 1, 2, 6, 5, 4}), result}).ok());
  QCOMPARE(numbers(result), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  QVERIFY(!run(func({x, out}, callSort("no.such")), {zeros({2, 3}), zeros({2, 3})}).ok());
}

void KernelsTest::scalarsInAndOut() {
  const VarRef a = var("a"), x = var("x", kF32);
  const PrimExpr sum = make<Add>(a, num(2));
  auto result =
      run(func({}, make<Evaluate>(intrinsic("ret", {sum}, DataType::Void())), {a}), {vm::Value::of(int64_t{40})});
  QCOMPARE(result->asInt(), int64_t{42});
  auto half = run(func({}, make<Evaluate>(intrinsic("ret", {make<Mul>(x, floatImm(0.5))}, DataType::Void())), {x}),
                  {vm::Value::of(5.0)});
  QCOMPARE(half->asFloat(), 2.5);
  QCOMPARE(ruleOf(func({}, make<Evaluate>(num(0)), {a}), {vm::Value::of("x")}), std::string("vm.kernel-argument"));
}

void KernelsTest::loopsAreLeft() {
  // Copies the elements up to the first 4, without the 2s.
  const VarRef i = var("i");
  const BufferRef x = bufferOf("x", {num(6)});
  const BufferRef out = bufferOf("out", {num(6)});
  auto leave = [](const char* how) -> Stmt { return make<Evaluate>(intrinsic(how, {}, DataType::Int(32))); };
  auto is = [&](double value) -> PrimExpr { return make<EQ>(load(x, {i}), floatImm(value)); };
  const std::vector<Stmt> body = {make<IfThenElse>(is(4), leave("break_loop")),
                                  make<IfThenElse>(is(2), leave("continue_loop")), store(out, load(x, {i}), {i})};
  const vm::Value result = zeros({6});
  QVERIFY(run(func({x, out}, loop(i, num(6), seq(body))), {tensor({6}, {1, 2, 3, 4, 5, 6}), result}).ok());
  QCOMPARE(numbers(result), (std::vector<double>{1, 0, 3, 0, 0, 0}));
  QCOMPARE(ruleOf(func({x, out}, leave("break_loop")), {zeros({6}), zeros({6})}), std::string("codegen.unsupported"));
}

namespace {

/// Loops around a sum into x[0], of which one, at least, takes longer than anybody waits.
Stmt longLoop(const QString& kind, const BufferRef& x, const BufferRef& count, const VarRef& scalar) {
  const VarRef i = var("i"), j = var("j");
  const Stmt add = store(x, make<Mul>(make<Add>(load(x, {num(0)}), floatImm(1)), floatImm(0.5)), {num(0)});
  const PrimExpr lots = num(int64_t{1} << 45), few = num(100);
  if (kind == "while") return make<While>(boolImm(true), add);
  if (kind == "steps") return loop(i, lots, add);
  if (kind == "steps of steps") return loop(i, lots, loop(j, num(10000), add));
  if (kind == "long steps") return loop(i, few, loop(j, lots, add));
  if (kind == "counted by data") return loop(i, load(count, {num(0)}), add);
  if (kind == "counted by a scalar") return loop(i, make<Mul>(scalar, scalar), add);
  if (kind == "parallel") return loop(i, few, loop(j, lots, add), ForKind::Parallel);
  const Stmt leaves = make<IfThenElse>(make<LT>(load(x, {num(0)}), floatImm(-1)),
                                       make<Evaluate>(intrinsic("break_loop", {}, DataType::Int(32))));
  return loop(i, lots, seq(std::vector<Stmt>{add, leaves}));
}

}  // namespace

void KernelsTest::longLoopsSeeThatTheRunIsCancelled_data() {
  QTest::addColumn<int>("level");
  for (const char* kind :
       {"while", "steps", "steps of steps", "long steps", "counted by data", "counted by a scalar", "parallel", "left"})
    for (const int level : {0, 2}) QTest::addRow("%s, %d", kind, level) << level;
}

/// And a short one does not look: it ends by itself, with its result.
void KernelsTest::longLoopsSeeThatTheRunIsCancelled() {
  QFETCH(int, level);
  const QString kind = QString::fromLatin1(QTest::currentDataTag()).section(u',', 0, 0);
  const VarRef scalar = var("scalar"), i = var("i");
  const BufferRef x = bufferOf("x", {num(1)}), count = bufferOf("count", {num(1)}, kI64);
  const vm::Value number = vm::Value::of(int64_t{1} << 30);
  const std::vector<vm::Value> args{zeros({1}), tensor({1}, {0x1p45}, kI64), number};
  const struct Clear {
    std::atomic<bool>& flag;
    ~Clear() { flag = false; }
  } clear{stop_};
  stop_ = true;
  const auto ended = run(func({x, count}, longLoop(kind, x, count, scalar), {scalar}), args, level);
  QVERIFY(!ended.ok());
  QCOMPARE(ended.diagnostics()[0].rule, std::string("vm.cancelled"));
  const Stmt add = store(x, make<Add>(load(x, {num(0)}), floatImm(1)), {num(0)});
  const vm::Value result = zeros({1});
  QVERIFY(run(func({x}, loop(i, num(1000), add)), {result}, level).ok());
  QCOMPARE(numbers(result)[0], 1000.0);
}

void KernelsTest::deepAndLongPrograms() {
  const BufferRef x = bufferOf("x", {num(1)});
  const BufferRef out = bufferOf("out", {num(1)});
  PrimExpr sum = load(x, {num(0)});
  for (int i = 0; i < 20000; ++i) sum = make<Add>(sum, floatImm(1));
  const vm::Value result = zeros({1});
  QVERIFY(run(func({x, out}, store(out, sum, {num(0)})), {zeros({1}), result}).ok());
  QCOMPARE(numbers(result)[0], 20000.0);
  Stmt nest = store(out, make<Add>(load(out, {num(0)}), floatImm(1)), {num(0)});
  for (int i = 0; i < 1000; ++i) nest = loop(var("i"), num(1), nest);
  QVERIFY(run(func({x, out}, nest), {zeros({1}), result}).ok());
  QCOMPARE(numbers(result)[0], 20001.0);
}

void KernelsTest::whatHasNoCodeIsRefused() {
  const PrimFuncRef f = elementwise(
      kF32, [&](PrimExpr x) { return intrinsic("no_such_thing", {x}, kF32); }, kF32);
  QCOMPARE(ruleOf(f, {zeros({1}), zeros({1})}), std::string("codegen.unsupported"));
  const PrimFuncRef stray = elementwise(
      kF32, [&](PrimExpr) -> PrimExpr { return var("y", kF32); }, kF32);
  QCOMPARE(ruleOf(stray, {zeros({1}), zeros({1})}), std::string("codegen.unsupported"));
  const auto value = [](const PrimExpr& expr) {
    return lower::shapeProgram(expr, [](const tir::Var&) { return std::nullopt; }).value({});
  };
  QVERIFY(!value(make<FloorDiv>(num(1), num(0))));
  QVERIFY(!value(make<FloorMod>(var("n"), num(3))));
  QCOMPARE(*value(make<FloorMod>(num(-7), num(3))), int64_t{2});
}

QTEST_APPLESS_MAIN(KernelsTest)
#include "tst_kernels.moc"
