// A package as a set of files: its names, its index, and what has to hold before any of it is used.
#pragma once

#include <optional>
#include <string>

#include "core/support/file_set.h"
#include "core/support/temporary_folder.h"
#include "core/tensor/npy.h"

namespace rx::exporter {

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kWeights = "params.safetensors";
inline constexpr const char* kPackageFormat = "relaxscope package";
inline constexpr int64_t kPackageVersion = 3;

/// Whether a library can be called by this name: text of at most 200 bytes, without slashes and characters that nobody
/// sees. Fails with export.name.
Result<Unit> checkPackageName(const std::string& name);

/// A package whose index and headers were checked, and whose library was wholly: it is what is executed.
struct OpenPackage {
  std::optional<TemporaryFolder> unpacked;  ///< of an archive
  FileSet set;
  std::string library;  ///< absolute path
  std::string weights;
};

/// Opens a folder, or an archive, which is unpacked where temporary files go. Fails with file.read where there is no
/// manifest, with file.set where a part is not what was written, and with export.run where it is of another version, or
/// its library lies elsewhere.
Result<OpenPackage> openPackage(const std::string& path);
/// The names of a function's parameters that have no weights, in order. Fails with export.run where the package has no
/// such function.
Result<std::vector<std::string>> inputsOf(const OpenPackage& package, const std::string& function);
/// A value for each of them: that of its name, else the next of the others. Fails with export.run where a name is not
/// among them, or one has no value; more of the others than that are left as they are.
Result<std::vector<Ref<HostTensor>>> inputsInOrder(const OpenPackage& package, const std::string& function,
                                                   const std::vector<NamedTensor>& named,
                                                   const std::vector<Ref<HostTensor>>& others);
/// Fails with export.run where the library is for another architecture, which the loader would call a missing file.
Result<Unit> madeForThisMachine(const OpenPackage& package);

}  // namespace rx::exporter
