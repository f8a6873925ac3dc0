// Source of the steps: TVM v0.25 (src/arith/canonical_simplify.cc).
#include "core/arith/canonicalizer.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/state.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

PrimExpr Canonicalizer::written(const Form& form) {
  if (const auto* expr = std::get_if<PrimExpr>(&form)) return *expr;
  if (const auto* term = std::get_if<Term>(&form)) return term->write();
  return std::get<Sum>(form).write();
}

Term Canonicalizer::asTerm(const Form& form) {
  if (const auto* term = std::get_if<Term>(&form)) return *term;
  if (const auto* sum = std::get_if<Sum>(&form); sum && sum->base == 0 && sum->terms.size() == 1) return sum->terms[0];
  Term term;
  term.index = written(form);
  term.dtype = term.index->dtype;
  return term;
}

Sum Canonicalizer::asSum(const Form& form) {
  if (const auto* sum = std::get_if<Sum>(&form)) return *sum;
  Sum sum(DataType::Int(32));
  if (const auto* expr = std::get_if<PrimExpr>(&form); expr && asInt(*expr)) {
    sum.dtype = (*expr)->dtype;
    sum.base = *asInt(*expr);
    return sum;
  }
  Term term = asTerm(form);
  sum.dtype = term.dtype;
  sum.terms.push_back(std::move(term));
  return sum;
}

Term Canonicalizer::withRounding(Term term, bool floor) {
  if (!term.agrees(floor)) term = asTerm(term.write());
  term.floor = floor;
  return term;
}

PrimExpr Canonicalizer::visit(const PrimExpr& expr) {
  if (isa<IntImm>(expr) || isa<FloatImm>(expr) || isa<StringImm>(expr)) return expr;
  const Form form = mutate(expr);
  PrimExpr value = written(form);
  return std::holds_alternative<PrimExpr>(form) || !quicklySame(value, expr, 64) ? value : expr;
}

void Canonicalizer::forget() {
  Rewriter::forget();
  forms_.clear();
}

Canonicalizer::Form Canonicalizer::mutate(const PrimExpr& expr) {
  if (isa<IntImm>(expr)) return expr;
  if (const Form* known = forms_.find(expr.get(), canon_.facts_)) return *known;
  Form form = mutateNode(expr);
  forms_.put(expr, canon_.facts_, form);
  return form;
}

Canonicalizer::Form Canonicalizer::mutateNode(const PrimExpr& expr) {
  const Kind kind = expr->kind();
  if (kind == Kind::tir_LT) return mutateLess(expr);
  if (!isIndexType(expr->dtype)) return visitNode(expr);
  switch (kind) {
    case Kind::tir_Add:
    case Kind::tir_Sub:
      return mutateSum(expr);
    case Kind::tir_Mul:
      return mutateProduct(expr);
    case Kind::tir_Div:
    case Kind::tir_Mod:
    case Kind::tir_FloorDiv:
    case Kind::tir_FloorMod:
      return mutateDivision(expr);
    case Kind::tir_Cast:
      return mutateCast(expr);
    default:
      return visitNode(expr);
  }
}

namespace {

/// Constants fold where both operands are written out already.
PrimExpr folded(Kind op, const PrimExpr* a, const PrimExpr* b) {
  if (a && b) return tryFold(op, *a, *b);
  return nullptr;
}

/// Factors in their order, constants as one factor at the end.
PrimExpr productOf(const PrimExpr& a, const PrimExpr& b) {
  int64_t scale = 1;
  PrimExpr value = intImm(1, a->dtype);
  for (const PrimExpr& side : {a, b})
    for (const PrimExpr& factor : factorsOf(side, scale)) value = mul(value, factor);
  return scale == 1 ? value : mul(value, intImm(scale, value->dtype));
}

}  // namespace

Canonicalizer::Form Canonicalizer::mutateSum(const PrimExpr& expr) {
  const auto* node = as<BinaryNode>(expr);
  const Form a = mutate(node->a), b = mutate(node->b);
  const auto *left = std::get_if<PrimExpr>(&a), *right = std::get_if<PrimExpr>(&b);
  if (PrimExpr value = folded(expr->kind(), left, right)) return value;
  // Zero on one side leaves the other in its parts.
  if (left && isa<Add>(expr) && isZero(*left)) return b;
  if (right && isZero(*right)) return a;
  Sum sum = asSum(a);
  const int64_t sign = isa<Add>(expr) ? 1 : -1;
  if (right && asInt(*right)) {
    sum.base += sign * *asInt(*right);
  } else if (const auto* other = std::get_if<Sum>(&b)) {
    sum.add(*other, sign);
  } else {
    sum.add(asTerm(b), sign);
  }
  return sum;
}

