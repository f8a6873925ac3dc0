// Short texts of StructInfo and dimensions for messages, in the form of TVMScript.
#pragma once

#include <string>

#include "core/ir/relax.h"

namespace rx::op {

std::string sinfoText(const relax::StructInfo& info);
std::string primText(const tir::PrimExpr& expr);
/// "S[0], R": how the tensor lies along each axis of the mesh.
std::string placementText(const ir::Placement& placement);
std::string shapeText(std::span<const tir::PrimExpr> dims);
inline std::string dtypeText(DataType type) { return type.isVoid() ? "of unknown type" : type.str(); }

}  // namespace rx::op
