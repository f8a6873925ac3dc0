// Element types and tensors as TVM's files hold them: executables, and the metadata of texts (there in base64).
#pragma once

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

}  // namespace rx
