// The operator table: what rows say, what calls become, what rules deduce and refuse.
#include <QtTest>

#include "core/build/block_builder.h"
#include "core/op/make_call.h"
#include "core/op/op_table.h"
#include "core/op/sinfo_text.h"

using namespace rx;
using namespace rx::op;
using relax::Expr;
using relax::StructInfo;

namespace {

tir::VarRef symbol(const char* name) { return make<tir::Var>(Str(name), DataType::Int(64)); }
tir::PrimExpr num(int64_t value) { return tir::intImm(value); }
Expr param(const char* name, std::vector<tir::PrimExpr> dims, DataType type = DataType::Float(32)) {
  return make<relax::Var>(Str(name), relax::tensorSinfo(dims, type));
}
Expr unknown(const char* name, int64_t rank, DataType type = DataType::Float(32)) {
  return make<relax::Var>(Str(name), make<relax::TensorStructInfo>(type, rank));
}

/// The StructInfo of a call as text, or the message of its refusal after an exclamation mark.
QString deduced(std::string_view op, std::vector<NodeRef> positional, std::vector<Keyword> keywords = {}) {
  InferContext context;
  const OpRow* row = findOp(op);
  if (!row) return "no such operator";
  auto call = bindCall(*row, positional, keywords, context);
  if (!call) return "!" + QString::fromStdString(call.diagnostics()[0].message);
  build::BlockBuilder builder;
  builder.beginSeq();
  Expr normal = builder.normalize(*call);
  if (builder.failed()) return "!" + QString::fromStdString(builder.diagnostics()[0].message);
  return QString::fromStdString(sinfoText(normal->sinfo));
}

}  // namespace

class OperatorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tableIsComplete();
  void namesResolve();
  void bindsPositionalKeywordAndDefault();
  void refusesWrongBinding();
  void broadcasts();
  void matmul();
  void convolutions();
  void reshapeResolvesMinusOne();
  void slices();
  void argumentsInCallOrder();
  void callTir();
};

void OperatorsTest::tableIsComplete() {
  QCOMPARE(allOps().size(), size_t(229 + 1));  // v0.24, and reverse_sequence of v0.27
  for (const OpRow& row : allOps()) {
    QVERIFY(row.spec.infer);
    QVERIFY(!row.spec.doc.empty());
    QCOMPARE(rowOf(row.op.get()), &row);
    QVERIFY2(row.spec.doc.ends_with('.'), row.spec.name.data());
  }
}

void OperatorsTest::namesResolve() {
  QCOMPARE(findOp("relax.nn.conv2d"), findOp("nn.conv2d"));
  QVERIFY(findOp("relax.no_such_operator") == nullptr);
  // An operator of another table is not in this one, whatever its row.
  auto foreign = make<relax::Op>(Str("tirx.exp"), 0u);
  QVERIFY(rowOf(foreign.get()) == nullptr);
}

void OperatorsTest::bindsPositionalKeywordAndDefault() {
  InferContext context;
  Expr x = param("x", {num(2), num(3)});
  auto byPlace = bindCall(*findOp("sum"), std::vector<NodeRef>{x, ir::intAttr(1)}, {}, context);
  const Keyword axis{"axis", ir::arrayAttr({ir::intAttr(1)})};
  auto byName = bindCall(*findOp("sum"), std::vector<NodeRef>{x}, std::vector<Keyword>{axis}, context);
  QVERIFY(byPlace && byName);
  for (const auto& call : {*byPlace, *byName}) {
    QCOMPARE(call->attrs->keys.size(), size_t(2));
    const auto* list = as<ir::ArrayAttr>(ir::attrOf(call->attrs, "axis"));
    QVERIFY(list && list->items.size() == 1);
    QCOMPARE(ir::boolAttrOf(call->attrs, "keepdims", true), false);
  }
  // Calls that leave all attributes alone share them.
  auto first = bindCall(*findOp("matmul"), std::vector<NodeRef>{x, x}, {}, context);
  const Keyword type{"out_dtype", ir::strAttr("void")};
  auto second = bindCall(*findOp("matmul"), std::vector<NodeRef>{x, x}, std::vector<Keyword>{type}, context);
  QVERIFY((*first)->attrs == (*second)->attrs);
}

