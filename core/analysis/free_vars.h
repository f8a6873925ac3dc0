// Variables that an expression uses and does not define.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace rx::analysis {

/// Relax variables in order of first use.
std::vector<relax::VarRef> freeVars(const relax::Expr& expr);
/// Symbolic variables in order of first use, StructInfo of definitions included.
std::vector<tir::VarRef> freeSymbols(const relax::Expr& expr);
/// Names of the module's functions that the expression refers to, in order of first use.
std::vector<relax::GlobalVarRef> calledGlobals(const relax::Expr& expr);

}  // namespace rx::analysis