Canonicalizer::Form Canonicalizer::mutateProduct(const PrimExpr& expr) {
  const auto* node = as<BinaryNode>(expr);
  Form a = mutate(node->a), b = mutate(node->b);
  if (PrimExpr value = folded(Kind::tir_Mul, std::get_if<PrimExpr>(&a), std::get_if<PrimExpr>(&b))) return value;
  const auto constant = [](const Form& f) {
    const auto* e = std::get_if<PrimExpr>(&f);
    return e ? asInt(*e) : std::nullopt;
  };
  if (constant(a)) std::swap(a, b);
  if (const auto scale = constant(b)) {
    if (*scale == 1) return a;
    if (*scale == 0) return b;
    if (auto* sum = std::get_if<Sum>(&a)) {
      sum->multiply(*scale);
      return a;
    }
    Term term = asTerm(a);
    term.scale *= *scale;
    return term;
  }
  const PrimExpr value = productOf(written(a), written(b));
  const auto* product = as<Mul>(value);
  return product && product->a == node->a && product->b == node->b ? expr : value;
}

Canonicalizer::Form Canonicalizer::mutateLess(const PrimExpr& expr) {
  // A sum below 0 whose coefficients have a common divisor: what is left over decides nothing.
  const auto* less = as<BinaryNode>(expr);
  if (!isIndexType(less->a->dtype)) return visitNode(expr);
  const Form form = mutate(sub(less->a, less->b));
  const auto* sum = std::get_if<Sum>(&form);
  if (!sum) return visitNode(expr);
  int64_t divisor = sum->base;
  bool scaled = false;
  for (const Term& term : sum->terms) {
    if (term.scale >= -1 && term.scale <= 1) continue;
    scaled = true;
    divisor = std::gcd(divisor, term.scale);
  }
  divisor = std::abs(divisor);
  if (!scaled || divisor <= 1) return visitNode(expr);
  auto [multiple, rest] = partsOf(*sum, divisor);
  const auto number = [&](int64_t v) { return intImm(v, sum->dtype); };
  const PrimExpr left = rest.write();
  if (canon_.canProve(lt(left, number(divisor))) && canon_.canProve(ge(left, number(0)))) {
    multiple.divide(divisor);
    return mutate(lt(multiple.write(), number(0)));
  }
  if (rest.terms.size() != 1) return visitNode(expr);
  const Term& last = rest.terms.front();
  const bool bounded = last.upper != Term::kNoUpper && last.upper % (divisor * last.lower) == 0;
  if (last.scale != 1 || !bounded) return visitNode(expr);
  multiple.divide(divisor);
  const int64_t lower = divisor * last.lower;
  const PrimExpr part = floorMod(floorDiv(last.index, number(lower)), number(last.upper / lower));
  return mutate(lt(add(multiple.write(), part), number(0)));
}

bool Canonicalizer::fits(DataType type, const PrimExpr& value) {
  if (!isIndexType(type)) return false;
  if (value->dtype.bits <= type.bits) return true;
  const ConstIntBound bound = canon_.boundOf(value), all = boundOfType(type);
  return bound.max <= all.max && bound.min >= all.min;
}

bool Canonicalizer::castsInside(const Term& term, DataType type) {
  if (type.bits >= term.dtype.bits || term.scale == 0) return true;
  // Each step of the term must fit.
  Term step = term;
  step.scale = 1;
  step.lower = 1;
  step.upper = Term::kNoUpper;
  if (!fits(type, step.write())) return false;
  step.upper = term.upper;
  if (!fits(type, step.write())) return false;
  step.lower = term.lower;
  if (!fits(type, step.write())) return false;
  return fits(type, term.write());
}

bool Canonicalizer::castsInside(const Sum& sum, DataType type) {
  if (type.bits >= sum.dtype.bits) return true;
  const bool lowest = sum.base == boundOfType(type).min || sum.base == std::numeric_limits<int64_t>::min();
  PrimExpr value = intImm(0, type);
  const auto step = [&](PrimExpr next) {
    value = std::move(next);
    return fits(type, value);
  };
  for (const Term& term : sum.terms) {
    if (term.scale > 0 && !step(add(value, term.write()))) return false;
  }
  if ((sum.base > 0 || lowest) && !step(add(value, intImm(sum.base, type)))) return false;
  for (const Term& term : sum.terms) {
    if (term.scale < 0 && !step(sub(value, term.write(-1)))) return false;
  }
  if (sum.base < 0 && !lowest && !step(sub(value, intImm(-sum.base, type)))) return false;
  for (const Term& term : sum.terms) {
    if (!castsInside(term, type)) return false;
  }
  return true;
}

Canonicalizer::Form Canonicalizer::mutateCast(const PrimExpr& expr) {
  Form form = mutate(as<tir::Cast>(expr)->value);
  const auto convert = [&](Term& term) {
    term.index = cast(expr->dtype, term.index);
    term.dtype = expr->dtype;
  };
  if (auto* sum = std::get_if<Sum>(&form); sum && castsInside(*sum, expr->dtype)) {
    for (Term& term : sum->terms) convert(term);
    sum->dtype = expr->dtype;
    return form;
  }
  if (auto* term = std::get_if<Term>(&form); term && castsInside(*term, expr->dtype)) {
    convert(*term);
    return form;
  }
  return visitNode(expr);
}

}  // namespace rx::arith
