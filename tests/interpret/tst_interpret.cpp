#include <QtTest>
#include <cmath>

#include "core/arith/fold.h"
#include "core/build/block_builder.h"
#include "core/evaluate/checked_kernels.h"
#include "core/evaluate/evaluate.h"
#include "core/interpret/interpret.h"
#include "core/interpret/kernels.h"
#include "core/legalize/legalize.h"
#include "core/op/make_call.h"
#include "core/op/op_table.h"

using namespace rx;
using namespace rx::relax;
using interpret::Value;

namespace {

tir::PrimExpr c(int64_t v) { return tir::intImm(v); }
StructInfo info(std::vector<tir::PrimExpr> shape, DataType type = DataType::Float(32)) {
  return tensorSinfo(shape, type);
}
Ref<HostTensor> tensor(std::vector<int64_t> shape, std::vector<double> values, DataType type = DataType::Float(32)) {
  return *HostTensor::fromDoubles(std::move(shape), type, values);
}
std::vector<double> numbers(const Value& value) {
  std::vector<double> out;
  if (!value.is(vm::ValueKind::Tensor)) return out;
  for (int64_t i = 0; i < value.tensor().count(); ++i) out.push_back(value.tensor().at(i));
  return out;
}
Expr shapeExpr(std::vector<int64_t> dims) {
  std::vector<tir::PrimExpr> out;
  for (int64_t d : dims) out.push_back(c(d));
  return make<ShapeExpr>(Array<tir::PrimExpr>(out));
}
Expr constant(Ref<HostTensor> t) {
  std::vector<tir::PrimExpr> shape;
  for (int64_t d : t->shape()) shape.push_back(c(d));
  return make<Constant>(t, tensorSinfo(shape, t->dtype()));
}
/// The value of a call without variables.
Result<Value> valueOf(const Expr& call, const interpret::Options& options = {}) {
  build::ModuleContext module;
  build::BlockBuilder builder(&module);
  builder.beginFunction({});
  const relax::VarRef result = builder.emit(call);
  const auto function = builder.endFunction(result, nullptr, true);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  module.add(function, "main");
  return evaluate::valueOf(module.module(), "main", {}, options);
}
/// The value of one operator on constants.
Result<Value> run(std::string_view op, std::vector<Expr> args, std::initializer_list<op::Keyword> attrs = {}) {
  auto result = valueOf(op::makeCall(op, std::move(args), attrs));
  if (!result) qInfo("%s", result.diagnostics()[0].message.c_str());
  return result;
}
std::vector<Value> valuesOf(const std::vector<Ref<HostTensor>>& tensors) {
  std::vector<Value> out;
  for (const Ref<HostTensor>& each : tensors) out.push_back(Value::of(each));
  return out;
}
bool near(const Value& value, std::vector<double> expected, double tolerance = 1e-6) {
  std::vector<double> got = numbers(value);
  if (got.size() != expected.size()) return false;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(got[i] - expected[i]) <= tolerance)) return false;
  }
  return true;
}

/// out[i] = in[i + shift]
tir::PrimFuncRef shifted(int64_t shift, int64_t length = 4) {
  using namespace tir;
  auto buffer = [length](const char* name) {
    Buffer b;
    b.data = make<tir::Var>(name, DataType::Handle(), make<PointerType>(make<PrimType>(DataType::Float(32)), "global"));
    b.dtype = DataType::Float(32);
    b.shape = Array<PrimExpr>{c(length)};
    b.name = name;
    return BufferRef(make<Buffer>(b));
  };
  BufferRef in = buffer("in"), out = buffer("out");
  auto i = make<tir::Var>("i", DataType::Int(64));
  PrimExpr at = make<Add>(i, c(shift));
  Stmt store =
      make<BufferStore>(out, make<BufferLoad>(in, Array<PrimExpr>{at}, DataType::Float(32)), Array<PrimExpr>{i});
  Stmt loop = make<For>(i, c(0), c(length), ForKind::Serial, store);
  auto p = make<tir::Var>("p", DataType::Handle()), q = make<tir::Var>("q", DataType::Handle());
  return make<PrimFunc>(Array<tir::VarRef>{p, q}, Array<BufferRef>{in, out}, loop, nullptr);
}

}  // namespace

class InterpretTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyLegalizationHasAnOperator();
  void elementwise();
  void broadcasting();
  void reductions();
  void moves();
  void indexing();
  void networks();
  void operatorsOfTheRuntime();
  void halfPrecisionRounds();
  void integersWrap();
  void boundsAreChecked();
  void argumentsAreChecked();
  void budgetsAndCancel();
  void shapesAreCheckedWithNames();
  void recursionHasALimit();
  void kernelsAreCheckedCallByCall();
};

