// The canonical form: forms that are TVM's, values that stay, and what must not be concluded.
#include <QtTest>
#include <optional>
#include <random>

#include "core/arith/canon.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/intervals.h"
#include "core/arith/make_node.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

using namespace rx;
using namespace rx::tir;
using namespace rx::arith;

namespace {

constexpr DataType kInt = DataType::Int(32);
VarRef var(const char* name, DataType type = kInt) { return make<Var>(name, type); }
PrimExpr c(int64_t v) { return intImm(v, kInt); }

/// The value of an expression of small numbers; nothing where a division by zero decides it.
std::optional<int64_t> valueOf(const PrimExpr& e, const std::unordered_map<const Node*, int64_t>& env) {
  if (const auto* imm = as<IntImm>(e)) return imm->value;
  if (isa<Var>(e)) return env.at(e.get());
  if (const auto* inverse = as<Not>(e)) {
    const auto value = valueOf(inverse->a, env);
    return value ? std::optional<int64_t>(*value == 0) : std::nullopt;
  }
  if (const auto* select = as<Select>(e)) {
    const auto when = valueOf(select->condition, env);
    return when ? valueOf(*when ? select->trueValue : select->falseValue, env) : std::nullopt;
  }
  const auto* binary = as<BinaryNode>(e);
  if (!binary) return std::nullopt;
  const auto a = valueOf(binary->a, env), b = valueOf(binary->b, env);
  return a && b ? asInt(tryFold(e->kind(), intImm(*a), intImm(*b))) : std::nullopt;
}

/// The expression as text, for failures.
QString textOf(const PrimExpr& e) {
  if (const auto* imm = as<IntImm>(e)) return QString::number(imm->value);
  if (const auto* v = as<Var>(e)) return QString::fromStdString(std::string(v->name.view()));
  QStringList parts;
  std::vector<const Node*> children;
  appendChildren(*e, Into::Parts, children);
  for (const Node* child : children) {
    if (const auto* part = as<ExprNode>(child)) parts << textOf(PrimExpr(part));
  }
  return QString::fromStdString(std::string(kindName(e->kind()))) + "(" + parts.join(", ") + ")";
}

/// Random expressions of integers over some variables.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }

  PrimExpr integer(int depth) {
    if (depth == 0) return number(0, 2) ? PrimExpr(vars[static_cast<size_t>(number(0, 2))]) : c(number(-6, 9));
    constexpr Kind kOps[] = {Kind::tir_Add, Kind::tir_Sub, Kind::tir_Mul, Kind::tir_Min,
                             Kind::tir_Max, Kind::tir_Add, Kind::tir_Sub};
    constexpr Kind kDivisions[] = {Kind::tir_FloorDiv, Kind::tir_FloorMod, Kind::tir_Div, Kind::tir_Mod};
    const int64_t choice = number(0, 12);
    if (choice == 0) return make<Select>(condition(depth - 1), integer(depth - 1), integer(depth - 1));
    if (choice < 5) return makeNode(kDivisions[number(0, 3)], integer(depth - 1), c(number(1, 8)));
    return makeNode(kOps[number(0, 6)], integer(depth - 1), integer(depth - 1));
  }
  PrimExpr condition(int depth) {
    constexpr Kind kCompares[] = {Kind::tir_EQ, Kind::tir_NE, Kind::tir_LT, Kind::tir_LE, Kind::tir_GT, Kind::tir_GE};
    const int64_t choice = depth > 0 ? number(0, 5) : 5;
    if (choice == 0) return make<Not>(condition(depth - 1));
    if (choice == 1) return make<And>(condition(depth - 1), condition(depth - 1));
    if (choice == 2) return make<Or>(condition(depth - 1), condition(depth - 1));
    return makeNode(kCompares[number(0, 5)], integer(depth > 0 ? depth - 1 : 0), integer(0));
  }

  VarRef vars[3] = {var("x"), var("y"), var("z")};

 private:
  std::mt19937 engine_;
};

}  // namespace

class CanonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void writesAsTvm();
  void refusesToConclude();
  void usesWhatIsKnown();
  void forgetsWithTheScope();
  void remembersByWhatHolds();
  void vectors();
  void keepsValues();
  void deducesBounds();
  void keepsDeepExpressions();
};

