#include "core/transform/kernel_symbols.h"

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"

namespace rx::transform {

using tir::PrimExpr;

bool KernelSymbols::match(const Array<PrimExpr>& declared, const Array<PrimExpr>& actual) {
  if (declared.size() != actual.size()) return false;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!match(declared[i], actual[i])) return false;
  }
  return true;
}

bool KernelSymbols::match(const PrimExpr& declared, const PrimExpr& actual) {
  std::vector<std::pair<PrimExpr, PrimExpr>> open{{declared, actual}};
  while (!open.empty()) {
    const auto [ours, theirs] = open.back();
    open.pop_back();
    if (ours == theirs) continue;
    if (ours->dtype.code != theirs->dtype.code) return false;
    const auto* binary = as<tir::BinaryNode>(ours);
    const auto* cast = as<tir::Cast>(ours);
    if (const auto* symbol = as<tir::Var>(ours)) {
      auto [known, isNew] = values_.try_emplace(symbol, arith::cast(ours->dtype, theirs));
      if (!isNew && !canHold(known->second, theirs)) return false;
    } else if (binary && binary->kind() == theirs->kind()) {
      const auto* other = as<tir::BinaryNode>(theirs);
      open.emplace_back(binary->b, other->b);
      open.emplace_back(binary->a, other->a);
    } else if (cast && isa<tir::Cast>(theirs)) {
      open.emplace_back(cast->value, as<tir::Cast>(theirs)->value);
    } else if (!canHold(ours, theirs)) {
      return false;
    }
  }
  return true;
}

bool KernelSymbols::canHold(const PrimExpr& a, const PrimExpr& b) const {
  arith::Analyzer analyzer;
  const PrimExpr given = arith::cast(a->dtype, b);
  const PrimExpr same = analyzer.simplify(make<tir::EQ>(arith::substitute(a, values_), given));
  const auto* answer = as<tir::IntImm>(same);
  return !answer || answer->value != 0;
}

}  // namespace rx::transform
