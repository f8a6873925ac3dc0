// A pass for one function of a module.
#pragma once

#include "core/pass/pass.h"

namespace rx::pass {

/// The option that every pass has beside its own: the name of the one function that it is applied to.
const OptionSpec& onlyOption();
/// The option of that name, of the pass or the one that all have; null where there is none.
const OptionSpec* optionOf(const PassRow& row, std::string_view name);
/// The function that a call names there; empty where it is for the whole module. Fails with pass.unknown-function where
/// the module has none of that name.
Result<std::string_view> onlyFunction(const ir::Attrs& options, const ir::IRModule& module);

/// Of what a pass made of a module, what it made of one function: this function as it is now, and the functions that
/// are new and that it calls. All else is as it was.
ir::Module onlyOn(const ir::Module& before, const ir::Module& after, std::string_view function);

}  // namespace rx::pass
