// Divisions of integers that a run has to look at.
#pragma once

#include <string>
#include <unordered_set>

#include "core/ir/relax.h"

namespace rx::lower {

/// An integer division or remainder, of either rounding, whose divisor is no constant other than zero.
bool mayDivideByZero(const tir::BinaryNode& node);

/// What a run that ends at this division says: which one it is, in the words of the kernel.
std::string zeroDivisionText(const tir::BinaryNode& division);

/// The function with the divisors of these divisions in calls of rx_divisor, which carry that text; the very same
/// function where there are none.
tir::PrimFuncRef withDivisorsMarked(const tir::PrimFuncRef& function, const std::unordered_set<const Node*>& divisions);

}  // namespace rx::lower
