// Normal form, the builder, calls of functions, the lattice, and the base rewriter.
#include <QtTest>

#include "core/build/mutator.h"
#include "core/ir/structural_equal.h"
#include "core/op/make_call.h"
#include "core/op/sinfo_text.h"

using namespace rx;
using namespace rx::relax;
using build::BlockBuilder;

namespace {

tir::VarRef symbol(const char* name) { return make<tir::Var>(Str(name), DataType::Int(64)); }
tir::PrimExpr num(int64_t value) { return tir::intImm(value); }
StructInfo floats(std::vector<tir::PrimExpr> dims) { return tensorSinfo(dims, DataType::Float(32)); }
VarRef param(const char* name, StructInfo info) { return make<Var>(Str(name), std::move(info)); }
Expr call(std::string_view op, std::vector<Expr> args) { return op::makeCall(op, std::move(args)); }
QString text(const StructInfo& info) { return QString::fromStdString(op::sinfoText(info)); }

/// Renames a call: relu becomes gelu.
class ReluToGelu : public build::Mutator {
 public:
  explicit ReluToGelu(build::ModuleContext* module) : Mutator(Str("ReluToGelu"), module) {}

 protected:
  Expr visitCall(const Ref<Call>& node) override {
    Expr visited = Mutator::visitCall(node);
    const auto* made = as<Call>(visited);
    if (!op::isCallTo(made, "relax.nn.relu")) return visited;
    return call("relax.nn.gelu", {made->args[0]});
  }
};

}  // namespace

class BuilderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void bindsNestedCalls();
  void mergesBlocks();
  void reportsOnce();
  void annotationIsChecked();
  void branchesUnify();
  void callsBindSymbols();
  void baseCheckLevels();
  void unifies();
  void rewriterKeepsWhatDidNotChange();
  void rewriterPassesOriginsOn();
  void moduleKeepsNamesApart();
  void deepNesting();
};

void BuilderTest::bindsNestedCalls() {
  tir::VarRef n = symbol("n");
  VarRef x = param("x", floats({n, num(4)}));
  BlockBuilder builder;
  builder.beginFunction({x});
  builder.beginDataflow();
  VarRef y = builder.emitOutput(call("relax.add", {call("relax.exp", {x}), call("relax.abs", {x})}), "y");
  builder.endDataflow();
  FunctionRef function = builder.endFunction(y, nullptr, true);
  QVERIFY(!builder.failed());
  QCOMPARE(function->body->blocks.size(), size_t(1));
  const BlockRef& block = function->body->blocks[0];
  QVERIFY(block->isDataflow());
  QCOMPARE(block->bindings.size(), size_t(3));
  QVERIFY(isa<DataflowVar>(block->bindings[0]->var));
  QVERIFY(!isa<DataflowVar>(block->bindings[2]->var));
  QCOMPARE(text(function->retSinfo), "R.Tensor((n, 4), \"float32\")");
}

void BuilderTest::mergesBlocks() {
  VarRef x = param("x", floats({num(4)}));
  BlockBuilder builder;
  builder.beginFunction({x});
  for (int i = 0; i < 2; ++i) {
    builder.beginDataflow();
    builder.emitOutput(call("relax.exp", {x}));
    builder.endDataflow();
  }
  builder.emit(call("relax.exp", {x}));
  builder.beginDataflow();
  builder.endDataflow();
  builder.emit(call("relax.exp", {x}));
  FunctionRef function = builder.endFunction(x, nullptr, true);
  QCOMPARE(function->body->blocks.size(), size_t(2));
  QCOMPARE(function->body->blocks[0]->bindings.size(), size_t(2));
  QCOMPARE(function->body->blocks[1]->bindings.size(), size_t(2));
}

void BuilderTest::reportsOnce() {
  VarRef x = param("x", floats({num(3)})), y = param("y", floats({num(4)}));
  BlockBuilder builder;
  builder.beginFunction({x, y});
  VarRef bad = builder.emit(call("relax.add", {x, y}), "bad");
  VarRef next = builder.emit(call("relax.exp", {bad}), "next");
  VarRef more = builder.emit(make<Tuple>(Array<Expr>{next, x}), "more");
  builder.emit(call("relax.abs", {make<TupleGetItem>(more, 0)}), "last");
  builder.endFunction(next, nullptr, true);
  QVERIFY(builder.failed());
  QCOMPARE(builder.diagnostics().size(), size_t(1));
}

