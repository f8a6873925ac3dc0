// Divisions of integers that a run has to look at.
#pragma once

#include <string>

#include "core/ir/prim_expr.h"

namespace rx::lower {

/// An integer division or remainder, of either rounding, whose divisor is no constant other than zero.
bool mayDivideByZero(const tir::BinaryNode& node);

/// What a run that ends at this division says: which one it is, in the words of the kernel.
std::string zeroDivisionText(const tir::BinaryNode& division);

}  // namespace rx::lower