void OperatorsTest::refusesWrongBinding() {
  Expr x = param("x", {num(2), num(3)});
  QVERIFY(deduced("add", {x}).contains("x2"));
  QVERIFY(deduced("add", {x, x, x}).contains("at most 2"));
  QVERIFY(deduced("sum", {x}, {{"axes", ir::intAttr(1)}}).contains("no parameter 'axes'"));
  QVERIFY(deduced("sum", {x, ir::intAttr(1)}, {{"axis", ir::intAttr(1)}}).contains("given twice"));
  QVERIFY(deduced("nn.softmax", {x}, {{"axis", ir::strAttr("x")}}).contains("needs an integer"));
  QVERIFY(deduced("astype", {x, ir::strAttr("flot32")}).contains("element type"));
}

void OperatorsTest::broadcasts() {
  tir::VarRef n = symbol("n"), m = symbol("m");
  Expr a = param("a", {n, num(4)}), b = param("b", {num(1), num(4)}), c = param("c", {m, num(4)});
  QCOMPARE(deduced("add", {a, b}), "R.Tensor((n, 4), \"float32\")");
  QCOMPARE(deduced("add", {b, a}), "R.Tensor((n, 4), \"float32\")");
  QCOMPARE(deduced("add", {a, c}), "R.Tensor(\"float32\", ndim=2)");
  QCOMPARE(deduced("less", {a, b}), "R.Tensor((n, 4), \"bool\")");
  QVERIFY(deduced("add", {param("x", {num(3)}), param("y", {num(4)})}).startsWith("!"));
  QVERIFY(deduced("add", {a, param("y", {num(4)}, DataType::Int(32))}).contains("same type"));
  QVERIFY(deduced("add", {a, make<relax::StringImm>(Str("x"))}).contains("must be a tensor or a number"));
  QCOMPARE(deduced("add", {a, unknown("u", relax::kUnknownDim)}), "R.Tensor(\"float32\")");
}

void OperatorsTest::matmul() {
  tir::VarRef n = symbol("n");
  QCOMPARE(deduced("matmul", {param("a", {n, num(4)}), param("b", {num(4), num(5)})}), "R.Tensor((n, 5), \"float32\")");
  QCOMPARE(deduced("matmul", {param("a", {num(4)}), param("b", {num(4)})}), "R.Tensor((), \"float32\")");
  QCOMPARE(deduced("matmul", {param("a", {num(2), n, num(4)}), param("b", {num(4), num(5)})}),
           "R.Tensor((2, n, 5), \"float32\")");
  QVERIFY(deduced("matmul", {param("a", {n, num(4)}), param("b", {num(3), num(5)})}).contains("4"));
  QVERIFY(deduced("matmul", {param("a", {}), param("b", {num(3)})}).startsWith("!"));
  QCOMPARE(deduced("matmul", {unknown("a", 3), unknown("b", 2)}), "R.Tensor(\"float32\", ndim=3)");
}

void OperatorsTest::convolutions() {
  Expr x = param("x", {num(1), num(3), num(28), num(28)}), w = param("w", {num(8), num(3), num(3), num(3)});
  QCOMPARE(deduced("nn.conv2d", {x, w}, {{"padding", ir::intAttr(1)}}), "R.Tensor((1, 8, 28, 28), \"float32\")");
  QCOMPARE(deduced("nn.conv2d", {x, w}, {{"strides", ir::intAttr(2)}}), "R.Tensor((1, 8, 13, 13), \"float32\")");
  Expr packed = param("x", {num(1), num(2), num(9), num(9), num(16)});
  QCOMPARE(deduced("nn.max_pool2d", {packed}, {{"pool_size", ir::intAttr(3)}, {"layout", ir::strAttr("NCHW16c")}}),
           "R.Tensor((1, 2, 7, 7, 16), \"float32\")");
  QVERIFY(deduced("nn.conv2d", {x, w}, {{"data_layout", ir::strAttr("NCHX")}}).contains("data_layout"));
  QVERIFY(deduced("nn.conv2d", {x, w}, {{"padding", ir::arrayAttr({ir::intAttr(1), ir::intAttr(1), ir::intAttr(1)})}})
              .contains("padding"));
  QVERIFY(deduced("nn.conv2d", {x, param("w", {num(8), num(4), num(3), num(3)})}).contains("channels"));
}