void BuilderTest::annotationIsChecked() {
  VarRef x = param("x", floats({num(3)}));
  BlockBuilder builder;
  builder.beginFunction({x});
  VarRef wide = builder.emit(call("relax.exp", {x}), "wide", make<TensorStructInfo>(DataType::Float(32), int64_t{1}));
  QCOMPARE(text(wide->sinfo), "R.Tensor(\"float32\", ndim=1)");
  QVERIFY(!builder.failed());
  // What contradicts the value stays, for the well-formedness check to report.
  VarRef wrong = builder.emit(call("relax.exp", {x}), "wrong", floats({num(4)}));
  QCOMPARE(text(wrong->sinfo), text(floats({num(4)})));
  QVERIFY(!builder.failed());
}

void BuilderTest::branchesUnify() {
  tir::VarRef n = symbol("n"), m = symbol("m");
  VarRef cond = param("cond", tensorSinfo({}, DataType::Bool())), x = param("x", floats({n}));
  BlockBuilder builder;
  builder.beginFunction({cond, x});
  builder.beginSeq();
  SeqRef yes = builder.endSeq(call("relax.exp", {x}));
  builder.beginSeq();
  VarRef cut = builder.emitMatchCast(x, floats({m}), "cut");
  SeqRef no = builder.endSeq(cut);
  // A symbol of the branch means nothing outside it.
  QCOMPARE(text(no->sinfo), "R.Tensor(\"float32\", ndim=1)");
  VarRef both = builder.emit(make<If>(cond, yes, no), "both");
  QCOMPARE(text(both->sinfo), "R.Tensor(\"float32\", ndim=1)");
}

void BuilderTest::callsBindSymbols() {
  tir::VarRef n = symbol("n"), k = symbol("k");
  auto callee = make<FuncStructInfo>(Array<StructInfo>{floats({n, num(4)}), floats({n})}, floats({n, n}), true);
  auto f = make<GlobalVar>(Str("f"), StructInfo(callee));
  VarRef a = param("a", floats({k, num(4)})), b = param("b", floats({k})), c = param("c", floats({num(4)}));
  BlockBuilder builder;
  builder.beginFunction({a, b, c});
  VarRef good = builder.emit(make<Call>(f, Array<Expr>{a, b}), "good");
  QCOMPARE(text(good->sinfo), "R.Tensor((k, k), \"float32\")");
  QVERIFY(!builder.failed());
  builder.emit(make<Call>(f, Array<Expr>{a}), "few");
  builder.emit(make<Call>(f, Array<Expr>{b, b}), "rank");
  QCOMPARE(builder.diagnostics().size(), size_t(2));
  builder.emit(make<Call>(a, Array<Expr>{a}), "tensor");
  QCOMPARE(builder.diagnostics().size(), size_t(3));
}

void BuilderTest::baseCheckLevels() {
  op::InferContext context;
  tir::VarRef n = symbol("n"), m = symbol("m");
  auto level = [&](const StructInfo& base, const StructInfo& derived) { return op::baseCheck(base, derived, context); };
  const StructInfo any = make<TensorStructInfo>(DataType::Void(), kUnknownDim);
  QCOMPARE(level(any, floats({n})), op::BaseCheck::Pass);
  QCOMPARE(level(floats({n}), any), op::BaseCheck::FailL1);
  QCOMPARE(level(floats({n}), floats({m})), op::BaseCheck::FailL2);
  QCOMPARE(level(floats({n}), floats({n})), op::BaseCheck::Pass);
  QCOMPARE(level(floats({num(3)}), floats({num(4)})), op::BaseCheck::FailL0);
  QCOMPARE(level(objectSinfo(), floats({n})), op::BaseCheck::Pass);
  QCOMPARE(level(floats({n}), objectSinfo()), op::BaseCheck::FailL1);
  QCOMPARE(level(tupleSinfo({any}), tupleSinfo({any, any})), op::BaseCheck::FailL0);
  QCOMPARE(level(make<ShapeStructInfo>(int64_t{2}), make<ShapeStructInfo>(Array<tir::PrimExpr>{n, m})),
           op::BaseCheck::Pass);
}

