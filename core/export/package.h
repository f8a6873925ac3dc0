// core/export: compiled packages. One folder with a shared library (kernels, VM program, a small C runtime), the
// weights, a manifest, a C header and a C runner. It needs libc and libm only.
#pragma once

#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/tensor/npy.h"

namespace rx::exporter {

struct PackageOptions {
  std::string name = "model";       ///< the library is lib<name>.so
  std::vector<NamedTensor> params;  ///< weights by parameter name
  std::string source;               ///< name of the module's file, for the manifest
};

/// What was written.
struct Package {
  std::string folder, library, params, manifest;
};

/// Writes the package into `folder` as a set of files (FileSetWriter): the program for the processor that its request
/// names (packageMachine). Fails with codegen.target, export.unsupported (a function that packages do not hold),
/// export.name, export.link, file.write, file.set and the diagnostics of code generation.
Result<Package> writePackage(const compile::Program& program, const PackageOptions& options, const std::string& folder);

/// Calls a function of a package in this process (it loads the library: only where executing it is meant). Fails with
/// export.run, and with file.set where a part of the package is not what was written; where this machine can not run
/// it, the feature that is missing is named.
Result<std::vector<Ref<HostTensor>>> runPackage(const std::string& folder, const std::string& function,
                                                const std::vector<Ref<HostTensor>>& inputs);

/// Whether every byte of a package is what was written; the number of files. Nothing of it is executed. Fails with
/// file.read, file.set and export.run.
Result<size_t> verifyPackage(const std::string& folder);

}  // namespace rx::exporter
