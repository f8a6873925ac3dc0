// What a binding of a module computes of values that it is given: apart from the run that it is of, so that its own
// error can be told from that of its inputs.
#pragma once

#include <functional>

#include "core/ir/module.h"
#include "core/runtime/value.h"
#include "core/target/target.h"

namespace rx::cli {

/// A value to be given; null where there is none: then what the binding computes it of is computed too.
using GiveValue = std::function<Result<Ref<HostTensor>>(const relax::Var& variable)>;

/// The value of a binding, by its ordinal among those of the function (ir::textFunctions), of given values. The kernels
/// are compiled for this machine, the module by the fewest passes. Fails with against.unknown where it is computed of
/// something that is no tensor and not given, else as compiling and running do.
Result<vm::Value> replayBinding(const ir::Module& module, std::string_view function, int ordinal,
                                const GiveValue& give);

}  // namespace rx::cli
