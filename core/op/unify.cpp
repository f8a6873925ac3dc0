// Least common ancestor and erasure.
#include <algorithm>

#include "core/arith/equal.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/op/lattice.h"
#include "core/op/shape_check.h"
#include "core/support/stack.h"

namespace rx::op {

using namespace relax;

namespace {

StructInfo unifyPrim(const StructInfo& a, const PrimStructInfo& x, const PrimStructInfo& y, InferContext& context) {
  if (x.dtype != y.dtype) return objectSinfo();
  if (!x.value) return a;
  if (y.value && equalValues(x.value, y.value, context)) return a;
  return make<PrimStructInfo>(x.dtype);
}

StructInfo unifyShape(const StructInfo& a, const ShapeStructInfo& x, const ShapeStructInfo& y, InferContext& context) {
  if (x.ndim != y.ndim) return make<ShapeStructInfo>(kUnknownDim);
  if (!x.known) return a;
  if (y.known && equalShapes(x.values, y.values, context)) return a;
  return make<ShapeStructInfo>(x.ndim);
}

bool equalShapeExprs(const Expr& a, const Expr& b, InferContext& context) {
  if (!a || !b) return a == b;
  if (a == b) return true;
  const auto* x = as<ShapeExpr>(a);
  const auto* y = as<ShapeExpr>(b);
  return x && y && equalShapes(x->values, y->values, context);
}

StructInfo unifyTensor(const StructInfo& a, const TensorStructInfo& x, const TensorStructInfo& y,
                       InferContext& context) {
  const DataType dtype = x.dtype == y.dtype ? x.dtype : DataType::Void();
  const int64_t ndim = x.ndim == y.ndim ? x.ndim : kUnknownDim;
  const Ref<ir::VDevice> device = sameDevice(x.vdevice, y.vdevice) ? x.vdevice : nullptr;
  const bool shapes = x.shape && equalShapeExprs(x.shape, y.shape, context);
  if (dtype == x.dtype && ndim == x.ndim && device == x.vdevice && (shapes || !x.shape)) return a;
  if (shapes) return make<TensorStructInfo>(x.shape, dtype, device);
  return make<TensorStructInfo>(dtype, ndim, device);
}

StructInfo unifyTuple(const StructInfo& a, const TupleStructInfo& x, const TupleStructInfo& y, InferContext& context) {
  if (x.items.size() != y.items.size()) return objectSinfo();
  std::vector<StructInfo> items;
  bool same = true;
  for (size_t i = 0; i < x.items.size(); ++i) {
    items.push_back(unifyStructInfo(x.items[i], y.items[i], context));
    same = same && items.back() == x.items[i];
  }
  return same ? a : tupleSinfo(std::move(items));
}

StructInfo unifyFunc(const StructInfo& a, const FuncStructInfo& x, const StructInfo& b, const FuncStructInfo& y,
                     InferContext& context) {
  const bool purity = x.purity && y.purity;
  if (!x.paramsKnown || !y.paramsKnown) {
    if (!x.deriveFunc.empty() || !y.deriveFunc.empty()) {
      if (x.deriveFunc == y.deriveFunc && x.purity == purity) return a;
      return FuncStructInfo::opaque(objectSinfo(), purity, x.deriveFunc == y.deriveFunc ? x.deriveFunc : Str());
    }
    StructInfo ret = unifyStructInfo(x.ret, y.ret, context);
    if (!x.paramsKnown && ret == x.ret && x.purity == purity) return a;
    return FuncStructInfo::opaque(ret, purity);
  }
  if (structuralEqual(a, b)) return a;
  StructInfo ret = unifyStructInfo(x.ret, y.ret, context);
  if (x.params.size() != y.params.size()) return FuncStructInfo::opaque(ret, purity);
  std::vector<StructInfo> params;
  for (size_t i = 0; i < x.params.size(); ++i) params.push_back(unifyStructInfo(x.params[i], y.params[i], context));
  return make<FuncStructInfo>(Array<StructInfo>(std::move(params)), ret, purity);
}

}  // namespace

StructInfo unifyStructInfo(const StructInfo& a, const StructInfo& b, InferContext& context) {
  if (a == b) return a;
  if (a->kind() != b->kind()) return objectSinfo();
  if (const auto* x = as<PrimStructInfo>(a)) return unifyPrim(a, *x, *as<PrimStructInfo>(b), context);
  if (const auto* x = as<ShapeStructInfo>(a)) return unifyShape(a, *x, *as<ShapeStructInfo>(b), context);
  if (const auto* x = as<TensorStructInfo>(a)) return unifyTensor(a, *x, *as<TensorStructInfo>(b), context);
  if (const auto* x = as<TupleStructInfo>(a)) {
    return withStack([&] { return unifyTuple(a, *x, *as<TupleStructInfo>(b), context); });
  }
  if (const auto* x = as<FuncStructInfo>(a)) {
    return withStack([&] { return unifyFunc(a, *x, b, *as<FuncStructInfo>(b), context); });
  }
  if (const auto* x = as<DTensorStructInfo>(a)) {
    const auto* y = as<DTensorStructInfo>(b);
    if (!structuralEqual(x->deviceMesh, y->deviceMesh) || !structuralEqual(x->placement, y->placement)) {
      return objectSinfo();
    }
    StructInfo tensor = unifyStructInfo(x->tensor, y->tensor, context);
    return tensor == x->tensor
               ? a
               : StructInfo(make<DTensorStructInfo>(refAs<TensorStructInfo>(tensor), x->deviceMesh, x->placement));
  }
  return a;
}

namespace {
bool sameNumber(const tir::PrimExpr& a, const tir::PrimExpr& b) {
  if (a == b) return true;
  const auto* x = as<tir::IntImm>(a);
  const auto* y = as<tir::IntImm>(b);
  return x && y && x->value == y->value && x->dtype == y->dtype;
}
/// Tensors of known sizes, which most are, are told to be the same at a glance; of others it says nothing.
bool plainlySame(const StructInfo& a, const StructInfo& b) {
  const auto* x = as<TensorStructInfo>(a);
  const auto* y = as<TensorStructInfo>(b);
  if (!x || !y || x->dtype != y->dtype || x->ndim != y->ndim || !(x->vdevice == y->vdevice)) return false;
  if (x->shape == y->shape) return true;
  const auto* left = as<ShapeExpr>(x->shape);
  const auto* right = as<ShapeExpr>(y->shape);
  return left && right &&
         std::equal(left->values.begin(), left->values.end(), right->values.begin(), right->values.end(), sameNumber);
}
}  // namespace

bool sameStructInfo(const StructInfo& a, const StructInfo& b) {
  return a == b || plainlySame(a, b) || structuralEqual(a, b);
}

namespace {

class Eraser {
 public:
  Eraser(const SymbolMap& symbols, const ShapeVarMap& variables, InferContext& context)
      : symbols_(symbols), variables_(variables), context_(context) {}

