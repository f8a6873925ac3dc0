#include <pthread.h>

#include <QtTest>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/relax.h"

using namespace rx;
using namespace rx::tir;
using namespace rx::arith;

namespace {

VarRef var(const char* name) { return make<Var>(name, DataType::Int(64)); }
PrimExpr c(int64_t v) { return intImm(v); }

void* runTask(void* task) {
  (*static_cast<std::function<void()>*>(task))();
  return nullptr;
}
void onSmallStack(std::function<void()> task) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 256 * 1024);
  pthread_t thread;
  QCOMPARE(pthread_create(&thread, &attr, runTask, &task), 0);
  pthread_join(thread, nullptr);
}

}  // namespace

class ArithTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void foldsConstants();
  void collectsSums();
  void divides();
  void comparesAndBounds();
  void writesAsTvm();
  void provesProducts();
  void provesNothingFalse();
  void invertsIteratorMaps();
  void longChains();
};

void ArithTest::foldsConstants() {
  QVERIFY(sameExpr(add(c(2), c(3)), c(5)));
  PrimExpr top = c(std::numeric_limits<int64_t>::max());
  QVERIFY(isa<Add>(add(top, c(1))));
  QVERIFY(isa<FloorDiv>(floorDiv(c(1), c(0))));
  QCOMPARE(*asInt(floorDiv(c(-7), c(2))), -4);
  QCOMPARE(*asInt(floorMod(c(-7), c(2))), 1);
  PrimExpr mixed = add(intImm(1, DataType::Int(32)), var("n"));
  QCOMPARE(mixed->dtype, DataType::Int(64));
  Analyzer a;
  QVERIFY(isa<Add>(a.simplify(make<Add>(top, c(1)))));
}

void ArithTest::collectsSums() {
  Analyzer a;
  VarRef n = var("n"), m = var("m");
  QVERIFY(sameExpr(a.simplify(sub(add(n, m), m)), n));
  QVERIFY(sameExpr(a.simplify(floorDiv(mul(n, c(2)), c(2))), n));
  QVERIFY(a.canProveEqual(mul(n, c(4)), mul(c(4), n)));
  QVERIFY(sameExpr(a.simplify(sub(add(n, c(3)), add(m, c(5)))), sub(sub(n, m), c(2))));
  QVERIFY(sameExpr(a.simplify(add(mul(floorDiv(n, c(4)), c(4)), floorMod(n, c(4)))), n));
}

void ArithTest::divides() {
  Analyzer a;
  VarRef i = var("i"), j = var("j"), n = var("n"), k = var("k");
  a.bind(i, Range(c(0), c(8)));
  a.bind(j, Range(c(0), c(4)));
  a.bind(k, Range(c(0), n));
  a.markNonNegative(n);
  PrimExpr flat = add(mul(i, c(4)), j);
  QVERIFY(sameExpr(a.simplify(floorDiv(flat, c(4))), i));
  QVERIFY(sameExpr(a.simplify(floorMod(flat, c(4))), j));
  QVERIFY(sameExpr(a.simplify(floorDiv(flat, c(8))), floorDiv(i, c(2))));
  QVERIFY(sameExpr(a.simplify(floorMod(flat, c(12))), add(mul(floorMod(i, c(3)), c(4)), j)));
  QVERIFY(sameExpr(a.simplify(floorDiv(add(mul(i, n), k), n)), i));
  QVERIFY(sameExpr(a.simplify(floorMod(add(mul(i, n), k), n)), k));
}

