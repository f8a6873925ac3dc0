#include <QTest>

#include "core/analysis/free_vars.h"
#include "core/analysis/purity.h"
#include "core/analysis/symbols.h"
#include "core/analysis/well_formed.h"
#include "core/ir/all_nodes.h"
#include "core/op/op_table.h"

using namespace rx;
using relax::Expr;

namespace {

constexpr DataType kF32 = DataType::Float(32);
tir::VarRef symbol(const char* name) { return make<tir::Var>(name, DataType::Int(64)); }
relax::StructInfo tensor(std::vector<tir::PrimExpr> dims) { return relax::tensorSinfo(dims, kF32); }
ir::Attrs attr(const char* key, NodeRef value) {
  return make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{key, std::move(value)}});
}

/// Pieces of one function that a test puts together.
struct Function {
  tir::VarRef n = symbol("n");
  relax::VarRef x = make<relax::Var>("x", tensor({n, tir::intImm(4)}));
  std::vector<relax::BlockRef> blocks;
  bool pure = true;
  ir::Attrs attrs = attr("global_symbol", ir::strAttr("main"));

  relax::Binding bind(relax::VarRef var, Expr value) {
    return make<relax::VarBinding>(std::move(var), std::move(value));
  }
  relax::VarRef var(const char* name) { return make<relax::Var>(name, x->sinfo); }
  relax::VarRef flow(const char* name) { return make<relax::DataflowVar>(name, x->sinfo); }
  Expr add(Expr a, Expr b) {
    return make<relax::Call>(op::opRef("relax.add"), Array<Expr>{std::move(a), std::move(b)}, nullptr,
                             Array<relax::StructInfo>{}, x->sinfo);
  }
  void plain(std::vector<relax::Binding> b) { blocks.push_back(make<relax::BindingBlock>(std::move(b))); }
  void dataflow(std::vector<relax::Binding> b) { blocks.push_back(make<relax::DataflowBlock>(std::move(b))); }
  relax::FunctionRef make_(Expr result, relax::StructInfo ret = nullptr) {
    auto body = make<relax::SeqExpr>(Array<relax::BlockRef>(blocks), result);
    return make<relax::Function>(Array<relax::VarRef>{x}, body, ret ? ret : x->sinfo, pure, attrs);
  }
};

std::string rules(const relax::FunctionRef& function) {
  std::vector<ir::IRModule::Entry> entries{{make<relax::GlobalVar>("main"), function}};
  std::string out;
  for (const Diagnostic& d : analysis::wellFormed(make<ir::IRModule>(entries, nullptr, nullptr, SourceList{}))) {
    out += (out.empty() ? "" : " ") + d.rule;
  }
  return out;
}

}  // namespace

class AnalysisTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void wellFormed();
  void everyViolationHasItsRule();
  void allAtOnce();
  void symbols();
  void freeVariables();
};

void AnalysisTest::wellFormed() {
  Function f;
  auto lv = f.flow("lv"), gv = f.var("gv");
  f.dataflow({f.bind(lv, f.add(f.x, f.x)), f.bind(gv, f.add(lv, f.x))});
  QCOMPARE(rules(f.make_(gv)), std::string());
  QVERIFY(analysis::isPureFunction(*f.make_(gv), nullptr));
}

