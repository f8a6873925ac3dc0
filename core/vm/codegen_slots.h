// Which expression each slot of a function's shape heap holds, read off the lowered function.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/ir/module.h"

namespace rx::vm {

/// Text of an expression over symbolic variables.
using ExprText = std::function<std::string(const tir::PrimExpr&)>;

/// Slot -> text such as "n" or "n * 4". Known are the slots that a match_shape stores into (by the value's StructInfo,
/// or by the annotation in its error context), those that a make_shape or make_prim_value loads, and those that a host
/// function (shape_func) computes from others.
std::map<int64_t, std::string> heapSlotTexts(const ir::IRModule& module, const relax::Function& function,
                                             const ExprText& text);

}  // namespace rx::vm
