// Forms of the records in metadata that are neither attributes of an operator nor expressions.
#pragma once

#include <string_view>

#include "core/relay/op_table.h"

namespace rx::relay {

/// Fields of a record by its key, or null.
const AttrSchema* findRecord(std::string_view key);
/// The key of an arithmetic node of TIR ("tir.Add"), and the kind of a key; empty and nothing where it is none.
std::string_view arithmeticKey(Kind kind);
std::optional<Kind> arithmeticKind(std::string_view key);
/// A binary node of the kind.
tir::PrimExpr makeBinary(Kind kind, tir::PrimExpr a, tir::PrimExpr b);

}  // namespace rx::relay
