// Which axes of the arguments of a call are which of its result, and what that makes of distributed tensors: the rule
// of the plain tensors, and where the result's parts lie.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/op/rules.h"

namespace rx::op {

/// A call as the rules of axes see it.
struct AxisCall {
  const Call& call;
  std::vector<const TensorStructInfo*> tensors;  ///< by argument; null for what is no tensor
  const TensorStructInfo* result;
};
/// The axis of the result that an axis of argument `arg` becomes, or -1.
using AxisMap = int64_t (*)(const AxisCall& in, size_t arg, int64_t axis, InferContext& context);
/// Null where nothing is known of the axes of an operator.
AxisMap axisMapOf(const OpRow& row);
/// An axis of the first argument and one of the second that are summed over together.
std::optional<std::pair<int64_t, int64_t>> contractedAxes(const AxisCall& in);

/// True when an argument of the call is a distributed tensor.
bool hasDistributedArg(const Call& call);
/// StructInfo of such a call; its arguments that are tensors must all be distributed.
Inferred inferDistributed(const Call& call, AxisMap map, InferContext& context);

}  // namespace rx::op
