// Element types and tensors as TVM's files hold them: executables, and the metadata of texts (there in base64).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/tensor/host_tensor.h"

namespace rx {

/// An element type: DLPack's code, bits, lanes. Void has no lanes.
void putType(ByteWriter& out, DataType dtype);
/// Marks the reader as failed where it is no type. One bit without sign is bool, as files before v0.21 have it.
DataType getType(ByteReader& in);

/// As parts of records.
inline void writePart(ByteWriter& out, const DataType& dtype) { putType(out, dtype); }
inline void readPart(ByteReader& in, DataType& dtype) { dtype = getType(in); }

/// A tensor: magic, reserved word, device, rank, type, sizes, number of bytes, data; in the memory of the CPU.
void putTensor(ByteWriter& out, const HostTensor& tensor);
/// The same with another name for the type of the same bytes (bool was written as one bit once).
void putTensor(ByteWriter& out, const HostTensor& tensor, DataType stored);
/// A copy of the data. Null, and the reader marked as failed, where it is no tensor or its length does not fit.
Ref<HostTensor> getTensor(ByteReader& in);

/// Tensors whose bytes lie beside the file that names them, in a row, each where kernels take it as it lies.
class TensorBlocks {
 public:
  /// Keeps the tensor, which lies in host memory; gives where its bytes begin in the row.
  uint64_t add(Ref<HostTensor> tensor);
  /// Of the whole row.
  uint64_t bytes() const { return bytes_; }
  /// Where each begins. What is between them is zero.
  const std::vector<std::pair<uint64_t, Ref<HostTensor>>>& rows() const { return rows_; }

 private:
  std::vector<std::pair<uint64_t, Ref<HostTensor>>> rows_;
  uint64_t bytes_ = 0;
};

/// Such a row where it is read; `owner` keeps it, null where it stays for good.
struct PlacedBlocks {
  std::span<const std::byte> bytes = {};
  std::shared_ptr<const void> owner = nullptr;
};

/// A tensor of the row: type, sizes, and where it begins.
void putPlacedTensor(ByteWriter& out, Ref<HostTensor> tensor, TensorBlocks& blocks);
/// A view of the row that can not be written. Null, and the reader marked as failed, where the row has no such.
Ref<HostTensor> getPlacedTensor(ByteReader& in, const PlacedBlocks& blocks);

}  // namespace rx
