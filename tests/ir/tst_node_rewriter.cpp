#include <QTest>

#include "core/ir/node_rewriter.h"
#include "core/ir/prim_expr.h"

using namespace rx;
using namespace rx::tir;

namespace {

constexpr DataType kInt = DataType::Int(32);
VarRef var(const char* name) { return make<Var>(name, kInt); }
PrimExpr add(const PrimExpr& a, const PrimExpr& b) { return make<Add>(a, b); }
PrimExpr number(int64_t value) { return intImm(value, kInt); }

/// Puts an expression in the place of a variable, and counts what it meets.
class Replacer : public NodeRewriter {
 public:
  Replacer(const VarRef& from, PrimExpr to) : from_(from), to_(std::move(to)) {}
  /// The expression rewritten; null where it stays.
  NodeRef run(const PrimExpr& expr) { return rewriteBelow(NodeRef(expr), Into::Parts); }
  int sums = 0;

 private:
  NodeRef before(const NodeRef& node) override { return node == from_ ? NodeRef(to_) : nullptr; }
  NodeRef after(const NodeRef& old, const NodeRef&) override {
    sums += isa<Add>(old) ? 1 : 0;
    return nullptr;
  }

  VarRef from_;
  PrimExpr to_;
};

/// x - y becomes what y - x becomes: a walk within a walk.
class Turner : public NodeRewriter {
 public:
  NodeRef run(const PrimExpr& expr) { return rewriteBelow(NodeRef(expr), Into::Parts); }

 private:
  NodeRef before(const NodeRef& node) override {
    const auto* difference = as<Sub>(node);
    if (!difference) return nullptr;
    const NodeRef left = rewriteBelow(difference->b, Into::Parts), right = rewriteBelow(difference->a, Into::Parts);
    return make<Sub>(left ? cast<ExprNode>(left) : difference->b, right ? cast<ExprNode>(right) : difference->a);
  }
  NodeRef after(const NodeRef&, const NodeRef&) override { return nullptr; }
};

}  // namespace

class NodeRewriterTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatStaysIsNull();
  void unchangedPartsStayTheSame();
  void sharedNodesAreRewrittenOnce();
  void manySharedNodesAreFound();
  void walksNest();
  void deepExpressionsWork();
};

void NodeRewriterTest::whatStaysIsNull() {
  const VarRef x = var("x"), y = var("y");
  QVERIFY(!Replacer(y, number(1)).run(add(x, number(2))));
  QVERIFY(!Replacer(y, y).run(add(y, number(2))));
  QVERIFY(!Replacer(y, number(1)).run(nullptr));
  QVERIFY(Replacer(x, y).run(add(x, number(2))));
}

void NodeRewriterTest::unchangedPartsStayTheSame() {
  const VarRef x = var("x"), y = var("y");
  const PrimExpr stays = add(y, number(2)), changes = add(x, number(3)), whole = make<Mul>(stays, changes);
  const NodeRef made = Replacer(x, number(7)).run(whole);
  const auto* product = as<Mul>(made);
  QVERIFY(product && made != whole);
  QVERIFY(product->a == stays);
  QVERIFY(product->b != changes);
  QCOMPARE(asInt(as<Add>(product->b)->a), 7);
}

void NodeRewriterTest::sharedNodesAreRewrittenOnce() {
  const VarRef x = var("x");
  PrimExpr sum = add(x, number(1));
  for (int i = 0; i < 40; ++i) sum = add(sum, sum);
  Replacer replacer(x, number(5));
  const NodeRef made = replacer.run(sum);
  QVERIFY(made);
  QCOMPARE(replacer.sums, 41);
  QVERIFY(as<Add>(made)->a == as<Add>(made)->b);
  Replacer idle(var("y"), number(5));
  QVERIFY(!idle.run(sum));
  QCOMPARE(idle.sums, 41);
}

void NodeRewriterTest::manySharedNodesAreFound() {
  const VarRef x = var("x");
  std::vector<PrimExpr> parts;
  PrimExpr sum = number(0);
  for (int i = 0; i < 100; ++i) parts.push_back(add(x, number(i)));
  for (int twice = 0; twice < 2; ++twice)
    for (const PrimExpr& part : parts) sum = make<Mul>(sum, part);
  Replacer replacer(x, number(5));
  QVERIFY(replacer.run(sum));
  QCOMPARE(replacer.sums, 100);
  QVERIFY(replacer.run(sum));
  QCOMPARE(replacer.sums, 200);
}

void NodeRewriterTest::walksNest() {
  const VarRef x = var("x"), y = var("y"), z = var("z");
  const PrimExpr inner = make<Sub>(x, y), outer = make<Sub>(add(inner, z), inner);
  const NodeRef made = Turner().run(add(outer, outer));
  const auto* both = as<Add>(made);
  QVERIFY(both && both->a == both->b);
  const auto* turned = as<Sub>(both->a);
  QVERIFY(turned && as<Sub>(turned->a)->a == y && as<Sub>(turned->a)->b == x);
  QVERIFY(as<Sub>(as<Add>(turned->b)->a)->a == y && as<Add>(turned->b)->b == z);
}

void NodeRewriterTest::deepExpressionsWork() {
  const VarRef x = var("x");
  PrimExpr sum = x;
  for (int i = 0; i < 200000; ++i) sum = add(sum, number(1));
  Replacer replacer(x, number(5));
  QVERIFY(replacer.run(sum));
  QCOMPARE(replacer.sums, 200000);
}

QTEST_GUILESS_MAIN(NodeRewriterTest)
#include "tst_node_rewriter.moc"
