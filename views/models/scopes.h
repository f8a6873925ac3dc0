// Scopes of a function in words: the blocks of a function whose language computes values elsewhere than its text writes
// them (FunctionKind::Graph).
#pragma once

#include "views/models/stage_index.h"

namespace rx::views {

/// "scope 2"; they are counted from 1, the function itself.
QString scopeName(const BlockRow& block);
/// What opens it: "the function", "if %3: true", "match: Cons(%h, %t)".
QString scopeOwner(const FunctionRow& function, const BlockRow& block);
/// Both: "scope 2 · if %3: true".
QString scopeTitle(const FunctionRow& function, const BlockRow& block);

/// Scopes in which a value is read, by their numbers (BlockRow::index), each once and in their order.
std::vector<int> scopesReading(const FunctionRow& function, const BindingRow& binding);

}  // namespace rx::views
