// Passes that write calls of some operators as kernels, each by a function, and leave all others.
#pragma once

#include "core/build/block_builder.h"
#include "core/pass/pass.h"

namespace rx::transform {

/// What takes the place of a call whose arguments and result have StructInfo; null where it stays.
using WriteCall = Result<relax::Expr> (*)(const relax::Call& call, build::BlockBuilder& builder,
                                          const pass::PassContext& context);

/// The module with these calls written in its Relax functions. What can not be written stays, and the reason becomes a
/// warning of the context.
Result<ir::Module> writeCalls(const ir::Module& module, std::string_view pass, pass::PassContext& context,
                              WriteCall write);

}  // namespace rx::transform