  StructInfo erase(const StructInfo& info) {
    if (const auto* tensor = as<TensorStructInfo>(info)) return eraseTensor(info, *tensor);
    if (const auto* shape = as<ShapeStructInfo>(info)) {
      if (!shape->known) return info;
      auto values = map(shape->values);
      if (!values) return make<ShapeStructInfo>(shape->ndim);
      return values->same(shape->values) ? info : StructInfo(make<ShapeStructInfo>(*values));
    }
    if (const auto* prim = as<PrimStructInfo>(info)) {
      if (!prim->value) return info;
      tir::PrimExpr value = map(prim->value);
      if (!value) return make<PrimStructInfo>(prim->dtype);
      return value == prim->value ? info : StructInfo(make<PrimStructInfo>(value));
    }
    if (const auto* tuple = as<TupleStructInfo>(info)) return withStack([&] { return eraseTuple(info, *tuple); });
    if (const auto* func = as<FuncStructInfo>(info)) return withStack([&] { return eraseFunc(info, *func); });
    if (const auto* placed = as<DTensorStructInfo>(info)) {
      StructInfo tensor = eraseTensor(placed->tensor, *placed->tensor);
      if (tensor == placed->tensor) return info;
      return make<DTensorStructInfo>(refAs<TensorStructInfo>(tensor), placed->deviceMesh, placed->placement);
    }
    return info;
  }

 private:
  /// Null when a variable of it is not known.
  tir::PrimExpr map(const tir::PrimExpr& expr) {
    if (isa<tir::IntImm>(expr) || !symbols_) return expr;
    if (auto var = refAs<tir::Var>(expr)) return local(var) ? expr : symbols_(var);
    arith::VarMap changes;
    for (const tir::VarRef& var : arith::freeVars(expr)) {
      if (local(var)) continue;
      tir::PrimExpr value = symbols_(var);
      if (!value) return nullptr;
      if (!(value == var)) changes.emplace(var.get(), value);
    }
    return changes.empty() ? expr : context_.analyzer().simplify(arith::substitute(expr, changes));
  }

  std::optional<Array<tir::PrimExpr>> map(const Array<tir::PrimExpr>& dims) {
    std::vector<tir::PrimExpr> mapped;
    bool same = true;
    for (size_t i = 0; i < dims.size(); ++i) {
      tir::PrimExpr value = map(dims[i]);
      if (!value) return std::nullopt;
      if (same && !(value == dims[i])) {
        mapped.assign(dims.begin(), dims.begin() + i);
        same = false;
      }
      if (!same) mapped.push_back(std::move(value));
    }
    return same ? dims : Array<tir::PrimExpr>(std::move(mapped));
  }

