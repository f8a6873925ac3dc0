// StructInfo of calls on distributed tensors: the rule of the plain tensors, and where the result's parts lie.
#pragma once

#include "core/op/rules.h"

namespace rx::op {

/// True when an argument of the call is a distributed tensor.
bool hasDistributedArg(const Call& call);
/// The rule for such a call: null when the operator has none of its own (its plain rule then decides).
InferRule distributedRule(const OpRow& row);

}  // namespace rx::op