void InterpretTest::everyLegalizationHasAnOperator() {
  for (const legalize::LegalizeRow& row : legalize::allLegalizations()) {
    QVERIFY2(op::findOp(row.op), std::string(row.op).c_str());
  }
}

void InterpretTest::elementwise() {
  Expr x = constant(tensor({3}, {-1, 0, 2}));
  QVERIFY(near(*run("relax.nn.relu", {x}), {0, 0, 2}));
  QVERIFY(near(*run("relax.exp", {x}), {std::exp(-1.0), 1, std::exp(2.0)}));
  QVERIFY(near(*run("relax.sigmoid", {x}), {1 / (1 + std::exp(1.0)), 0.5, 1 / (1 + std::exp(-2.0))}));
  QVERIFY(near(*run("relax.nn.gelu", {x}), {-0.15865526, 0, 1.9544997}));
  QVERIFY(near(*run("relax.astype", {x}, {{"dtype", ir::typeAttr(DataType::Int(32))}}), {-1, 0, 2}));
}

void InterpretTest::broadcasting() {
  Expr x = constant(tensor({2, 3}, {1, 2, 3, 4, 5, 6})), y = constant(tensor({3}, {10, 20, 30}));
  QVERIFY(near(*run("relax.add", {x, y}), {11, 22, 33, 14, 25, 36}));
  QVERIFY(near(*run("relax.multiply", {x, constant(tensor({}, {2}))}), {2, 4, 6, 8, 10, 12}));
  QVERIFY(near(*run("relax.greater", {x, constant(tensor({2, 1}, {2, 4}))}), {0, 0, 1, 0, 1, 1}));
  QVERIFY(!run("relax.add", {x, constant(tensor({2}, {1, 2}))}));
}

void InterpretTest::reductions() {
  Expr x = constant(tensor({2, 3}, {1, 5, 3, 4, 2, 6}));
  auto axis = ir::intArrayAttr(std::vector<int64_t>{1});
  QVERIFY(near(*run("relax.sum", {x}, {{"axis", axis}}), {9, 12}));
  QVERIFY(near(*run("relax.mean", {x}, {{"axis", axis}}), {3, 4}));
  QVERIFY(near(*run("relax.max", {x}), {6}));
  QVERIFY(near(*run("relax.argmax", {x}, {{"axis", ir::intAttr(1)}}), {1, 2}));
  QVERIFY(near(*run("relax.variance", {x}, {{"axis", axis}}), {8.0 / 3, 8.0 / 3}));
  Expr w = constant(tensor({3, 2}, {1, 0, 0, 1, 1, 1}));
  QVERIFY(near(*run("relax.matmul", {x, w}), {4, 8, 10, 8}));
}

