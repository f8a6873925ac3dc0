// core/export: compiled packages. One folder, or one tar archive, with a shared library (kernels, VM program, a small
// runtime), the weights, a manifest, a C header and a C runner. It needs libc and libm only, and for a device what its
// driver brings, which is looked for when the package is opened.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/tensor/npy.h"

namespace rx::exporter {

struct PackageOptions {
  std::string name = "model";       ///< the library is lib<name>.so
  std::vector<NamedTensor> params;  ///< weights by parameter name
  std::string source;               ///< name of the module's file, for the manifest
  /// Of a program for a device: what its code is made for, one for each architecture (compile::targetsFor); none: the
  /// request's.
  std::vector<target::TargetRef> targets;
  /// Told of each kernel that runs on the host although the target is a device, and why.
  std::function<void(std::string_view kernel, const Diagnostic& why)> onHost = {};
  std::shared_ptr<codegen::ObjectStore> store = nullptr;  ///< of machine code from builds before; null: none
};

/// Writes the package as a set of files into a folder (FileSetWriter), or as an archive where the path ends in ".tar":
/// the program for the processor that its request names (packageMachine), or for the devices, with the processor of
/// their host. What was written: the library, the weights and the manifest, or the archive. Fails with codegen.target,
/// export.unsupported (a function that packages do not hold), export.name, export.link, file.write, file.set and the
/// diagnostics of code generation.
Result<std::vector<std::string>> writePackage(const compile::Program& program, const PackageOptions& options,
                                              const std::string& path);

/// Is told of what cancels a run, from any thread, when it begins, and of null when it is over.
using Running = std::function<void(std::function<void()> cancel)>;

/// Calls a function of a package in this process (it loads the library: only where executing it is meant). Fails with
/// export.run, with what the package fails with, and with file.set where a part of the package is not what was written;
/// where this machine can not run it, what is missing is named: the feature of the processor, or the driver, the device
/// or its architecture (device.*).
Result<std::vector<Ref<HostTensor>>> runPackage(const std::string& path, const std::string& function,
                                                const std::vector<Ref<HostTensor>>& inputs,
                                                const Running& running = {});
/// The same with inputs by the names of the parameters that have no weights: all of them and no others. Fails with
/// export.run too where they do not fit.
Result<std::vector<Ref<HostTensor>>> runPackage(const std::string& path, const std::string& function,
                                                const std::vector<NamedTensor>& inputs, const Running& running = {});

/// Whether every byte of a package is what was written; the number of files. Nothing of it is executed. Fails with
/// file.read, file.set and export.run.
Result<size_t> verifyPackage(const std::string& path);

}  // namespace rx::exporter