void ArithTest::comparesAndBounds() {
  Analyzer a;
  VarRef i = var("i"), n = var("n");
  a.bind(i, Range(c(0), c(8)));
  QVERIFY(a.canProve(lt(i, c(8))));
  QVERIFY(!a.canProve(lt(i, c(7))));
  QVERIFY(sameExpr(a.simplify(ge(i, c(1))), le(c(1), i)));
  QVERIFY(sameExpr(a.simplify(min(i, c(9))), i));
  QCOMPARE(a.constIntBound(add(mul(i, c(2)), c(1))), (ConstIntBound{1, 15}));
  QVERIFY(!a.canProve(ge(n, c(0))));
  {
    Analyzer::Constraint assume(a, ge(n, c(3)));
    QVERIFY(a.canProve(ge(n, c(0))));
  }
  QVERIFY(!a.canProve(ge(n, c(0))));
  a.markPositive(n);
  QVERIFY(a.canProve(ge(n, c(0))));
}

void ArithTest::writesAsTvm() {
  Analyzer a;
  VarRef x = var("x"), y = var("y"), z = var("z");
  PrimExpr zero = c(0);
  // A product by -1 stays one, a difference from 0 too; larger multiples become products.
  QVERIFY(sameExpr(a.simplify(make<Mul>(x, c(-1))), make<Mul>(x, c(-1))));
  QVERIFY(sameExpr(a.simplify(make<Sub>(zero, x)), make<Sub>(zero, x)));
  QVERIFY(sameExpr(a.simplify(make<Sub>(zero, make<Mul>(x, c(2)))), make<Mul>(x, c(-2))));
  // A factor leaves a minimum where it divides the limit.
  QVERIFY(sameExpr(a.simplify(make<Max>(mul(x, c(2)), c(4))), make<Mul>(max(x, c(2)), c(2))));
  QVERIFY(sameExpr(a.simplify(make<Max>(make<Mul>(x, c(-2)), c(4))), make<Mul>(min(x, c(-2)), c(-2))));
  QVERIFY(sameExpr(a.simplify(make<Max>(mul(x, c(2)), c(3))), max(mul(x, c(2)), c(3))));
  QVERIFY(sameExpr(a.simplify(lt(x, add(y, c(1)))), le(x, y)));
  QVERIFY(sameExpr(a.simplify(lt(x, add(y, c(2)))), lt(x, add(y, c(2)))));
  // A multiple of the divisor leaves a sum of two only.
  a.markPositive(y);
  QVERIFY(sameExpr(a.simplify(floorDiv(add(x, y), y)), add(floorDiv(x, y), c(1))));
  PrimExpr three = floorDiv(sub(add(x, y), z), y);
  QVERIFY(sameExpr(a.simplify(three), three));
}

void ArithTest::provesProducts() {
  Analyzer a;
  VarRef n = var("n"), m = var("m");
  QVERIFY(a.canProveEqual(mul(n, m), mul(m, n)));
  QVERIFY(a.canProveEqual(mul(add(n, c(1)), m), add(mul(n, m), m)));
  QVERIFY(a.canProveEqual(floorDiv(mul(n, m), m), n));
  QVERIFY(a.canProveEqual(mul(mul(n, c(2)), mul(m, c(3))), mul(mul(m, n), c(6))));
}

void ArithTest::provesNothingFalse() {
  Analyzer a;
  VarRef n = var("n"), m = var("m");
  QVERIFY(!a.canProveEqual(n, m));
  QVERIFY(!a.canProveEqual(mul(n, m), mul(n, n)));
  QVERIFY(!a.canProveEqual(floorMod(n, c(4)), c(0)));
  // Random check: a simplified expression has the value of the original.
  std::srand(7);
  VarRef vars[] = {var("x"), var("y")};
  auto evaluate = [&](const PrimExpr& e, int64_t x, int64_t y) {
    Analyzer value;
    value.bind(vars[0], c(x));
    value.bind(vars[1], c(y));
    return asInt(value.simplify(e));
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<PrimExpr> pool{vars[0], vars[1], c(std::rand() % 7 + 1), c(std::rand() % 12 + 1)};
    const Kind kinds[] = {Kind::tir_Add, Kind::tir_Sub, Kind::tir_Mul, Kind::tir_Min, Kind::tir_Max};
    for (int i = 0; i < 6; ++i) {
      PrimExpr l = pool[static_cast<size_t>(std::rand()) % pool.size()];
      PrimExpr r = pool[static_cast<size_t>(std::rand()) % pool.size()];
      if (std::rand() % 2) {
        PrimExpr d = c(std::rand() % 9 + 1);
        pool.push_back(std::rand() % 2 ? PrimExpr(make<FloorDiv>(l, d)) : PrimExpr(make<FloorMod>(l, d)));
      } else {
        pool.push_back(makeBinary(kinds[std::rand() % 5], l, r));
      }
    }
    Analyzer free;
    free.bind(vars[0], Range(c(0), c(20)));
    free.bind(vars[1], Range(c(-5), c(11)));
    PrimExpr simple = free.simplify(pool.back());
    for (int64_t x : {0, 3, 11, 19}) {
      for (int64_t y : {-5, 0, 5}) QCOMPARE(evaluate(simple, x, y), evaluate(pool.back(), x, y));
    }
  }
}

