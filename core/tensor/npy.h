// NumPy's array files: .npy (versions 1.0 to 3.0) and .npz (a zip of them, stored or deflated).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/host_tensor.h"

namespace rx {

/// One array of an .npz with its name (without ".npy"), in the order of the archive.
using NamedTensor = std::pair<std::string, Ref<HostTensor>>;

/// Reads the bytes of an .npy file. Types that NumPy has no name for are stored as ml_dtypes stores them: bfloat16
/// as '<V2', and the 8-bit floats as '<V1'; V2 is read as bfloat16, V1 as `voidType` where given, else refused.
/// Big-endian and Fortran order are converted. Fails with npy.header, npy.dtype or npy.size.
/// With an `owner` that keeps the bytes, elements that lie in them as they are needed are not copied, or know of what
/// they are a copy (Storage::source); such a tensor can not be written.
Result<Ref<HostTensor>> parseNpy(std::string_view bytes, DataType voidType = DataType::Void(),
                                 const std::shared_ptr<const void>& owner = nullptr);
/// A large file is mapped, not read: its tensor refers to it.
Result<Ref<HostTensor>> readNpy(const std::string& path, DataType voidType = DataType::Void());
Result<std::string> npyBytes(const HostTensor& tensor);
Result<Unit> writeNpy(const std::string& path, const HostTensor& tensor);

/// Fails with npz.zip for an archive that is damaged, encrypted or uses another compression, and with npz.size for
/// one whose lengths do not fit the file.
Result<std::vector<NamedTensor>> parseNpz(std::string_view bytes, const std::shared_ptr<const void>& owner = nullptr);
/// A large archive is mapped, not read: tensors of entries that are stored refer to it, or are copies that know where
/// they came from (NumPy begins an entry anywhere).
Result<std::vector<NamedTensor>> readNpz(const std::string& path);
/// Names must be distinct and not empty; fails with npz.name.
Result<Unit> writeNpz(const std::string& path, const std::vector<NamedTensor>& tensors, bool compress = false);

/// What a file says of an array without its elements.
struct ArrayHeader {
  std::string name;  ///< empty for that of an .npy
  std::vector<int64_t> shape;
  DataType dtype;
};
/// The arrays of an .npy, .npz or .safetensors file, by the end of its name. Only the tables of the file are read, so
/// that its size does not matter; fails as the readers do.
Result<std::vector<ArrayHeader>> arrayHeaders(const std::string& path);

}  // namespace rx
