#include "core/op/tir_intrinsic_type.h"

namespace rx::op {

std::optional<DataType> unnamedType(const TirIntrinsic& row, std::span<const tir::PrimExpr> args) {
  switch (row.type) {
    case TirType::Arg0:
      return args.empty() ? DataType::Void() : args[0]->dtype;
    case TirType::Arg1:
      return args[1]->dtype;
    case TirType::Given:
      return std::nullopt;
    case TirType::Bool:
      return DataType::Bool(args.empty() ? int16_t{1} : args[0]->dtype.lanes);
    case TirType::Int32:
      return DataType::Int(32);
    case TirType::UInt32:
      return DataType::UInt(32);
    case TirType::UInt64:
      return DataType::UInt(64);
    case TirType::Handle:
      return DataType::Handle();
    case TirType::Void:
      break;
  }
  return DataType::Void();
}

}  // namespace rx::op
