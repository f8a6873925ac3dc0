#include "core/transform/symbol_binding.h"

#include <algorithm>

#include "core/support/stack.h"

namespace rx::transform {

namespace {

using SymbolValues = std::vector<std::pair<tir::VarRef, tir::PrimExpr>>;

/// The dimensions of a tensor or shape, or nothing where they are not known.
const Array<tir::PrimExpr>* dimensions(const relax::StructInfo& info) {
  if (const auto* shape = as<relax::ShapeStructInfo>(info)) return shape->known ? &shape->values : nullptr;
  const auto* tensor = as<relax::TensorStructInfo>(info);
  if (!tensor || !tensor->shape) return nullptr;
  if (const auto* shape = as<relax::ShapeExpr>(tensor->shape)) return &shape->values;
  return dimensions(tensor->shape->sinfo);
}

void collect(const relax::StructInfo& declared, const relax::StructInfo& actual, SymbolValues& out) {
  if (!declared || !actual) return;
  const auto* tuple = as<relax::TupleStructInfo>(declared);
  const auto* values = as<relax::TupleStructInfo>(actual);
  if (tuple && values && tuple->items.size() == values->items.size()) {
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      withStack([&] { collect(tuple->items[i], values->items[i], out); });
    }
    return;
  }
  if (declared->kind() != actual->kind()) return;
  const Array<tir::PrimExpr>* dims = dimensions(declared);
  const Array<tir::PrimExpr>* now = dimensions(actual);
  if (!dims || !now || dims->size() != now->size()) return;
  for (size_t i = 0; i < dims->size(); ++i) {
    auto symbol = refAs<tir::Var>((*dims)[i]);
    if (!symbol) continue;
    auto known = std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == symbol; });
    if (known == out.end()) {
      out.emplace_back(symbol, (*now)[i]);
    } else {
      known->second = (*now)[i];
    }
  }
}

}  // namespace

SymbolValues symbolValues(const relax::StructInfo& declared, const relax::StructInfo& actual) {
  SymbolValues out;
  collect(declared, actual, out);
  return out;
}

}  // namespace rx::transform
