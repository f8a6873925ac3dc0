// Calls of TIR intrinsics: made, and known again.
#pragma once

#include "core/op/tir_intrinsics.h"

namespace rx::lower {

/// The row of the intrinsic that the node calls; null for anything else.
const op::TirIntrinsic* calledIntrinsic(const Node* node);
inline const op::TirIntrinsic* calledIntrinsic(const NodeRef& node) { return calledIntrinsic(node.get()); }
/// The node as a call of the intrinsic of this short name ("exp"), or null.
const tir::Call* asCallOf(const NodeRef& node, std::string_view name);

/// Most arguments of intrinsics are such numbers.
inline tir::PrimExpr int32(int64_t value) { return tir::intImm(value, DataType::Int(32)); }
tir::PrimExpr intrinsic(DataType dtype, std::string_view name, Array<tir::PrimExpr> args);
/// An intrinsic as a statement, for its effect; an int32.
tir::Stmt effect(std::string_view name, Array<tir::PrimExpr> args);

/// Fields of tvm_struct_get and tvm_struct_set, with TVM's numbers.
enum class StructField : int64_t {
  TensorAddress = 0,
  TensorData = 1,
  TensorShape = 2,
  TensorStrides = 3,
  TensorRank = 4,
  TensorTypeCode = 5,
  TensorTypeBits = 6,
  TensorTypeLanes = 7,
  TensorByteOffset = 8,
  TensorDeviceId = 9,
  TensorDeviceType = 10,
  AnyTypeIndex = 13,
  AnyZeroPadding = 14,
  AnyValue = 15,
  Int64Element = 17,  ///< of an array of int64 that the handle points at
};
tir::PrimExpr structGet(DataType dtype, const tir::VarRef& handle, int64_t index, StructField field);
tir::Stmt structSet(const tir::VarRef& handle, int64_t index, StructField field, tir::PrimExpr value);

/// Type indices of values that packed functions take and give, with TVM's numbers.
enum class AnyType : int64_t {
  None = 0,
  Int = 1,
  Bool = 2,
  Float = 3,
  OpaquePointer = 4,
  DLTensorPointer = 7,
  RawText = 8,
};

/// What evaluating the expression can do beyond giving a value: the strongest effect of the calls and loads in it.
op::TirEffect effectOf(const tir::PrimExpr& expr);

}  // namespace rx::lower