void CanonTest::writesAsTvm() {
  Canon canon;
  const VarRef x = var("x"), y = var("y"), n = var("n");
  canon.bind(x, c(0), c(8));
  canon.bind(y, c(0), c(4));
  const PrimExpr flat = add(mul(x, c(4)), y);
  struct Form {
    PrimExpr given, wanted;
  };
  const Form forms[] = {
      {floorDiv(flat, c(4)), x},
      {floorMod(flat, c(4)), y},
      {sub(add(n, c(3)), c(5)), sub(n, c(2))},
      {add(c(2), n), add(n, c(2))},
      {mul(c(3), add(n, c(1))), add(mul(n, c(3)), c(3))},
      {add(mul(floorDiv(n, c(4)), c(4)), floorMod(n, c(4))), n},
      {floorDiv(floorDiv(n, c(2)), c(3)), floorDiv(n, c(6))},
      {floorMod(add(n, c(7)), c(3)), floorMod(add(n, c(1)), c(3))},
      {min(min(n, c(4)), c(2)), min(n, c(2))},
      {max(add(n, c(1)), add(n, c(2))), add(n, c(2))},
      {ge(n, c(3)), le(c(3), n)},
      {lt(mul(n, c(4)), c(10)), lt(n, c(3))},
      {make<Not>(lt(n, x)), le(x, n)},
      {lt(x, c(8)), boolImm(true)},
      {make<And>(lt(n, c(3)), lt(c(5), n)), boolImm(false)},
      {make<Select>(lt(n, c(3)), x, x), x},
  };
  for (const Form& form : forms) {
    const PrimExpr got = canon.simplify(form.given);
    QVERIFY2(sameExpr(got, form.wanted), qPrintable(QString("form %1").arg(&form - forms)));
  }
}

void CanonTest::refusesToConclude() {
  Canon canon;
  const VarRef n = var("n"), m = var("m"), u = var("u", DataType::UInt(32));
  QVERIFY(!canon.canProve(lt(n, m)));
  QVERIFY(!canon.canProve(lt(n, add(n, m))));
  QVERIFY(!canon.canProveEqual(floorMod(n, c(4)), c(0)));
  // Truncated quotients of what may be negative, and unsigned numbers, which wrap, keep their parts.
  const PrimExpr truncated = make<Div>(make<Add>(make<Mul>(n, c(4)), m), c(4));
  QVERIFY(!sameExpr(canon.simplify(truncated), add(n, truncDiv(m, c(4)))));
  const PrimExpr three = intImm(3, DataType::UInt(32));
  QVERIFY(isa<FloorDiv>(canon.simplify(make<FloorDiv>(make<Mul>(u, three), three))));
  // x / 0 has no value to fold to.
  QVERIFY(isa<FloorDiv>(canon.simplify(make<FloorDiv>(n, c(0)))));
}

void CanonTest::usesWhatIsKnown() {
  Canon canon;
  const VarRef n = var("n"), m = var("m"), k = var("k");
  canon.bind(m, add(n, c(2)));
  QVERIFY(sameExpr(canon.simplify(sub(m, n)), c(2)));
  const Canon::Scope scope(canon, lt(n, c(4)));
  const Canon::Scope multiple(canon, eq(floorMod(k, c(8)), c(3)));
  QVERIFY(canon.canProve(lt(n, c(5))));
  QVERIFY(canon.canProveEqual(floorMod(k, c(4)), c(3)));
  QVERIFY(!canon.canProve(lt(n, c(3))));
  canon.extensions.chainInequalities = true;
  const VarRef a = var("a"), b = var("b"), d = var("d");
  const Canon::Scope chain(canon, make<And>(lt(a, b), lt(b, d)));
  QVERIFY(canon.canProve(lt(a, d)));
  QVERIFY(canon.canProve(lt(add(a, c(1)), d)));
  QVERIFY(!canon.canProve(lt(add(a, c(2)), d)));
}

void CanonTest::forgetsWithTheScope() {
  Canon canon;
  const VarRef n = var("n");
  {
    const Canon::Scope scope(canon, lt(n, c(4)));
    QVERIFY(canon.canProve(lt(n, c(4))));
  }
  QVERIFY(!canon.canProve(lt(n, c(4))));
  // A later binding of a variable counts alone.
  canon.bind(n, c(0), c(8));
  QVERIFY(canon.canProve(lt(n, c(8))));
  canon.bind(n, c(0), c(16));
  QVERIFY(!canon.canProve(lt(n, c(8))));
}

