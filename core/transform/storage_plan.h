// Which tensors of a function share storage: planning by block.
//
// A tensor is planned when it is allocated in a block and all its uses are arguments of kernels and packed functions in
// that same block (aliases, tuples and reshapes of it included). Whatever else sees it (another block, a branch, a
// result, a closure) leaves it with an allocation of its own. So branches and recursion are safe.
#pragma once

#include <memory>
#include <string_view>

#include "core/support/cancel.h"
#include "core/support/pointer_map.h"
#include "core/transform/shape_bounds.h"
#include "core/transform/storage_pool.h"

namespace rx::transform {

/// The operator whose calls are planned.
constexpr std::string_view kAllocTensor = "relax.builtin.alloc_tensor";

/// The storage of each tensor that is planned, by the variable of its allocation.
using StoragePlan = PointerMap<relax::Var, std::shared_ptr<StorageToken>>;

/// Plans every block of a function in normal form, those of branches included; a part of it where it is cancelled.
StoragePlan planStorage(const relax::Function& function, const ShapeBounds& bounds, const CancelToken& cancel);

}  // namespace rx::transform
