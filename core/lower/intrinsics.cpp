#include "core/lower/intrinsics.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

const op::TirIntrinsic* calledIntrinsic(const Node* node) {
  const auto* call = as<tir::Call>(node);
  return call ? op::tirIntrinsicOf(as<relax::Op>(call->op)) : nullptr;
}

const tir::Call* asCallOf(const NodeRef& node, std::string_view name) {
  const op::TirIntrinsic* row = calledIntrinsic(node);
  return row && row->name == name ? as<tir::Call>(node) : nullptr;
}

PrimExpr intrinsic(DataType dtype, std::string_view name, Array<PrimExpr> args) {
  return make<tir::Call>(dtype, op::tirOp(name), std::move(args));
}

Stmt effect(std::string_view name, Array<PrimExpr> args) {
  return make<Evaluate>(intrinsic(DataType::Int(32), name, std::move(args)));
}

PrimExpr structGet(DataType dtype, const VarRef& handle, int64_t index, StructField field) {
  return intrinsic(dtype, "tvm_struct_get", {handle, int32(index), int32(static_cast<int64_t>(field))});
}

Stmt structSet(const VarRef& handle, int64_t index, StructField field, PrimExpr value) {
  return effect("tvm_struct_set", {handle, int32(index), int32(static_cast<int64_t>(field)), std::move(value)});
}

op::TirEffect effectOf(const PrimExpr& expr) {
  auto strongest = op::TirEffect::Pure;
  walk(*expr, Into::Parts, [&](const Node& node) {
    if (isa<Buffer>(&node)) return false;
    if (isa<BufferLoad>(&node)) strongest = std::max(strongest, op::TirEffect::Read);
    if (isa<tir::Call>(&node)) {
      const op::TirIntrinsic* row = calledIntrinsic(&node);
      strongest = std::max(strongest, row ? row->effect : op::TirEffect::Effect);
    }
    return true;
  });
  return strongest;
}

}  // namespace rx::lower