void InterpretTest::moves() {
  Expr x = constant(tensor({2, 3}, {1, 2, 3, 4, 5, 6}));
  QVERIFY(near(*run("relax.permute_dims", {x}), {1, 4, 2, 5, 3, 6}));
  QVERIFY(near(*run("relax.reshape", {x, shapeExpr({3, 2})}), {1, 2, 3, 4, 5, 6}));
  auto pair = make<Tuple>(Array<Expr>{x, x}, tupleSinfo({x->sinfo, x->sinfo}));
  QVERIFY(near(*run("relax.concat", {pair}, {{"axis", ir::intAttr(1)}}), {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  Expr places = constant(tensor({2}, {1, 0}, DataType::Int(64)));
  QVERIFY(near(*run("relax.take", {x, places}, {{"axis", ir::intAttr(1)}}), {2, 1, 5, 4}));
  QVERIFY(near(*run("relax.broadcast_to", {constant(tensor({1, 2}, {7, 8})), shapeExpr({2, 2})}), {7, 8, 7, 8}));
  QVERIFY(near(*run("relax.flip", {x}, {{"axis", ir::intAttr(1)}}), {3, 2, 1, 6, 5, 4}));
}

void InterpretTest::indexing() {
  const DataType wide = DataType::Int(64);
  Expr x = constant(tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  Expr rows = constant(tensor({2, 1}, {2, 0}, wide)), columns = constant(tensor({2}, {1, 0}, wide));
  Expr places = make<Tuple>(Array<Expr>{rows, columns});
  QVERIFY(near(*run("relax.index_tensor", {x, places}), {6, 5, 2, 1}));
  Expr values = constant(tensor({2, 2}, {10, 20, 30, 40}));
  QVERIFY(near(*run("relax.index_put", {x, places, values}), {40, 30, 3, 4, 20, 10}));
  // What an index that occurs twice adds is added twice, and a negative one counts from the end.
  Expr twice = make<Tuple>(Array<Expr>{constant(tensor({2}, {-1, -1}, wide)), constant(tensor({2}, {0, 0}, wide))});
  Expr added = constant(tensor({2}, {10, 20}));
  QVERIFY(near(*run("relax.index_put", {x, twice, added}, {{"accumulate", ir::boolAttr(true)}}), {1, 2, 3, 4, 35, 6}));
  auto prim = [](int64_t v) { return Expr(make<PrimValue>(c(v))); };
  Expr row = constant(tensor({2, 2}, {7, 8, 9, 10}));
  QVERIFY(near(*run("relax.slice_scatter", {x, row, prim(0), prim(3), prim(2)}), {7, 8, 3, 4, 9, 10}));
  QVERIFY(near(*run("relax.size", {x}), {6}));
  // Outside the tensor.
  Expr outside = make<Tuple>(Array<Expr>{constant(tensor({1}, {3}, wide))});
  QVERIFY(!run("relax.index_tensor", {x, outside}));
  QVERIFY(!run("relax.index_put", {x, outside, values}));
}

void InterpretTest::networks() {
  Expr x = constant(tensor({1, 3}, {1, 2, 3}));
  double e1 = std::exp(-2.0), e2 = std::exp(-1.0), sum = e1 + e2 + 1;
  QVERIFY(near(*run("relax.nn.softmax", {x}), {e1 / sum, e2 / sum, 1 / sum}));
  std::vector<double> image(16), ones(9, 1);
  for (size_t i = 0; i < 16; ++i) image[i] = static_cast<double>(i);
  Expr data = constant(tensor({1, 1, 4, 4}, image)), kernel = constant(tensor({1, 1, 3, 3}, ones));
  QVERIFY(near(*run("relax.nn.conv2d", {data, kernel}, {{"out_layout", ir::strAttr("NCHW")}}), {45, 54, 81, 90}));
  auto two = ir::intArrayAttr(std::vector<int64_t>{2, 2});
  QVERIFY(near(
      *run("relax.nn.max_pool2d", {data}, {{"pool_size", two}, {"strides", two}, {"out_layout", ir::strAttr("NCHW")}}),
      {5, 7, 13, 15}));
  Expr pixels = constant(tensor({1, 4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  QVERIFY(
      near(*run("relax.nn.pixel_shuffle", {pixels}, {{"upscale_factor", ir::intAttr(2)}}), {1, 3, 2, 4, 5, 7, 6, 8}));
  QVERIFY(near(*run("relax.nn.batch_flatten", {pixels}), {1, 2, 3, 4, 5, 6, 7, 8}));
  QVERIFY(near(*run("relax.nn.selu", {constant(tensor({2}, {1, -1}))}), {1.0507009, -1.1113307}, 1e-5));
  Expr scale = constant(tensor({4}, {1, 1, 2, 1})), shift = constant(tensor({4}, {0, 1, 0, 0}));
  QVERIFY(near(*run("relax.nn.instance_norm", {pixels, scale, shift},
                    {{"channel_axis", ir::intAttr(1)}, {"axes", ir::arrayAttr({ir::intAttr(2), ir::intAttr(3)})}}),
               {-1, 1, 0, 2, -2, 2, -1, 1}, 1e-4));
  // Double precision stays double.
  const DataType twice = DataType::Float(64);
  Expr fine = constant(tensor({1, 1, 2}, {1.0, 1.0 + 1e-9}, twice)), one = constant(tensor({1}, {1}, twice));
  Expr none = constant(tensor({1}, {0}, twice));
  QVERIFY(near(
      *run(
          "relax.nn.instance_norm", {fine, one, none},
          {{"channel_axis", ir::intAttr(1)}, {"axes", ir::arrayAttr({ir::intAttr(2)})}, {"epsilon", ir::floatAttr(1)}}),
      {-5e-10, 5e-10}, 1e-14));
}

void InterpretTest::halfPrecisionRounds() {
  // 2048 + 1 is not a half: each addition rounds to even.
  DataType half = DataType::Float(16);
  Expr x = constant(tensor({3}, {2048, 1, 1}, half));
  QVERIFY(near(*run("relax.sum", {x}), {2048}));
  QVERIFY(std::isinf(numbers(*run("relax.multiply", {x, x}))[0]));
}

void InterpretTest::integersWrap() {
  DataType byte = DataType::Int(8);
  Expr x = constant(tensor({2}, {127, -128}, byte)), one = constant(tensor({2}, {1, -1}, byte));
  QVERIFY(near(*run("relax.add", {x, one}), {-128, 127}));
  auto zero = run("relax.floor_divide", {x, constant(tensor({2}, {0, 1}, byte))});
  QVERIFY(!zero);
  QCOMPARE(zero.diagnostics()[0].rule, std::string("kernel.division"));
}

void InterpretTest::operatorsOfTheRuntime() {
  const Expr x = constant(tensor({3}, {0, 5, 7}));
  const auto found = run("relax.nonzero", {x});
  QVERIFY(found && near(*found, {1, 2}));
  const auto rank = run("relax.inspect.tensor_ndim", {x});
  QVERIFY(rank && rank->is(vm::ValueKind::Int));
  QCOMPARE(rank->asInt(), int64_t{1});
  const auto extent = run("relax.inspect.tensor_shape_i", {x, make<PrimValue>(c(0))});
  QVERIFY(extent && extent->is(vm::ValueKind::Int));
  QCOMPARE(extent->asInt(), int64_t{3});
  QVERIFY(!run("relax.inspect.tensor_shape_i", {x, make<PrimValue>(c(1))}));
  const auto missing = valueOf(make<Call>(make<ExternFunc>("nobody's function"), Array<Expr>{x}));
  QVERIFY(!missing);
  QCOMPARE(missing.diagnostics()[0].rule, std::string("vm.missing-function"));
}

void InterpretTest::boundsAreChecked() {
  std::vector<Value> args = valuesOf({tensor({4}, {1, 2, 3, 4}), tensor({4}, {0, 0, 0, 0})});
  QVERIFY(interpret::runPrimFunc(shifted(0), args, {}));
  QVERIFY(near(args[1], {1, 2, 3, 4}));
  auto outside = interpret::runPrimFunc(shifted(1), args, {});
  QVERIFY(!outside);
  QCOMPARE(outside.diagnostics()[0].rule, std::string("kernel.bounds"));
  QVERIFY(QString::fromStdString(outside.diagnostics()[0].message).contains("index 4"));
}

void InterpretTest::argumentsAreChecked() {
  auto wrong = [](std::vector<Value> args, const char* rule = "vm.kernel-argument") {
    auto result = interpret::runPrimFunc(shifted(0), args, {});
    return !result && result.diagnostics()[0].rule == rule;
  };
  QVERIFY(wrong({}, "vm.argument-count"));
  QVERIFY(wrong(valuesOf({tensor({5}, {1, 2, 3, 4, 5}), tensor({4}, {0, 0, 0, 0})})));
  QVERIFY(wrong(valuesOf({tensor({4}, {1, 2, 3, 4}, DataType::Float(16)), tensor({4}, {0, 0, 0, 0})})));
  QVERIFY(wrong({Value::of(int64_t{1}), Value::of(tensor({4}, {0, 0, 0, 0}))}));
}

void InterpretTest::budgetsAndCancel() {
  std::vector<Value> args = valuesOf({tensor({4}, {1, 2, 3, 4}), tensor({4}, {0, 0, 0, 0})});
  interpret::Options few;
  few.maxSteps = 5;
  auto result = interpret::runPrimFunc(shifted(0), args, few);
  QVERIFY(!result && result.diagnostics()[0].rule == "interpret.budget");
  interpret::Options cancelled;
  cancelled.around.cancel.cancel();
  constexpr int64_t kLong = 1 << 16;
  const std::vector<double> many(kLong);
  args = valuesOf({tensor({kLong}, many), tensor({kLong}, many)});
  auto stopped = interpret::runPrimFunc(shifted(0, kLong), args, cancelled);
  QVERIFY(!stopped && stopped.diagnostics()[0].rule == "vm.cancelled");
  stopped = valueOf(op::makeCall("relax.exp", {constant(tensor({1}, {1}))}), cancelled);
  QVERIFY(!stopped && stopped.diagnostics()[0].rule == "pass.cancelled");
}

void InterpretTest::shapesAreCheckedWithNames() {
  auto n = make<tir::Var>("n", DataType::Int(64));
  build::ModuleContext module;
  build::BlockBuilder builder(&module);
  auto x = make<relax::Var>("x", info({n, c(4)})), y = make<relax::Var>("y", info({n, c(4)}));
  builder.beginFunction({x, y});
  relax::VarRef sum = builder.emit(op::makeCall("relax.add", {x, y}));
  module.add(builder.endFunction(sum, nullptr, true), "f");
  QVERIFY(!builder.failed());
  std::vector<Value> good = valuesOf({tensor({1, 4}, {1, 2, 3, 4}), tensor({1, 4}, {1, 1, 1, 1})});
  auto result = evaluate::valueOf(module.module(), "f", good);
  QVERIFY(result);
  QVERIFY(near(*result, {2, 3, 4, 5}));
  std::vector<Value> bad = valuesOf({tensor({1, 4}, {1, 2, 3, 4}), tensor({2, 4}, std::vector<double>(8))});
  auto refused = evaluate::valueOf(module.module(), "f", bad);
  QVERIFY(!refused);
  QString message = QString::fromStdString(refused.diagnostics()[0].message);
  for (const char* part : {"y, axis 0", "n is 1", "here it is 2", "by x, axis 0"})
    QVERIFY2(message.contains(part), qPrintable(message));
}

void InterpretTest::recursionHasALimit() {
  build::ModuleContext module;
  auto signature = make<FuncStructInfo>(Array<StructInfo>{info({c(1)})}, info({c(1)}), true);
  relax::GlobalVarRef self = module.declare("loop", signature);
  build::BlockBuilder builder(&module);
  auto x = make<relax::Var>("x", info({c(1)}));
  builder.beginFunction({x});
  relax::VarRef again = builder.emit(make<Call>(self, Array<Expr>{x}));
  module.update(self, builder.endFunction(again, info({c(1)}), true));
  std::vector<Value> args = valuesOf({tensor({1}, {1})});
  auto result = evaluate::valueOf(module.module(), "loop", args);
  QVERIFY(!result);
  QCOMPARE(result.diagnostics()[0].rule, std::string("vm.depth-budget"));
}

/// "Compiled" kernels of one name that add `error` to the last element of what the right ones write.
struct FaultyKernels : vm::KernelProvider {
  explicit FaultyKernels(double e) : error(e) {}
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    if (name != "shifted") return Ref<vm::Callable>();
    return vm::makeCallable("shifted", [wrong = error](vm::CallContext&, vm::Arguments args) {
      const HostTensor &in = args[0].tensor(), &out = args[1].tensor();
      for (int64_t i = 0; i < 4; ++i) out.set(i, in.at(i) + (i == 3 ? wrong : 0));
      return Result<Value>(Value());
    });
  }
  double error;
};

void InterpretTest::kernelsAreCheckedCallByCall() {
  build::ModuleContext module;
  module.add(shifted(0), "shifted");
  std::vector<std::string> unchecked;
  auto call = [&](std::shared_ptr<vm::KernelProvider> kernels) {
    const vm::Surroundings around;
    vm::CallContext context(around);
    std::vector<Value> args = valuesOf({tensor({4}, {1, 2, 3, 4}), tensor({4}, {0, 0, 0, 0})});
    Result<Ref<vm::Callable>> kernel = kernels->find("shifted");
    Result<Value> result = (*kernel)->call(context, vm::ArgumentsOf(args));
    return std::pair(std::move(result), numbers(args[1]));
  };
  auto checked = [&](double error) {
    return evaluate::makeCheckedKernels(
        std::make_shared<FaultyKernels>(error), interpret::makeInterpretedKernels(module.module(), {}),
        [&](std::string_view kernel, const Diagnostic&) { unchecked.emplace_back(kernel); });
  };
  QVERIFY(call(interpret::makeInterpretedKernels(module.module(), {})).first);
  // What rounds differently is the same; the result is the compiled one.
  const auto [same, values] = call(checked(1e-5));
  QVERIFY(same);
  QVERIFY(values[3] != 4);
  const Result<Value> differs = call(checked(0.5)).first;
  QVERIFY(!differs);
  QCOMPARE(differs.diagnostics()[0].rule, std::string("check.differs"));
  const QString message = QString::fromStdString(differs.diagnostics()[0].message);
  for (const char* part : {"shifted", "argument 1", "(3,)", "4.5", "4 interpreted"})
    QVERIFY2(message.contains(part), qPrintable(message));
  QVERIFY(unchecked.empty());
}

QTEST_APPLESS_MAIN(InterpretTest)
#include "tst_interpret.moc"
