// Options of passes that are more than a word or a number.
#pragma once

#include <string_view>
#include <vector>

#include "core/analysis/pattern.h"
#include "core/ir/module.h"
#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::transform {

/// The constant that {"ndarray": nested list, "dtype": text} stands for. `name` says in messages what it is for.
Result<Ref<relax::Constant>> tensorOption(const NodeRef& value, std::string_view name);

/// The virtual device that {"target": {...}, "vdevice_id": 0, "memory_scope": "global"} stands for.
Result<Ref<ir::VDevice>> vdeviceOption(const NodeRef& value, std::string_view name);

/// The module that an option's text holds. What is wrong with it has no place in a file.
Result<ir::Module> moduleOption(std::string_view name, std::string text);
/// The only PrimFunc of a text. It is private, whatever the text calls it.
Result<tir::PrimFuncRef> kernelOption(std::string_view name, std::string_view text);

/// The dataflow pattern of the text. Problems say where in the text they are.
Result<analysis::DataflowPattern> patternOption(std::string_view text, std::string_view name);

}  // namespace rx::transform
