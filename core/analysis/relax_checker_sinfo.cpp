// StructInfo: its form, the symbolic variables that it uses and defines.
#include "core/analysis/relax_checker.h"
#include "core/ir/reflect.h"

namespace rx::analysis {

using namespace relax;

void RelaxChecker::useSymbol(const tir::Var& var, Span span) {
  if (symbols_.find(&var)) return;
  ++errors_;
  if (!reported_.insert(&var).second) return;
  const std::string name = var.name.view().empty() ? "without a name" : "'" + var.name.string() + "'";
  findings_.error(span, "relax.undefined-symbol",
                  fmt::format("symbolic variable {} is not bound here: it has to be a dimension by itself of a "
                              "parameter or of an earlier match_cast",
                              name));
}

void RelaxChecker::prim(const tir::PrimExpr& e, Span span) {
  if (isa<tir::IntImm>(e)) return;
  const Span place = e->span.known() ? e->span : span;
  if (const auto* var = as<tir::Var>(e)) return useSymbol(*var, place);
  walk(*e, Into::Parts, [&](const Node& node) {
    if (const auto* var = as<tir::Var>(&node)) useSymbol(*var, place);
    return true;
  });
}

/// Defines the symbolic variables that stand by themselves as a dimension or value in the StructInfo.
void RelaxChecker::defineSymbols(const Node& info) {
  auto define = [&](const tir::PrimExpr& e) {
    const auto* var = as<tir::Var>(e);
    if (!var || !symbols_.add(var, true)) return;
    lastInfo_ = nullptr;
    auto [at, fresh] = symbolOf_.emplace(var, name_);
    if (fresh || at->second == name_) return;
    findings_.error(e->span, "relax.shared-symbol",
                    fmt::format("symbolic variable '{}' belongs to function '{}' already", var->name.view(),
                                at->second->name.view()));
  };
  walk(info, Into::Parts, [&](const Node& node) {
    if (isa<FuncStructInfo>(&node)) return false;  // a signature of its own
    if (const auto* shape = as<ShapeExpr>(&node)) {
      for (const tir::PrimExpr& dim : shape->values) define(dim);
      return false;
    }
    if (const auto* shape = as<ShapeStructInfo>(&node)) {
      for (const tir::PrimExpr& dim : shape->values) define(dim);
      return false;
    }
    if (const auto* value = as<PrimStructInfo>(&node)) {
      if (value->value) define(value->value);
      return false;
    }
    return !isa<Var>(&node);
  });
}

void RelaxChecker::sinfo(const StructInfo& info, Mode, Span span) {
  // Bindings of one shape often share their StructInfo.
  if (!info || info.get() == lastInfo_) return;
  const size_t before = errors_;
  std::vector<const Node*>& work = infos_;
  const size_t base = work.size();
  work.push_back(info.get());
  while (work.size() > base) {
    const Node* node = work.back();
    work.pop_back();
    if (!node) continue;
    if (!formed_.find(node)) {
      formed_.set(node, true);
      form(*node, span);
    }
    if (const auto* tensor = as<TensorStructInfo>(node)) {
      if (const auto* var = as<Var>(tensor->shape)) {
        use(*var, span);
      } else if (const auto* shape = as<ShapeExpr>(tensor->shape)) {
        for (const tir::PrimExpr& dim : shape->values) prim(dim, span);
      }
    } else if (const auto* shape = as<ShapeStructInfo>(node)) {
      for (const tir::PrimExpr& dim : shape->values) prim(dim, span);
    } else if (const auto* value = as<PrimStructInfo>(node)) {
      if (value->value) prim(value->value, span);
    } else if (const auto* tuple = as<TupleStructInfo>(node)) {
      // Tuples of tuples share their parts: as a tree they may be exponentially large.
      if (!checkedTuples_.insert(node).second) continue;
      for (const StructInfo& item : tuple->items) work.push_back(item.get());
    } else if (const auto* dtensor = as<DTensorStructInfo>(node)) {
      work.push_back(dtensor->tensor.get());
    } else if (const auto* func = as<FuncStructInfo>(node)) {
      if (!func->paramsKnown) {
        work.push_back(func->ret.get());
        continue;
      }
      // Its parameters define symbols for itself alone.
      const size_t mark = symbols_.mark();
      for (const StructInfo& param : func->params) {
        for (const tir::VarRef& var : op::definableSymbolsIn(param)) symbols_.add(var.get(), true);
      }
      for (const StructInfo& param : func->params) sinfo(param, Mode::Use, span);
      sinfo(func->ret, Mode::Use, span);
      symbols_.leave(mark);
      checkedTuples_.clear();
    }
  }
  if (errors_ == before) {
    lastInfo_ = info.get();
  } else {
    checkedTuples_.clear();
  }
}

void RelaxChecker::form(const Node& info, Span span) {
  auto dims = [&](const Array<tir::PrimExpr>& values, int64_t ndim) {
    if (static_cast<int64_t>(values.size()) != ndim) {
      findings_.error(span, "relax.ndim",
                      fmt::format("the shape has {} dimensions, but ndim says {}", values.size(), ndim));
    }
    for (const tir::PrimExpr& dim : values) {
      if (dim->dtype == DataType::Int(64)) continue;
      findings_.error(dim->span.known() ? dim->span : span, "relax.shape-dtype",
                      fmt::format("a dimension must be int64, not {}", dim->dtype.str()));
    }
  };
  auto lanes = [&](DataType dtype) {
    if (options_.warnings && !dtype.isVoid() && dtype.lanes != 1) {
      findings_.warning(span, "relax.dtype-lanes",
                        fmt::format("the specification knows element types of one lane only, not {}", dtype.str()));
    }
    const bool odd = (dtype.isIntegral() && (dtype.bits & (dtype.bits - 1)) != 0) ||
                     (dtype.code == TypeCode::Float && dtype.bits != 16 && dtype.bits != 32 && dtype.bits != 64);
    if (options_.warnings && !dtype.isVoid() && odd) {
      findings_.warning(
          span, "relax.dtype-bits",
          fmt::format("the specification knows no element type of {} bits ({})", dtype.bits, dtype.str()));
    }
  };
  if (const auto* tensor = as<TensorStructInfo>(&info)) {
    lanes(tensor->dtype);
    if (const auto* shape = as<ShapeExpr>(tensor->shape)) {
      dims(shape->values, tensor->ndim);
    } else if (const auto* var = as<Var>(tensor->shape)) {
      const auto* own = as<ShapeStructInfo>(var->sinfo);
      if (!own) {
        findings_.error(span, "relax.shape-var",
                        fmt::format("'{}' is used as a shape, but its StructInfo is no shape", var->name.view()));
      } else if (own->ndim != tensor->ndim) {
        findings_.error(
            span, "relax.ndim",
            fmt::format("shape '{}' has {} dimensions, but ndim says {}", var->name.view(), own->ndim, tensor->ndim));
      }
    } else if (tensor->shape) {
      findings_.error(span, "relax.shape-form", "the shape of a tensor must be a variable or a shape written out");
    }
  } else if (const auto* shape = as<ShapeStructInfo>(&info)) {
    if (shape->known) dims(shape->values, shape->ndim);
  } else if (const auto* value = as<PrimStructInfo>(&info)) {
    lanes(value->dtype);
    if (options_.warnings && (value->dtype.isHandle() || value->dtype.isVoid())) {
      findings_.warning(span, "relax.prim-dtype", "a primitive value is an integer, a float or a bool");
    }
  } else if (const auto* func = as<FuncStructInfo>(&info)) {
    if (func->paramsKnown && !func->deriveFunc.empty()) {
      findings_.error(span, "relax.func-form", "a function's StructInfo has parameters or a derivation rule, not both");
    }
  }
}

}  // namespace rx::analysis
