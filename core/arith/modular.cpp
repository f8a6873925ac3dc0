// Source of the rules: congruences as TVM v0.25 has them (src/arith/modular_set.cc).
#include "core/arith/modular.h"

#include <bit>
#include <cmath>
#include <numeric>

#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

constexpr ModularSet kAll{};

/// The set with base in [0, coeff); values that leave 64 bits say nothing.
ModularSet normal(__int128 coeff, __int128 base) {
  constexpr __int128 kMost = ConstIntBound::kPosInf;
  if (coeff < 0) {
    coeff = -coeff;
    base = -base;
  }
  if (coeff > kMost) return kAll;
  if (coeff != 0) base = (base % coeff + coeff) % coeff;
  if (base > kMost || base < -kMost) return kAll;
  return {static_cast<int64_t>(coeff), static_cast<int64_t>(base)};
}

ModularSet join(ModularSet a, ModularSet b) {
  const int64_t coeff = std::gcd(a.coeff, b.coeff);
  if (coeff == 0) return a.base == b.base ? a : kAll;
  const int64_t x = a.base % coeff, y = b.base % coeff;
  return x == y ? normal(coeff, x) : normal(std::gcd(std::gcd(x, y), coeff), x);
}

/// Numbers x, y with a * x + b * y = gcd(a, b), which is returned.
int64_t bezout(int64_t a, int64_t b, int64_t& x, int64_t& y) {
  x = 1, y = 0;
  int64_t nextX = 0, nextY = 1;
  while (b != 0) {
    const int64_t q = a / b;
    a = std::exchange(b, a - q * b);
    x = std::exchange(nextX, x - q * nextX);
    y = std::exchange(nextY, y - q * nextY);
  }
  return a;
}

/// What lies in both; the empty set is written as the constant 1, as in TVM.
ModularSet meet(ModularSet a, ModularSet b) {
  int64_t x = 0, y = 0;
  const int64_t common = bezout(a.coeff, b.coeff, x, y), apart = b.base - a.base;
  if (common == 0) return apart == 0 ? a : ModularSet{0, 1};
  if (apart % common != 0) return {0, 1};
  const __int128 steps = static_cast<__int128>(apart / common) * x;
  return normal(static_cast<__int128>(a.coeff / common) * b.coeff, steps * a.coeff + a.base);
}

}  // namespace

ModularSet ModularSets::of(const PrimExpr& expr) {
  if (const auto* imm = as<IntImm>(expr)) return {0, imm->value};
  if (const ModularSet* known = cache_.find(expr.get(), inForce_)) return *known;
  const ModularSet set = compute(*expr);
  cache_.put(expr, inForce_, set);
  return set;
}

ModularSet ModularSets::compute(const ExprNode& expr) {
  if (const auto* var = as<Var>(&expr)) {
    const auto found = vars_.find(var);
    return found == vars_.end() ? kAll : found->second.first;
  }
  if (const auto* binary = as<BinaryNode>(&expr); binary && expr.kind() <= Kind::tir_Max) return computeBinary(*binary);
  if (const auto* convert = as<Cast>(&expr)) return convert->value->dtype.isIntegral() ? of(convert->value) : kAll;
  if (const auto* select = as<Select>(&expr)) return join(of(select->trueValue), of(select->falseValue));
  if (const auto* call = as<Call>(&expr)) return computeCall(*call);
  return kAll;
}

