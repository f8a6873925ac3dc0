// The walk behind the base check; a call's derivation overrides how dimensions and shape variables match.
#pragma once

#include "core/op/lattice.h"

namespace rx::op {

class BaseChecker {
 public:
  explicit BaseChecker(InferContext& context) : context_(context) {}
  virtual ~BaseChecker() = default;
  BaseCheck check(const relax::StructInfo& base, const relax::StructInfo& derived);

 protected:
  /// True where the check has to see every part, the same objects on both sides included.
  virtual bool binds() const { return false; }
  virtual BaseCheck checkValue(const tir::PrimExpr& base, const tir::PrimExpr& derived);
  virtual BaseCheck checkShapeExpr(const relax::Expr& base, const relax::Expr& derived);
  virtual BaseCheck checkParams(std::span<const relax::StructInfo> base, std::span<const relax::StructInfo> derived);
  BaseCheck checkList(std::span<const relax::StructInfo> base, std::span<const relax::StructInfo> derived);
  BaseCheck checkValues(std::span<const tir::PrimExpr> base, std::span<const tir::PrimExpr> derived);
  InferContext& context_;

 private:
  BaseCheck checkPrim(const relax::PrimStructInfo& base, const relax::StructInfo& derived);
  BaseCheck checkShape(const relax::ShapeStructInfo& base, const relax::StructInfo& derived);
  BaseCheck checkTensor(const relax::TensorStructInfo& base, const relax::StructInfo& derived);
  BaseCheck checkFunc(const relax::FuncStructInfo& base, const relax::StructInfo& derived);
};

}  // namespace rx::op