void BuilderTest::unifies() {
  op::InferContext context;
  tir::VarRef n = symbol("n"), m = symbol("m");
  QCOMPARE(text(op::unifyStructInfo(floats({n}), floats({m}), context)), "R.Tensor(\"float32\", ndim=1)");
  QCOMPARE(text(op::unifyStructInfo(floats({n}), floats({n, m}), context)), "R.Tensor(\"float32\")");
  QCOMPARE(
      text(op::unifyStructInfo(floats({n}), tensorSinfo(std::vector<tir::PrimExpr>{n}, DataType::Int(8)), context)),
      "R.Tensor((n,))");
  QCOMPARE(text(op::unifyStructInfo(floats({n}), voidSinfo(), context)), "R.Object");
  QCOMPARE(text(op::unifyStructInfo(tupleSinfo({floats({n})}), tupleSinfo({floats({m})}), context)),
           "R.Tuple(R.Tensor(\"float32\", ndim=1))");
}

namespace {
ir::Module sampleModule(bool relu) {
  VarRef x = param("x", floats({num(4)}));
  BlockBuilder builder;
  builder.setOrigin(make<Origin>(Array<OriginSite>{OriginSite{Str("main"), 0, 0, Str("a"), {}}}, Str("")));
  builder.beginFunction({x});
  builder.beginDataflow();
  VarRef a = builder.emit(call("relax.exp", {x}), "a");
  VarRef b = builder.emitOutput(call(relu ? "relax.nn.relu" : "relax.abs", {a}), "b");
  builder.endDataflow();
  FunctionRef function = builder.endFunction(b, nullptr, true);
  auto var = make<GlobalVar>(Str("main"), function->sinfo);
  return make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{var, function}}, nullptr, nullptr, SourceList{});
}
Result<ir::Module> geluOf(const ir::Module& module) {
  return build::mutateFunctions(module, {}, [](build::ModuleContext& c) { return std::make_unique<ReluToGelu>(&c); });
}
}  // namespace

void BuilderTest::rewriterKeepsWhatDidNotChange() {
  ir::Module same = sampleModule(false);
  auto result = geluOf(same);
  QVERIFY(result);
  QVERIFY(*result == same);
  ir::Module other = sampleModule(true);
  auto changed = geluOf(other);
  QVERIFY(changed && !(*changed == other));
  const auto* before = as<Function>(other->functions[0]);
  const auto* after = as<Function>((*changed)->functions[0]);
  QVERIFY(before->body->blocks[0]->bindings[0] == after->body->blocks[0]->bindings[0]);
  QVERIFY(op::isCallTo(as<Call>(as<VarBinding>(after->body->blocks[0]->bindings[1])->value), "relax.nn.gelu"));
}

void BuilderTest::rewriterPassesOriginsOn() {
  auto changed = geluOf(sampleModule(true));
  const auto* after = as<Function>((*changed)->functions[0]);
  const OriginRef& origin = after->body->blocks[0]->bindings[1]->origin;
  QVERIFY(origin);
  QCOMPARE(origin->pass.string(), std::string("ReluToGelu"));
  QCOMPARE(origin->sites.size(), size_t(1));
}

void BuilderTest::moduleKeepsNamesApart() {
  ir::Module module = sampleModule(true);
  build::ModuleContext context(module);
  QVERIFY(context.module() == module);
  GlobalVarRef again = context.add(module->functions[0], "main");
  QVERIFY(again == module->vars[0]);
  GlobalVarRef forced = context.add(module->functions[0], "main", true);
  QCOMPARE(forced->name.string(), std::string("main1"));
  QCOMPARE(context.module()->size(), size_t(2));
  context.remove("main1");
  QCOMPARE(context.module()->size(), size_t(1));
  QVERIFY(context.find("main1") == nullptr);
}

void BuilderTest::deepNesting() {
  VarRef x = param("x", floats({num(4)}));
  Expr deep = x;
  for (int i = 0; i < 20000; ++i) deep = call("relax.exp", {deep});
  BlockBuilder builder;
  builder.beginFunction({x});
  builder.emit(deep, "deep");
  FunctionRef function = builder.endFunction(x, nullptr, true);
  QVERIFY(!builder.failed());
  QCOMPARE(function->body->blocks[0]->bindings.size(), size_t(20000));
}

QTEST_APPLESS_MAIN(BuilderTest)
#include "tst_builder.moc"
