// Tensors as constants of Relax.
#pragma once

#include "core/ir/relax.h"

namespace rx::relax {

/// The tensor, which is not null, with the StructInfo that it has itself: all of its sizes, and its type.
Ref<Constant> constantOf(Ref<HostTensor> tensor);

}  // namespace rx::relax