  StructInfo eraseTensor(const StructInfo& info, const TensorStructInfo& tensor) {
    if (!tensor.shape) return info;
    Expr shape;
    if (auto var = refAs<Var>(tensor.shape)) {
      shape = variables_ ? variables_(var) : Expr(var);
    } else if (const auto* literal = as<ShapeExpr>(tensor.shape)) {
      auto values = map(literal->values);
      if (values) shape = values->same(literal->values) ? tensor.shape : Expr(make<ShapeExpr>(*values));
    }
    if (shape == tensor.shape) return info;
    if (shape) return make<TensorStructInfo>(shape, tensor.dtype, tensor.vdevice);
    return make<TensorStructInfo>(tensor.dtype, tensor.ndim, tensor.vdevice);
  }

  StructInfo eraseTuple(const StructInfo& info, const TupleStructInfo& tuple) {
    auto items = eraseAll(tuple.items);
    return items.same(tuple.items) ? info : tupleSinfo(items);
  }

  StructInfo eraseFunc(const StructInfo& info, const FuncStructInfo& func) {
    if (!func.paramsKnown) {
      StructInfo ret = erase(func.ret);
      return ret == func.ret ? info : StructInfo(FuncStructInfo::opaque(ret, func.purity, func.deriveFunc));
    }
    // What the parameters define belongs to the function and stays.
    const size_t before = locals_.size();
    for (const StructInfo& param : func.params) {
      for (const tir::VarRef& var : definableSymbolsIn(param)) locals_.push_back(var.get());
    }
    auto params = eraseAll(func.params);
    StructInfo ret = erase(func.ret);
    locals_.resize(before);
    if (params.same(func.params) && ret == func.ret) return info;
    return make<FuncStructInfo>(params, ret, func.purity);
  }

  Array<StructInfo> eraseAll(const Array<StructInfo>& infos) {
    std::vector<StructInfo> out;
    bool same = true;
    for (const StructInfo& info : infos) {
      out.push_back(erase(info));
      same = same && out.back() == info;
    }
    return same ? infos : Array<StructInfo>(std::move(out));
  }

  bool local(const tir::VarRef& var) const {
    for (const tir::Var* known : locals_) {
      if (known == var.get()) return true;
    }
    return false;
  }

  const SymbolMap& symbols_;
  const ShapeVarMap& variables_;
  InferContext& context_;
  std::vector<const tir::Var*> locals_;
};

template <class Add>
void eachDimension(const StructInfo& root, const Add& add) {
  std::vector<const StructInfoNode*> stack{root.get()};
  while (!stack.empty()) {
    const StructInfoNode* info = stack.back();
    stack.pop_back();
    if (!info) continue;
    if (const auto* placed = as<DTensorStructInfo>(info)) info = placed->tensor.get();
    if (const auto* tensor = as<TensorStructInfo>(info)) {
      if (const auto* shape = as<ShapeExpr>(tensor->shape)) {
        for (const tir::PrimExpr& dim : shape->values) add(dim);
      }
    } else if (const auto* shape = as<ShapeStructInfo>(info)) {
      for (const tir::PrimExpr& dim : shape->values) add(dim);
    } else if (const auto* prim = as<PrimStructInfo>(info)) {
      if (prim->value) add(prim->value);
    } else if (const auto* tuple = as<TupleStructInfo>(info)) {
      for (size_t i = tuple->items.size(); i-- > 0;) stack.push_back(tuple->items[i].get());
    } else if (const auto* func = as<FuncStructInfo>(info)) {
      stack.push_back(func->ret.get());
      for (size_t i = func->params.size(); i-- > 0;) stack.push_back(func->params[i].get());
    }
  }
}

void addOnce(std::vector<tir::VarRef>& list, const tir::VarRef& var) {
  for (const tir::VarRef& known : list) {
    if (known == var) return;
  }
  list.push_back(var);
}

}  // namespace

StructInfo eraseToWellDefined(const StructInfo& info, const SymbolMap& symbols, const ShapeVarMap& variables,
                              InferContext& context) {
  return Eraser(symbols, variables, context).erase(info);
}

StructInfo eraseToKnown(const StructInfo& info, const std::unordered_set<const tir::Var*>& symbols,
                        const std::unordered_set<const Var*>& variables, InferContext& context) {
  return eraseToWellDefined(
      info, [&](const tir::VarRef& var) { return symbols.contains(var.get()) ? tir::PrimExpr(var) : nullptr; },
      [&](const VarRef& var) { return variables.contains(var.get()) ? Expr(var) : nullptr; }, context);
}

std::vector<tir::VarRef> symbolsIn(const StructInfo& info) {
  std::vector<tir::VarRef> found;
  eachDimension(info, [&](const tir::PrimExpr& dim) {
    if (isa<tir::IntImm>(dim)) return;
    if (auto var = refAs<tir::Var>(dim)) return addOnce(found, var);
    for (const tir::VarRef& var : arith::freeVars(dim)) addOnce(found, var);
  });
  return found;
}

std::vector<tir::VarRef> definableSymbolsIn(const StructInfo& info) {
  std::vector<tir::VarRef> found;
  eachDimension(info, [&](const tir::PrimExpr& dim) {
    if (auto var = refAs<tir::Var>(dim)) addOnce(found, var);
  });
  return found;
}

}  // namespace rx::op
