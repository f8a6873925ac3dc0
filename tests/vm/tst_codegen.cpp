#include <QTest>

#include "core/ir/module.h"
#include "core/vm/codegen.h"
#include "core/runtime/machine.h"

using namespace rx;
using namespace rx::relax;

namespace {

Expr prim(int64_t value) { return make<PrimValue>(tir::intImm(value)); }
Expr call(const char* callee, std::vector<Expr> args, StructInfo info) {
  return make<relax::Call>(make<ExternFunc>(callee), Array<Expr>(std::move(args)), nullptr, Array<StructInfo>{},
                           std::move(info));
}
SeqRef seqOf(std::vector<Binding> bindings, Expr body) {
  std::vector<BlockRef> blocks;
  if (!bindings.empty()) blocks.push_back(make<BindingBlock>(Array<Binding>(std::move(bindings))));
  return make<SeqExpr>(Array<BlockRef>(std::move(blocks)), std::move(body));
}
ir::Module moduleOf(std::vector<std::pair<const char*, FunctionRef>> functions) {
  std::vector<ir::IRModule::Entry> entries;
  for (auto& [name, function] : functions) entries.emplace_back(make<GlobalVar>(name), function);
  return make<ir::IRModule>(std::move(entries), nullptr, nullptr, SourceList{});
}
relax::VarRef var(const char* name, StructInfo info = objectSinfo()) { return make<relax::Var>(name, std::move(info)); }

}  // namespace

class CodegenTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void branchesJoin();
  void longChainsAndDeepBranches();
  void heapSlotsAreNamed();
  void refusesWhatIsNotLowered();
};

void CodegenTest::branchesJoin() {
  const auto c = var("c");
  const auto a = var("a");
  const auto r = var("r");
  const auto t = var("t");
  const auto branch =
      make<If>(c, seqOf({make<VarBinding>(a, Expr(make<relax::Tuple>(Array<Expr>{prim(1), prim(2)})))}, a),
               seqOf({}, prim(7)), objectSinfo());
  const auto f = make<Function>(Array<relax::VarRef>{c},
                                seqOf({make<VarBinding>(r, branch), make<VarBinding>(t, r)}, t), objectSinfo(), true);
  auto exe = vm::generateExecutable(moduleOf({{"f", f}}));
  QVERIFY(exe.ok());
  auto machine = *vm::Machine::create(*exe, {});
  QVERIFY(machine->start("f", {vm::Value::of(true)}).ok());
  QCOMPARE(machine->run(), vm::MachineStatus::Finished);
  QCOMPARE(machine->result().summary(), std::string("tuple of 2"));
  QVERIFY(machine->start("f", {vm::Value::of(false)}).ok());
  machine->run();
  QCOMPARE(machine->result().asInt(), int64_t{7});
  // Blocks are numbered outer first: the function's is 0, the true branch's 1.
  QCOMPARE((*exe)->site(0)->variable, std::string("r"));
  QCOMPARE((*exe)->site(2)->variable, std::string("a"));
  QCOMPARE((*exe)->site(2)->block, uint32_t{1});
  QVERIFY(!(*exe)->site(3)->known);
}

void CodegenTest::longChainsAndDeepBranches() {
  constexpr int kLength = 100000;
  const auto x = var("x");
  std::vector<Binding> bindings;
  Expr last = x;
  for (int i = 0; i < kLength; ++i) {
    const auto v = var("v");
    bindings.push_back(make<VarBinding>(v, last));
    last = v;
  }
  SeqRef body = seqOf({}, x);
  for (int i = 0; i < 3000; ++i) {
    const auto v = var("r");
    body = seqOf({make<VarBinding>(v, Expr(make<If>(x, body, seqOf({}, x), objectSinfo())))}, v);
  }
  auto exe = vm::generateExecutable(moduleOf(
      {{"chain", make<Function>(Array<relax::VarRef>{x}, seqOf(std::move(bindings), last), objectSinfo(), true)},
       {"deep", make<Function>(Array<relax::VarRef>{x}, body, objectSinfo(), true)}}));
  QVERIFY(exe.ok());
  auto machine = *vm::Machine::create(*exe, {});
  for (const char* name : {"chain", "deep"}) {
    QVERIFY(machine->start(name, {vm::Value::of(true)}).ok());
    QCOMPARE(machine->run(), vm::MachineStatus::Finished);
  }
}

void CodegenTest::heapSlotsAreNamed() {
  const auto n = make<tir::Var>("n", DataType::Int(64));
  const auto x = var("x", make<TensorStructInfo>(Expr(make<ShapeExpr>(Array<tir::PrimExpr>{n})), DataType::Float(32)));
  const auto heap = var("heap");
  const auto unit = var("_", voidSinfo());
  std::vector<Binding> bindings = {
      make<VarBinding>(heap, call("vm.builtin.null_value", {}, objectSinfo())),
      make<VarBinding>(unit, call("vm.builtin.match_shape",
                                  {x, heap, prim(1), prim(1), prim(3), make<relax::StringImm>("")}, voidSinfo()))};
  auto exe = vm::generateExecutable(
      moduleOf({{"f", make<Function>(Array<relax::VarRef>{x}, seqOf(bindings, x), objectSinfo(), true)}}));
  QVERIFY(exe.ok());
  QCOMPARE((*exe)->heapSlotText(*(*exe)->findFunction("f"), 3), std::string("n"));
}

void CodegenTest::refusesWhatIsNotLowered() {
  const auto x = var("x");
  const auto y = var("y");
  const auto n = make<tir::Var>("n", DataType::Int(64));
  const auto symbolic = make<Function>(Array<relax::VarRef>{x},
                                       seqOf({}, Expr(make<ShapeExpr>(Array<tir::PrimExpr>{n}))), objectSinfo(), true);
  QCOMPARE(vm::generateExecutable(moduleOf({{"f", symbolic}})).diagnostics()[0].rule, std::string("vm.codegen"));
  const auto cast =
      make<Function>(Array<relax::VarRef>{x}, seqOf({make<MatchCast>(y, x, objectSinfo())}, y), objectSinfo(), true);
  // The checks of a match_cast are calls before it; what is left is another name for the value.
  QVERIFY(vm::generateExecutable(moduleOf({{"f", cast}})).ok());
  const auto stray = make<Function>(Array<relax::VarRef>{x}, seqOf({}, y), objectSinfo(), true);
  QVERIFY(!vm::generateExecutable(moduleOf({{"f", stray}})).ok());
  const auto missing =
      make<Function>(Array<relax::VarRef>{x}, seqOf({}, Expr(make<GlobalVar>("g"))), objectSinfo(), true);
  QVERIFY(!vm::generateExecutable(moduleOf({{"f", missing}})).ok());
}

QTEST_APPLESS_MAIN(CodegenTest)
#include "tst_codegen.moc"
