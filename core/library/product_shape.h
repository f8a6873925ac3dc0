// The sizes of a matrix product of tensors, as libraries take them.
#pragma once

#include "core/tensor/host_tensor.h"

namespace rx::library {

/// `batch` products of (rows, depth) with (depth, columns), which lies turned where it is (columns, depth).
struct ProductShape {
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
  bool turned = false;

  bool isEmpty() const { return batch * rows * columns == 0; }
  int64_t leftElements() const { return rows * depth; }
  int64_t rightElements() const { return depth * columns; }
  int64_t outElements() const { return rows * columns; }
};

/// Of tensors of two dimensions or more: all leading ones of the left are rows where the right is a matrix, else they
/// are the batch of both. Fails with library.shape where the sizes do not fit, the sum has no terms, or a size is
/// beyond 2^31 - 1.
Result<ProductShape> productShape(const HostTensor& left, const HostTensor& right, bool turned, const HostTensor& out);

}  // namespace rx::library