void ArithTest::invertsIteratorMaps() {
  const VarRef i = var("i"), j = var("j"), x = var("x"), y = var("y");
  const IterRange iters[] = {{i, c(0), c(8)}, {j, c(0), c(4)}};
  const PrimExpr indices[] = {add(mul(floorMod(i, c(2)), c(4)), j), floorDiv(i, c(2))}, values[] = {x, y};
  Analyzer a;
  const auto sums = detectIterMap({indices, iters, nullptr, IterMapLevel::Bijective}, a);
  QVERIFY(sums);
  const auto inverse = invertIterMap(*sums, values, a);
  QVERIFY(inverse);
  for (int64_t at = 0; at < 32; ++at) {
    const VarMap there{{i.get(), c(at / 4)}, {j.get(), c(at % 4)}};
    const VarMap back{{x.get(), a.simplify(substitute(indices[0], there))},
                      {y.get(), a.simplify(substitute(indices[1], there))}};
    QCOMPARE(*asInt(a.simplify(substitute(inverse->at(i.get()), back))), at / 4);
    QCOMPARE(*asInt(a.simplify(substitute(inverse->at(j.get()), back))), at % 4);
  }
  // Values between those of the map come from nowhere.
  const PrimExpr twice[] = {mul(i, c(2))};
  const auto gaps = detectIterMap({twice, std::span(iters).first(1), nullptr, IterMapLevel::NoCheck}, a);
  QVERIFY(gaps);
  QVERIFY(!invertIterMap(*gaps, std::span(values).first(1), a));
  QVERIFY(!invertIterMap(*sums, std::span(values).first(1), a));
}

void ArithTest::longChains() {
  onSmallStack([] {
    VarRef n = var("n"), m = var("m");
    PrimExpr sum = n, quotient = n, tree = n;
    for (int i = 0; i < 100000; ++i) {
      sum = make<Add>(sum, i % 2 ? PrimExpr(n) : PrimExpr(m));
      quotient = make<FloorDiv>(make<Add>(quotient, m), c(3));
      tree = make<Max>(tree, make<Min>(m, tree));
    }
    Analyzer a;
    QVERIFY(a.canProveEqual(sum, add(mul(n, c(50001)), mul(m, c(50000)))));
    QVERIFY(a.simplify(quotient));
    PrimExpr both = boolImm(true);
    for (int i = 0; i < 100000; ++i) both = make<And>(both, lt(n, add(m, c(i))));
    QVERIFY(!a.canProve(both));
    QVERIFY(!a.canProve(make<Not>(both)));
    PrimExpr twice = n, square = n;
    for (int i = 0; i < 50; ++i) twice = make<Add>(twice, twice);
    for (int i = 0; i < 200; ++i) square = make<Mul>(square, square);
    QVERIFY(a.canProveEqual(twice, mul(n, c(int64_t{1} << 50))));
    QVERIFY(a.simplify(square));
  });
}

QTEST_APPLESS_MAIN(ArithTest)
#include "tst_arith.moc"
