#include "core/ir/symbols.h"

namespace rx::ir {

std::string symbolOf(const relax::GlobalVar& var, const BaseFuncNode& function) {
  return std::string(strAttrOf(function.attrs, "global_symbol", var.name.view()));
}

std::map<std::string, tir::PrimFuncRef, std::less<>> primFuncsBySymbol(const IRModule& module) {
  std::map<std::string, tir::PrimFuncRef, std::less<>> functions;
  for (size_t i = 0; i < module.size(); ++i) {
    auto function = refAs<tir::PrimFunc>(module.functions[i]);
    if (!function) continue;
    functions.emplace(symbolOf(*module.vars[i], *function), std::move(function));
  }
  return functions;
}

}  // namespace rx::ir
