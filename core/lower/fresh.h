// Names and variables that nothing else has.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/module.h"

namespace rx::lower {

/// Names of functions, those of a module to begin with.
class FunctionNames {
 public:
  explicit FunctionNames(const ir::Module& module);
  /// The name itself, or with the first number that makes it unlike all others: f, f_1, f_2.
  relax::GlobalVarRef fresh(const std::string& name);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint64_t> next_;  ///< numbers that were given, by name
};

/// The same function with every variable and buffer another object, so that two copies can stand in one module.
tir::PrimFuncRef freshCopy(const tir::PrimFuncRef& function);

}  // namespace rx::lower
