#include <QTest>

#include "core/ir/all_nodes.h"
#include "core/op/op_table.h"
#include "core/script/difference.h"
#include "core/script/json.h"
#include "core/script/print_again.h"

using namespace rx;

namespace {

constexpr DataType kF32 = DataType::Float(32);
tir::PrimExpr i64(int64_t v) { return tir::intImm(v); }
relax::OpRef op(const char* name) { return op::opRef(name); }

ir::Attrs named(const char* symbol) {
  return make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{"global_symbol", ir::strAttr(symbol)}});
}

/// `B[i, j] = A[i, j] + 1` as a block over a grid.
tir::PrimFuncRef addOne() {
  auto buffer = [](const char* name) {
    auto b = std::make_unique<tir::Buffer>();
    b->name = name;
    b->dtype = kF32;
    b->shape = {i64(2), i64(3)};
    b->data = make<tir::Var>(name, DataType::Handle(), make<tir::PointerType>(make<tir::PrimType>(kF32), "global"));
    return tir::BufferRef(b.release());
  };
  tir::BufferRef a = buffer("A"), b = buffer("B");
  auto i = make<tir::Var>("i", DataType::Int(64)), j = make<tir::Var>("j", DataType::Int(64));
  auto vi = make<tir::Var>("vi", DataType::Int(64)), vj = make<tir::Var>("vj", DataType::Int(64));
  Array<tir::PrimExpr> at{vi, vj};
  auto point = [](const tir::PrimExpr& e) { return make<tir::Range>(e, i64(1)); };
  auto block = std::make_unique<tir::Block>();
  block->iterVars = {make<tir::IterVar>(make<tir::Range>(i64(0), i64(2)), vi, tir::IterType::DataPar),
                     make<tir::IterVar>(make<tir::Range>(i64(0), i64(3)), vj, tir::IterType::DataPar)};
  block->reads = {make<tir::BufferRegion>(a, Array<Ref<tir::Range>>{point(vi), point(vj)})};
  block->writes = {make<tir::BufferRegion>(b, Array<Ref<tir::Range>>{point(vi), point(vj)})};
  block->name = "add";
  block->body = make<tir::BufferStore>(b, make<tir::Add>(make<tir::BufferLoad>(a, at, kF32), tir::floatImm(1.0)), at);
  tir::Stmt body =
      make<tir::BlockRealize>(Array<tir::PrimExpr>{i, j}, tir::boolImm(true), Ref<tir::Block>(block.release()));
  body = make<tir::For>(j, i64(0), i64(3), tir::ForKind::Serial, body);
  body = make<tir::For>(i, i64(0), i64(2), tir::ForKind::Serial, body);
  auto root = std::make_unique<tir::Block>();
  root->name = "root";
  root->body = body;
  body = make<tir::BlockRealize>(Array<tir::PrimExpr>{}, tir::boolImm(true), Ref<tir::Block>(root.release()));
  auto pa = make<tir::Var>("a", DataType::Handle()), pb = make<tir::Var>("b", DataType::Handle());
  return make<tir::PrimFunc>(Array<tir::VarRef>{pa, pb}, Array<tir::BufferRef>{a, b}, body, nullptr);
}

ir::Module sample() {
  auto n = make<tir::Var>("n", DataType::Int(64));
  auto info = relax::tensorSinfo(std::vector<tir::PrimExpr>{n, i64(3)}, kF32);
  auto x = make<relax::Var>("x", info);
  auto gv = make<relax::GlobalVar>("add_one");
  auto lv = make<relax::DataflowVar>("lv", info);
  auto out = make<relax::Var>("lv", info);
  relax::Expr tuple = make<relax::Tuple>(Array<relax::Expr>{x});
  relax::Expr call =
      make<relax::Call>(op("relax.call_tir"), Array<relax::Expr>{gv, tuple}, nullptr, Array<relax::StructInfo>{info});
  relax::Expr one = make<relax::Constant>(HostTensor::scalar(kF32, 1.5), relax::tensorSinfo({}, kF32));
  relax::Expr add = make<relax::Call>(op("relax.add"), Array<relax::Expr>{lv, one});
  relax::BlockRef block = make<relax::DataflowBlock>(
      Array<relax::Binding>{make<relax::VarBinding>(lv, call), make<relax::VarBinding>(out, add)});
  auto body = make<relax::SeqExpr>(Array<relax::BlockRef>{block}, out);
  auto main = make<relax::Function>(Array<relax::VarRef>{x}, body, info, true, named("main"));
  std::vector<ir::IRModule::Entry> entries{{make<relax::GlobalVar>("main"), main}, {gv, addOne()}};
  return make<ir::IRModule>(entries, nullptr, nullptr, SourceList{});
}

}  // namespace

class PrintTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aModule();
  void anchorsCoverWhatTheySay();
  void namesAreThoseOfTheTree();
  void bodiesThatWerePrintedAreCopied();
  void parenthesesOnlyWhereNeeded();
  void whatWouldFoldIsWrittenAsACall();
  void deepExpressionsDoNotRecurse();
  void differences();
  void jsonGivesTheModuleBack();
  void hostileJsonIsRefused();
};

void PrintTest::aModule() {
  const char* expected = R"(# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_one(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] + T.float32(1.0)

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add_one, (x,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            lv_1: R.Tensor((n, 3), dtype="float32") = R.add(lv, R.const(1.5, "float32"))
            R.output(lv_1)
        return lv_1)";
  QCOMPARE(QString::fromStdString(script::printModule(sample()).text), QString(expected));
}

void PrintTest::anchorsCoverWhatTheySay() {
  script::PrintOptions options;
  options.wantAnchors = true;
  const ir::Module module = sample();
  const auto result = script::print(module, options);
  int bindings = 0, functions = 0;
  for (const script::Anchor& anchor : result.anchors) {
    const std::string text = result.text.substr(anchor.begin, anchor.end - anchor.begin);
    if (isa<relax::BindingNode>(anchor.node)) {
      ++bindings;
      QVERIFY2(text.starts_with("lv") && text.ends_with(")"), text.c_str());
    }
    if (isa<ir::BaseFuncNode>(anchor.node)) {
      ++functions;
      QVERIFY2(text.find("def ") != std::string::npos && text.find("@R") == text.rfind("@R"), text.c_str());
    }
  }
  QCOMPARE(bindings, 2);
  QCOMPARE(functions, 2);
}

void PrintTest::namesAreThoseOfTheTree() {
  script::PrintOptions options;
  options.wantAnchors = true;
  const ir::Module module = sample();
  const auto result = script::print(module, options);
  QStringList said;
  for (const script::NamePlace& name : result.names) {
    const char role = "DUO"[static_cast<int>(name.role)];
    const auto text = QString::fromStdString(result.text.substr(name.begin, name.end - name.begin));
    const char* node = isa<ir::BaseFuncNode>(name.node)   ? "function"
                       : isa<relax::GlobalVar>(name.node) ? "global"
                       : isa<relax::Var>(name.node)       ? "variable"
                       : isa<relax::Call>(name.node)      ? "call"
                                                          : "?";
    said += QStringLiteral("%1 %2 %3").arg(QLatin1Char(role)).arg(text, QLatin1String(node));
  }
  QCOMPARE(said.join(", "),
           QString("D add_one function, D main function, D x variable, D lv variable, O R.call_tir call, "
                   "U add_one global, U x variable, D lv_1 variable, O R.add call, U lv variable, U lv_1 variable, "
                   "U lv_1 variable"));
}

namespace {

/// The function `main` of a module, made anew of the same parts.
ir::Module withMain(const ir::Module& module, const Array<relax::VarRef>* params, const ir::Attrs& attrs) {
  std::vector<ir::IRModule::Entry> entries;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto* f = as<relax::Function>(module->functions[i]);
    ir::BaseFunc function = module->functions[i];
    if (f) function = make<relax::Function>(params ? *params : f->params, f->body, f->retSinfo, f->isPure, attrs);
    entries.push_back({module->vars[i], function});
  }
  return make<ir::IRModule>(entries, module->attrs, module->globalInfos, SourceList{});
}

}  // namespace

void PrintTest::bodiesThatWerePrintedAreCopied() {
  const ir::Module module = sample();
  const script::PrintOptions options;
  std::vector<script::PrintedBody> first, again;
  const std::string text = script::printAgain(module, options, {}, &first).text;
  QCOMPARE(text, script::printModule(module).text);
  QCOMPARE(first.size(), size_t(1));
  QVERIFY(!first[0].copied);
  QVERIFY(text.substr(first[0].begin, first[0].end - first[0].begin).starts_with("\n        cls = Module"));
  const script::PrintedBefore before{module, text, first};
  // With other attributes; the copy has a place of its own, from which it can be copied again.
  const ir::Module other = withMain(
      module, nullptr, make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{"num_input", ir::intAttr(1)}}));
  const std::string longer = script::printAgain(other, options, before, &again).text;
  QCOMPARE(longer, script::printModule(other).text);
  QVERIFY(longer.size() > text.size());
  QVERIFY(again.at(0).copied);
  const script::PrintedBefore then{other, longer, again};
  std::vector<script::PrintedBody> back;
  QCOMPARE(script::printAgain(module, options, then, &back).text, text);
  QVERIFY(back.at(0).copied);
  // Other parameters have other names.
  const Array<relax::VarRef> params{make<relax::Var>("y", as<relax::Function>(module->find("main"))->params[0]->sinfo)};
  const ir::Module renamed = withMain(module, &params, nullptr);
  QCOMPARE(script::printAgain(renamed, options, before, &again).text, script::printModule(renamed).text);
  QVERIFY(!again.back().copied);
  // In an era whose header has the symbols, nothing is.
  script::PrintOptions later;
  later.dialect = script::Dialect::V027;
  std::vector<script::PrintedBody> none;
  QCOMPARE(script::printAgain(module, later, before, &none).text, script::printModule(module, later).text);
  QVERIFY(none.empty());
}

