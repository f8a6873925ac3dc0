// Where integer arithmetic is known to stay inside of its types, so that what is proven of numbers holds for them.
#pragma once

#include "core/arith/analyzer.h"

namespace rx::lower {

/// Whether what the node itself computes of integers is a number of its type.
bool fitsItsType(const tir::ExprNode& node, arith::Analyzer& analyzer);
/// The same for all parts of the expression; what memory holds counts as any number.
bool arithmeticFits(const tir::PrimExpr& expr, arith::Analyzer& analyzer);
/// Whether every part of the expression has the value that it has for numbers of any size. False for what reads memory.
bool isExact(const tir::PrimExpr& expr, arith::Analyzer& analyzer);
/// Whether the expression has that value where it is one that its type holds: sums and products may leave the type on
/// the way, since they come back.
bool isExactIfItFits(const tir::PrimExpr& expr, arith::Analyzer& analyzer);

}  // namespace rx::lower
