#include <QTest>

#include "core/ir/all_nodes.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"

using namespace rx;
using relax::Expr;

namespace {

/// `def main(x: Tensor((n, 4))): lv = x; ...` with fresh variables each time; the last value is a constant.
relax::FunctionRef chain(int length, double last, const char* name = "x", bool dataflow = true) {
  auto n = make<tir::Var>("n", DataType::Int(64));
  std::vector<tir::PrimExpr> shape{n, tir::intImm(4)};
  auto x = make<relax::Var>(name, relax::tensorSinfo(shape, DataType::Float(32)));
  std::vector<relax::Binding> bindings;
  Expr value = x;
  for (int i = 0; i < length; ++i) {
    relax::VarRef var = make<relax::DataflowVar>("lv", x->sinfo);
    bindings.push_back(make<relax::VarBinding>(var, value));
    value = var;
  }
  auto out = make<relax::Var>("gv", relax::objectSinfo());
  auto data = HostTensor::scalar(DataType::Float(32), last);
  bindings.push_back(make<relax::VarBinding>(out, make<relax::Constant>(data, relax::objectSinfo())));
  relax::BlockRef block =
      dataflow ? relax::BlockRef(make<relax::DataflowBlock>(bindings)) : make<relax::BindingBlock>(bindings);
  auto body = make<relax::SeqExpr>(Array<relax::BlockRef>{block}, out);
  return make<relax::Function>(Array<relax::VarRef>{x}, body, relax::objectSinfo(), true);
}

ir::Module moduleOf(std::vector<std::pair<const char*, ir::BaseFunc>> functions) {
  std::vector<ir::IRModule::Entry> entries;
  for (auto& [name, function] : functions) entries.emplace_back(make<relax::GlobalVar>(name), function);
  return make<ir::IRModule>(entries, nullptr, nullptr, SourceList{});
}

std::string pathOf(const NodeRef& a, const NodeRef& b, FreeVars rule = FreeVars::SameObject) {
  auto difference = firstDifference(a, b, rule);
  return difference ? difference->path : "equal";
}

}  // namespace

class StructuralTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void namesDoNotCount();
  void theFirstDifferenceIsAPath();
  void functionsMatchByName();
  void dictionariesAreSets();
  void numbersAreAlikeAcrossKinds();
  void freeVariables();
  void aVariableMapsOnce();
  void longChainsWork();
};

void StructuralTest::namesDoNotCount() {
  auto a = chain(3, 1.0, "x"), b = chain(3, 1.0, "other");
  QCOMPARE(pathOf(a, b), std::string("equal"));
  QCOMPARE(structuralHash(a), structuralHash(b));
}

void StructuralTest::theFirstDifferenceIsAPath() {
  auto a = chain(2, 1.0), b = chain(2, 2.0);
  QCOMPARE(pathOf(a, b), std::string("body.blocks[0].bindings[2].value.data"));
  QVERIFY(structuralHash(a) != structuralHash(b));
  QCOMPARE(pathOf(a, chain(2, 1.0, "x", false)), std::string("body.blocks[0]"));
  auto longer = firstDifference(a, chain(3, 1.0));
  QCOMPARE(longer->path, std::string("body.blocks[0].bindings[2].value"));
  QCOMPARE(pathOf(moduleOf({{"main", a}}), moduleOf({{"main", b}})),
           std::string("main.body.blocks[0].bindings[2].value.data"));
}

void StructuralTest::functionsMatchByName() {
  auto a = moduleOf({{"f", chain(1, 1.0)}, {"g", chain(2, 2.0)}});
  auto b = moduleOf({{"g", chain(2, 2.0)}, {"f", chain(1, 1.0)}});
  QCOMPARE(pathOf(a, b), std::string("equal"));
  QCOMPARE(structuralHash(a), structuralHash(b));
  auto more = firstDifference(a, moduleOf({{"f", chain(1, 1.0)}, {"g", chain(2, 2.0)}, {"h", chain(1, 1.0)}}));
  QVERIFY(more);
  QCOMPARE(more->rhsText, std::string("function h"));
}

void StructuralTest::dictionariesAreSets() {
  using Entries = std::vector<std::pair<Str, NodeRef>>;
  auto a = make<ir::DictAttrs>(Entries{{"a", ir::intAttr(1)}, {"b", ir::strAttr("x")}});
  auto b = make<ir::DictAttrs>(Entries{{"b", ir::strAttr("x")}, {"a", ir::intAttr(1)}});
  auto c = make<ir::DictAttrs>(Entries{{"b", ir::strAttr("y")}, {"a", ir::intAttr(1)}});
  QCOMPARE(pathOf(a, b), std::string("equal"));
  QCOMPARE(structuralHash(a), structuralHash(b));
  QCOMPARE(pathOf(a, c), std::string("b.value"));
  QCOMPARE(pathOf(make<ir::DictAttrs>(), nullptr), std::string("equal"));
  QVERIFY(pathOf(a, nullptr) != "equal");
}

void StructuralTest::numbersAreAlikeAcrossKinds() {
  QCOMPARE(pathOf(ir::intAttr(5), tir::intImm(5)), std::string("equal"));
  QCOMPARE(structuralHash(ir::intAttr(5)), structuralHash(tir::intImm(5)));
  QVERIFY(pathOf(ir::intAttr(5), tir::intImm(6)) != "equal");
  QVERIFY(pathOf(ir::intAttr(1), ir::boolAttr(true)) != "equal");
  QVERIFY(pathOf(tir::intImm(5), tir::intImm(5, DataType::Int(32))) != "equal");
}

void StructuralTest::freeVariables() {
  tir::PrimExpr n = make<tir::Var>("n", DataType::Int(64)), n2 = make<tir::Var>("n", DataType::Int(64));
  tir::PrimExpr m = make<tir::Var>("m", DataType::Int(64));
  QCOMPARE(pathOf(n, n), std::string("equal"));
  QVERIFY(pathOf(n, n2) != "equal");
  QCOMPARE(pathOf(n, n2, FreeVars::ByName), std::string("equal"));
  QVERIFY(pathOf(n, m, FreeVars::ByName) != "equal");
  QCOMPARE(pathOf(n, m, FreeVars::Map), std::string("equal"));
  QCOMPARE(structuralHash(n), structuralHash(m));
}

void StructuralTest::aVariableMapsOnce() {
  tir::PrimExpr n = make<tir::Var>("n", DataType::Int(64)), m = make<tir::Var>("m", DataType::Int(64));
  tir::PrimExpr same = make<tir::Add>(n, n), two = make<tir::Add>(n, m);
  QCOMPARE(pathOf(same, two, FreeVars::Map), std::string("b"));
  QCOMPARE(pathOf(two, same, FreeVars::Map), std::string("b"));
  QVERIFY(structuralHash(same) != structuralHash(two));
}

void StructuralTest::longChainsWork() {
  auto a = chain(100000, 1.0), b = chain(100000, 1.0);
  QCOMPARE(pathOf(a, b), std::string("equal"));
  QCOMPARE(structuralHash(a), structuralHash(b));
  tir::PrimExpr deep = tir::intImm(1), other = tir::intImm(1);
  for (int i = 0; i < 100000; ++i) {
    deep = make<tir::Add>(deep, tir::intImm(2));
    other = make<tir::Add>(other, tir::intImm(2));
  }
  QCOMPARE(pathOf(deep, other), std::string("equal"));
}

QTEST_GUILESS_MAIN(StructuralTest)
#include "tst_structural.moc"