void PrintTest::parenthesesOnlyWhereNeeded() {
  tir::PrimExpr n = make<tir::Var>("n", DataType::Int(64)), m = make<tir::Var>("m", DataType::Int(64));
  QCOMPARE(script::printPrimExpr(make<tir::Sub>(n, make<tir::Sub>(m, i64(2)))), std::string("n - (m - 2)"));
  QCOMPARE(script::printPrimExpr(make<tir::Sub>(make<tir::Sub>(n, m), i64(2))), std::string("n - m - 2"));
  QCOMPARE(script::printPrimExpr(make<tir::Mul>(make<tir::Add>(n, m), i64(2))), std::string("(n + m) * 2"));
  tir::PrimExpr less = make<tir::LT>(n, m);
  QCOMPARE(script::printPrimExpr(make<tir::EQ>(less, less)), std::string("(n < m) == (n < m)"));
  QCOMPARE(script::printPrimExpr(make<tir::Not>(make<tir::And>(less, less))), std::string("not (n < m and n < m)"));
}

void PrintTest::whatWouldFoldIsWrittenAsACall() {
  tir::PrimExpr e = make<tir::Add>(i64(1), i64(2));
  QCOMPARE(script::print(e).text, std::string("T.Add(T.int64(1), T.int64(2))"));
}

void PrintTest::deepExpressionsDoNotRecurse() {
  tir::PrimExpr left = make<tir::Var>("n", DataType::Int(64)), right = left;
  for (int k = 0; k < 100000; ++k) {
    left = make<tir::Add>(left, i64(2));
    right = make<tir::Sub>(i64(2), right);
  }
  const std::string text = script::printPrimExpr(left);
  QVERIFY(text.starts_with("n + 2 + 2"));
  QVERIFY(text.find('(') == std::string::npos);
  QVERIFY(script::printPrimExpr(right).ends_with("))))"));
  relax::Expr tuple = make<relax::Tuple>(Array<relax::Expr>{});
  for (int k = 0; k < 100000; ++k) tuple = make<relax::Tuple>(Array<relax::Expr>{tuple});
  QVERIFY(script::printExpr(tuple).ends_with(",),),)"));
}

void PrintTest::differences() {
  auto a = tir::PrimExpr(make<tir::Add>(make<tir::Var>("n", DataType::Int(64)), i64(1)));
  auto b = tir::PrimExpr(make<tir::Add>(make<tir::Var>("n", DataType::Int(64)), i64(2)));
  const auto difference = firstDifference(a, b, FreeVars::ByName);
  QVERIFY(difference);
  QCOMPARE(script::differenceText(*difference), std::string("b.value:\n  left:  1\n  right: 2"));
}

void PrintTest::jsonGivesTheModuleBack() {
  const ir::Module module = sample();
  const std::string json = script::moduleToJson(module);
  const Result<ir::Module> again = script::moduleFromJson(json);
  QVERIFY2(again.ok(), again.ok() ? "" : again.diagnostics()[0].message.c_str());
  QVERIFY(structuralEqual(module, *again));
  QCOMPARE(script::moduleToJson(*again), json);
  QCOMPARE(script::printModule(*again).text, script::printModule(module).text);
}

void PrintTest::hostileJsonIsRefused() {
  const std::string json = script::moduleToJson(sample());
  for (size_t k = 0; k < json.size(); k += 7) {
    const Result<ir::Module> cut = script::moduleFromJson(std::string_view(json).substr(0, k));
    QVERIFY(!cut.ok());
  }
  // Numbers are indices, sizes and values: changing each one is refused or gives some module, and never crashes.
  for (size_t k = 0; k < json.size(); ++k) {
    if (json[k] < '0' || json[k] > '9') continue;
    std::string changed = json;
    changed[k] = changed[k] == '9' ? '0' : '9';
    const Result<ir::Module> result = script::moduleFromJson(changed);
    if (result.ok()) QVERIFY(!script::printModule(*result).text.empty());
  }
  QVERIFY(!script::moduleFromJson(json + std::string("\0 and more", 10)).ok());
  const char* refused[] = {
      "",
      "[]",
      "{\"format\":\"relaxscope-ir\"}",
      R"({"format":"relaxscope-ir","version":1,"nodes":[{"node":"relax.expr.Tuple","fields":[0]}],"root":0})",
      R"({"format":"relaxscope-ir","version":1,"nodes":[{"node":"tirx.Add","a":0}],"root":0})",
      R"({"format":"relaxscope-ir","version":1,"nodes":[{"node":"nothing"}],"root":0})"};
  for (const char* text : refused) QVERIFY2(!script::moduleFromJson(text).ok(), text);
}

QTEST_GUILESS_MAIN(PrintTest)
#include "tst_print.moc"