void CanonTest::remembersByWhatHolds() {
  // One and the same node is asked for under changing facts, and under facts that were in force before.
  const VarRef n = var("n"), k = var("k");
  const PrimExpr small = lt(n, c(4)), asked = lt(n, c(8)), parted = floorDiv(add(mul(n, c(16)), k), c(16));
  Canon canon;
  for (int round = 0; round < 3; ++round) {
    QVERIFY(!canon.canProve(asked));
    {
      const Canon::Scope scope(canon, small);
      QVERIFY(canon.canProve(asked));
      const Canon::Scope inner(canon, lt(n, c(2)));
      QVERIFY(canon.canProve(lt(n, c(2))));
    }
    {
      const Canon::Scope scope(canon, le(c(8), n));
      QVERIFY(!canon.canProve(asked));
      QVERIFY(canon.canProve(make<Not>(asked)));
    }
  }
  QVERIFY(!sameExpr(canon.simplify(parted), n));
  {
    // What is learnt for good inside a scope counts outside too.
    const Canon::Scope scope(canon, small);
    canon.bind(k, c(0), c(16));
    QVERIFY(sameExpr(canon.simplify(parted), n));
  }
  QVERIFY(sameExpr(canon.simplify(parted), n));
}

void CanonTest::vectors() {
  Canon canon;
  const VarRef n = var("n");
  const PrimExpr four = c(4), lanes = ramp(n, c(1), four), eight = broadcast(c(8), four);
  QVERIFY(sameExpr(canon.simplify(make<Add>(lanes, eight)), ramp(add(n, c(8)), c(1), four)));
  QVERIFY(sameExpr(canon.simplify(make<Mul>(lanes, eight)), ramp(mul(n, c(8)), c(8), four)));
  const PrimExpr rows = make<FloorDiv>(ramp(mul(n, c(8)), c(1), four), eight);
  QVERIFY(sameExpr(canon.simplify(rows), broadcast(n, four)));
  QVERIFY(isa<FloorDiv>(canon.simplify(make<FloorDiv>(lanes, eight))));
}

void CanonTest::keepsValues() {
  Random random(11);
  int changed = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool truth = round % 3 == 0;
    const PrimExpr given = truth ? random.condition(3) : random.integer(3);
    Canon canon;
    canon.extensions.andOfOrs = round % 5 == 0;
    canon.extensions.branchConstraints = round % 7 == 0;
    canon.extensions.chainInequalities = round % 2 == 0;
    canon.bind(random.vars[0], c(0), c(8));
    canon.bind(random.vars[1], c(-5), c(11));
    const PrimExpr simple = canon.simplify(given);
    changed += simple != given;
    const ConstIntBound bound = canon.boundOf(given);
    for (int point = 0; point < 20; ++point) {
      const std::unordered_map<const Node*, int64_t> env{{random.vars[0].get(), random.number(0, 7)},
                                                         {random.vars[1].get(), random.number(-5, 5)},
                                                         {random.vars[2].get(), random.number(-20, 20)}};
      const auto before = valueOf(given, env), after = valueOf(simple, env);
      if (!before) continue;
      QVERIFY2(before == after, qPrintable(textOf(given) + " became " + textOf(simple)));
      QVERIFY(bound.min <= *before && *before <= bound.max);
    }
  }
  QVERIFY(changed > 2000);
}

void CanonTest::deducesBounds() {
  const VarRef i = var("i"), j = var("j"), n = var("n");
  Domains relaxed{{j.get(), IntSet::fromRange(c(0), c(4))}};
  const auto below = deduceBound(i, lt(add(mul(i, c(4)), j), n), {}, relaxed);
  QVERIFY(below && !below->min && below->max);
  Canon canon;
  QVERIFY(canon.canProveEqual(below->max, floorDiv(sub(n, c(4)), c(4))));
  QVERIFY(!deduceBound(i, lt(mul(i, n), c(4)), {}, relaxed));
  QVERIFY(!deduceBound(i, lt(add(i, i), c(4)), {}, relaxed));
  QVERIFY(!deduceBound(i, ne(i, c(4)), {}, relaxed));
}

void CanonTest::keepsDeepExpressions() {
  const VarRef n = var("n");
  PrimExpr sum = n, both = lt(n, c(1));
  for (int i = 0; i < 100000; ++i) {
    sum = make<Add>(sum, c(1));
    both = make<And>(both, lt(n, c(i)));
  }
  Canon canon;
  QCOMPARE(canon.simplify(sum), sum);
  const Canon::Scope scope(canon, both);
  QVERIFY(!canon.canProve(both));
}

QTEST_APPLESS_MAIN(CanonTest)
#include "tst_canon.moc"