ModularSet ModularSets::computeBinary(const BinaryNode& node) {
  const ModularSet b = of(node.b);
  const bool divides = node.kind() >= Kind::tir_Div && node.kind() <= Kind::tir_FloorMod;
  if (divides) {
    if (b.coeff != 0 || b.base == 0) return kAll;
    const bool down = node.kind() == Kind::tir_FloorDiv || node.kind() == Kind::tir_FloorMod;
    const bool whole = node.kind() == Kind::tir_Div || node.kind() == Kind::tir_FloorDiv;
    return whole ? quotient(node.a, b.base, down) : remainder(node.a, b.base, down);
  }
  const ModularSet a = of(node.a);
  using Wide = __int128;
  switch (node.kind()) {
    case Kind::tir_Add:
      return normal(std::gcd(a.coeff, b.coeff), Wide{a.base} + b.base);
    case Kind::tir_Sub:
      return normal(std::gcd(a.coeff, b.coeff), Wide{a.base} - b.base);
    case Kind::tir_Mul: {
      int64_t pq = 0, pm = 0, qn = 0;
      if (__builtin_mul_overflow(a.coeff, b.coeff, &pq) || __builtin_mul_overflow(a.coeff, b.base, &pm) ||
          __builtin_mul_overflow(a.base, b.coeff, &qn)) {
        return kAll;
      }
      return normal(std::gcd(pq, std::gcd(pm, qn)), Wide{a.base} * b.base);
    }
    default:
      return join(a, b);
  }
}

ModularSet ModularSets::quotient(const PrimExpr& a, int64_t by, bool down) {
  const ModularSet set = of(a);
  if (set.coeff % by != 0) return kAll;
  if (set.base == 0) return normal(std::abs(set.coeff / by), 0);
  const bool rounds = set.base > 0 && by > 0 && (down || facts_.isAtLeast(a, 0));
  return rounds ? normal(set.coeff / by, set.base / by) : kAll;
}

ModularSet ModularSets::remainder(const PrimExpr& a, int64_t by, bool down) {
  const ModularSet set = of(a);
  const int64_t coeff = std::gcd(set.coeff, by);
  if (set.base % coeff == 0 || (set.base > 0 && (down || facts_.isAtLeast(a, 0)))) {
    return normal(coeff, set.base % coeff);
  }
  return kAll;
}

ModularSet ModularSets::computeCall(const Call& call) {
  const bool left = asIntrinsic(&call, "shift_left"), right = asIntrinsic(&call, "shift_right");
  if (call.args.size() != 2 || !(left || right || asIntrinsic(&call, "bitwise_and"))) return kAll;
  const ModularSet b = of(call.args[1]);
  if (b.coeff != 0 || b.base < 0) return kAll;
  if (left || right) {
    if (b.base >= 62) return kAll;
    const int64_t factor = int64_t{1} << b.base;
    if (right) return quotient(call.args[0], factor, true);
    const ModularSet a = of(call.args[0]);
    return normal(static_cast<__int128>(a.coeff) * factor, static_cast<__int128>(a.base) * factor);
  }
  const int64_t size = b.base + 1;
  return size > 0 && std::has_single_bit(static_cast<uint64_t>(size)) ? remainder(call.args[0], size, true) : kAll;
}

void ModularSets::set(const VarRef& var, ModularSet value) {
  vars_[var.get()] = {normal(value.coeff, value.base), var};
  forget();
}

void ModularSets::narrow(const VarRef& var, ModularSet to) {
  const auto found = vars_.find(var.get());
  const ModularSet before = found == vars_.end() ? kAll : found->second.first;
  undo_.push_back({var, before});
  const ModularSet both = meet(before, to);
  vars_[var.get()] = {normal(both.coeff, both.base), var};
}

void ModularSets::enter(const PrimExpr& condition) {
  const auto* equal = as<EQ>(condition);
  if (!equal) return;
  const auto base = asInt(equal->b);
  const auto* left = as<BinaryNode>(equal->a);
  const bool remainder = left && (isa<Mod>(equal->a) || isa<FloorMod>(equal->a));
  if (remainder && base && isa<Var>(left->a) && asInt(left->b)) {
    narrow(refAs<Var>(left->a), normal(*asInt(left->b), *base));
  } else if (isa<Var>(equal->a) && base) {
    narrow(refAs<Var>(equal->a), normal(1, *base));
  } else if (isa<Var>(equal->b) && asInt(equal->a)) {
    narrow(refAs<Var>(equal->b), normal(1, *asInt(equal->a)));
  }
}

void ModularSets::leave(size_t count) {
  while (undo_.size() > count) {
    const Undo last = std::move(undo_.back());
    undo_.pop_back();
    vars_[last.var.get()] = {last.before, last.var};
  }
}

}  // namespace rx::arith
