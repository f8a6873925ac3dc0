// What the rows of an operator say of it, for a person.
#pragma once

#include <string>

#include "core/relay/op_table.h"

namespace rx::relay {

/// Arguments and attributes, as signatures of operators are written: "arguments: 2, axis: int = -1".
std::string signatureOf(const OpRow& row);
/// The operator of Relax that it is, or is made with; empty where there is none.
std::string_view counterpartOf(const OpRow& row);
/// How it fuses with its neighbours, a sentence.
std::string_view fusionOf(const OpRow& row);

}  // namespace rx::relay
