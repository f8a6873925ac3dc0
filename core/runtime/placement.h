// Tensors where they are needed: in host memory, or on a device of the run.
#pragma once

#include "core/runtime/callable.h"

namespace rx::vm {

/// A copy of a tensor in `place`, null being host memory.
Result<Ref<HostTensor>> copyTo(const Surroundings& around, const HostTensor& tensor,
                               const std::shared_ptr<DeviceArena>& place);

/// A value whose tensors, those of tuples too, lie in `place`: itself where they all do. What a closure or a reference
/// holds stays where it is.
Result<Value> valueIn(const Surroundings& around, const Value& value, const std::shared_ptr<DeviceArena>& place);

/// Calls a function with the tensors whose bytes it reaches where it reaches them: one that lies elsewhere is copied
/// there for the call, and back where the call may write it; in a tuple it is copied there alone.
Result<Value> callPlaced(const Callable& function, CallContext& context, Arguments args);

}  // namespace rx::vm
