// Tensors as the C interface of packages passes them.
#pragma once

#include "core/export/runtime/rxs_package.h"
#include "core/support/result.h"
#include "core/tensor/host_tensor.h"

namespace rx::package {

/// The memory of the tensor. Fails with package.tensor where it has more dimensions than the interface.
Result<rxs_tensor> viewOf(const HostTensor& tensor);
/// The memory of the view itself, which can not be written and is no longer there than the caller has it; a copy where
/// its elements do not lie as their type is aligned. Fails with package.tensor where its type, rank or sizes are none,
/// or data is missing.
Result<Ref<HostTensor>> lentBy(const rxs_tensor& view);

}  // namespace rx::package