void AnalysisTest::everyViolationHasItsRule() {
  {
    Function f;
    auto gv = f.var("gv");
    f.plain({f.bind(gv, f.add(f.x, f.var("nowhere")))});
    QCOMPARE(rules(f.make_(gv)), std::string("relax.undefined-var"));
  }
  {
    Function f;
    auto lv = f.flow("lv");
    f.dataflow({f.bind(lv, f.add(f.x, f.x))});
    QCOMPARE(rules(f.make_(lv)), std::string("relax.dataflow-var-scope"));
  }
  {
    Function f;
    auto lv = f.flow("lv");
    f.plain({f.bind(lv, f.add(f.x, f.x))});
    QVERIFY(rules(f.make_(f.x)).starts_with("relax.dataflow-var-binding"));
  }
  {
    Function f;
    auto gv = f.var("gv");
    f.plain({f.bind(gv, f.add(f.x, f.x)), f.bind(gv, f.add(f.x, f.x))});
    QCOMPARE(rules(f.make_(gv)), std::string("relax.multiple-binding"));
  }
  {
    Function f;
    QCOMPARE(rules(f.make_(f.x, tensor({symbol("m"), tir::intImm(4)}))), std::string("relax.undefined-symbol"));
  }
  {
    Function f;
    f.attrs = attr("global_symbol", ir::strAttr("other"));
    QCOMPARE(rules(f.make_(f.x)), std::string("relax.global-symbol"));
  }
  {
    Function f;
    auto gv = f.var("gv");
    f.plain({f.bind(gv, f.add(f.add(f.x, f.x), f.x))});
    QCOMPARE(rules(f.make_(gv)), std::string("relax.not-normal"));
  }
  {
    Function f;
    auto gv = f.var("gv");
    auto callee = make<relax::ExternFunc>("outside");
    f.plain({f.bind(
        gv, make<relax::Call>(callee, Array<Expr>{f.x}, nullptr, Array<relax::StructInfo>{f.x->sinfo}, f.x->sinfo))});
    QCOMPARE(rules(f.make_(gv)), std::string("relax.impure-call"));
    f.pure = false;
    QCOMPARE(rules(f.make_(gv)), std::string());
  }
  {
    Function f;
    auto gv = f.var("gv");
    auto branch = make<relax::SeqExpr>(Array<relax::BlockRef>{}, f.x);
    auto choice = make<relax::If>(
        make<relax::Constant>(HostTensor::scalarInt(DataType::Bool(), 1), relax::tensorSinfo({}, DataType::Bool())),
        branch, branch, f.x->sinfo);
    f.dataflow({f.bind(gv, choice)});
    QCOMPARE(rules(f.make_(gv)), std::string("relax.if-in-dataflow"));
  }
}

void AnalysisTest::allAtOnce() {
  Function f;
  f.attrs = attr("global_symbol", ir::strAttr("other"));
  auto gv = f.var("gv");
  f.plain({f.bind(gv, f.add(f.var("a"), f.var("b")))});
  QCOMPARE(rules(f.make_(gv)), std::string("relax.global-symbol relax.undefined-var relax.undefined-var"));
}

void AnalysisTest::symbols() {
  Function f;
  auto m = symbol("m");
  auto gv = f.var("gv");
  f.attrs = attr("tir_var_upper_bound", attr("n", ir::intAttr(64)));
  f.plain({make<relax::MatchCast>(gv, f.x, tensor({m, tir::intImm(4)})),
           f.bind(f.var("s"), make<relax::ShapeExpr>(Array<tir::PrimExpr>{make<tir::Mul>(f.n, tir::intImm(4))}))});
  const auto table = analysis::symbolTable(*f.make_(gv));
  QCOMPARE(table.size(), size_t(2));
  QCOMPARE(table[0].boundAt, std::string("dimension 0 of x"));
  QVERIFY(table[0].binder == analysis::SymbolBinder::Parameter);
  QCOMPARE(*table[0].lower, int64_t(0));
  QCOMPARE(*table[0].upper, int64_t(64));
  QCOMPARE(table[0].uses.back().text, std::string("n * 4"));
  QVERIFY(table[1].binder == analysis::SymbolBinder::MatchCast);
  QCOMPARE(table[1].binderVariable, Str("gv"));
  QVERIFY(!table[1].upper);
}

void AnalysisTest::freeVariables() {
  Function f;
  auto gv = f.var("gv"), outer = f.var("outer");
  f.plain({f.bind(gv, f.add(f.x, outer))});
  const auto function = f.make_(gv);
  const auto free = analysis::freeVars(function);
  QCOMPARE(free.size(), size_t(1));
  QVERIFY(free[0] == outer);
  QVERIFY(analysis::freeSymbols(function).empty());
}

QTEST_GUILESS_MAIN(AnalysisTest)
#include "tst_analysis.moc"
