// Memory that is accessed by whole vectors only gets vectors as its elements.
#pragma once

#include "core/lower/scope.h"

namespace rx::lower {

/// Which declarations may change their element type.
struct VectorTypeOptions {
  bool params = true;       ///< buffers and pointers that the function takes
  bool scalarReads = true;  ///< loads of single elements become loads of vectors and extractions
};

/// The function with vectors as elements where all accesses allow it, and indices to match.
tir::PrimFuncRef withVectorTypes(const tir::PrimFuncRef& function, const VectorTypeOptions& options);

}  // namespace rx::lower
