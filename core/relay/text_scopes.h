// The scopes of a function's bindings as a text shows them: those in which ToBasicBlockNormalForm binds them.
#pragma once

#include "core/ir/relay.h"
#include "core/ir/text_bindings.h"
#include "core/ir/text_scopes.h"

namespace rx::relay {

/// `text` has the bindings of `function`. What a `let` binds lies in the scope around it.
ir::TextScopes textScopes(const FunctionRef& function, const ir::TextFunction& text);

}  // namespace rx::relay
