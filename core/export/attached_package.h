// A package whose program a debugger steps: the instructions are those that it ships, run by the runtime of this
// process, and each kernel is the package's own code, on the devices that it was built for.
#pragma once

#include "core/compile/compile.h"
#include "core/runtime/executable.h"
#include "core/runtime/registry.h"
#include "core/tensor/npy.h"

namespace rx::exporter {

class AttachedPackage {
 public:
  /// Whether a path is one of a package: an archive, or a folder with its manifest.
  static bool isAt(const std::string& path);
  /// Loads the library. Fails as runPackage does, and with export.attach where the package was built by a version of
  /// this program that debuggers could not attach to.
  /// `control.onHost` is told of which tensors on its devices no statistics are made there.
  static Result<AttachedPackage> open(const std::string& path, const compile::Control& control = {});

  const Ref<vm::Executable>& executable() const { return executable_; }
  /// They keep the package open.
  const std::shared_ptr<vm::KernelProvider>& kernels() const { return kernels_; }
  /// The arguments of a function: arrays by the names of its parameters, then the others in order; what has a weight
  /// needs none. Fails with run.no-function, export.run and package.input.
  Result<std::vector<vm::Value>> arguments(const std::string& function, const std::vector<NamedTensor>& named,
                                           const std::vector<Ref<HostTensor>>& others) const;

  struct Opened;  ///< what stays while anybody uses the package

 private:
  std::shared_ptr<Opened> opened_;
  std::shared_ptr<vm::KernelProvider> kernels_;
  Ref<vm::Executable> executable_;
};

}  // namespace rx::exporter
