// Symbols: the names under which the functions of a module are found once it is compiled.
#pragma once

#include <map>
#include <string>

#include "core/ir/module.h"

namespace rx::ir {

/// The name under which a function of the module is called: its global_symbol, else its GlobalVar's name.
std::string symbolOf(const relax::GlobalVar& var, const BaseFuncNode& function);

/// The PrimFuncs of the module by their symbols; the first where several have one symbol.
std::map<std::string, tir::PrimFuncRef, std::less<>> primFuncsBySymbol(const IRModule& module);

}  // namespace rx::ir