void OperatorsTest::reshapeResolvesMinusOne() {
  tir::VarRef n = symbol("n");
  Expr x = param("x", {n, num(4), num(6)});
  QCOMPARE(deduced("reshape", {x, ir::arrayAttr({num(-1), num(8)})}), "R.Tensor((n * 3, 8), \"float32\")");
  QCOMPARE(deduced("reshape", {x, ir::arrayAttr({ir::intAttr(0), ir::intAttr(24)})}), "R.Tensor((n, 24), \"float32\")");
  QVERIFY(deduced("reshape", {x, ir::arrayAttr({num(-1), num(-1)})}).contains("more than one"));
  QVERIFY(deduced("reshape", {unknown("u", 2), ir::arrayAttr({num(-1)})}).contains("known shape"));
  QVERIFY(deduced("reshape", {param("y", {num(4)}), ir::arrayAttr({num(5)})}).contains("do not fit"));
}

void OperatorsTest::slices() {
  Expr x = param("x", {num(8), num(9)});
  auto list = [](std::vector<int64_t> values) { return ir::intArrayAttr(values); };
  QCOMPARE(deduced("strided_slice", {x, list({0}), list({1}), list({7}), list({2})}), "R.Tensor((3, 9), \"float32\")");
  QCOMPARE(deduced("strided_slice", {x, list({1}), list({-2}), list({100})}), "R.Tensor((8, 2), \"float32\")");
  QVERIFY(deduced("strided_slice", {x, list({0, 0}), list({0, 0}), list({1, 1})}).contains("twice"));
  QVERIFY(deduced("strided_slice", {x, list({2}), list({0}), list({1})}).contains("out of range"));
  QVERIFY(deduced("strided_slice", {x, list({0}), list({0, 1}), list({1})}).contains("axes"));
}

void OperatorsTest::argumentsInCallOrder() {
  InferContext context;
  Expr x = param("x", {num(2)});
  const Keyword format{"format", ir::strAttr("{}")};
  auto call = bindCall(*findOp("print"), std::vector<NodeRef>{x, x}, std::vector<Keyword>{format}, context);
  QVERIFY(call);
  QCOMPARE((*call)->args.size(), size_t(3));
  QVERIFY(isa<relax::StringImm>((*call)->args[0]));
  QVERIFY(!findOp("print")->pure());
}

void OperatorsTest::callTir() {
  InferContext context;
  Expr x = param("x", {num(2)});
  auto f = make<relax::GlobalVar>(Str("f"));
  const StructInfo out = relax::tensorSinfo(std::vector<tir::PrimExpr>{num(2)}, DataType::Float(32));
  const Keyword one{"out_sinfo", out};
  auto call = bindCall(*findOp("call_tir"), std::vector<NodeRef>{f, x}, std::vector<Keyword>{one}, context);
  QVERIFY(call);
  QVERIFY(isa<relax::Tuple>((*call)->args[1]));
  const Keyword two{"out_ty", ir::arrayAttr({out, out})};
  auto pair = bindCall(*findOp("call_tir"), std::vector<NodeRef>{f, x}, std::vector<Keyword>{two}, context);
  QVERIFY(pair && isa<relax::TupleStructInfo>((*pair)->sinfoArgs[0]));
  QVERIFY(!bindCall(*findOp("call_tir"), std::vector<NodeRef>{f, x}, {}, context));
}

QTEST_APPLESS_MAIN(OperatorsTest)
#include "tst_operators.moc"
