#include "core/export/runtime/session.h"
#include "core/library/library.h"
#include "core/runtime/kernel_host.h"

namespace rx::package {

namespace {

class PackageKernel final : public vm::CompiledKernel {
 public:
  PackageKernel(std::string name, vm::KernelSignature signature, vm::KernelEntry entry)
      : CompiledKernel(std::move(name)), signature_(std::move(signature)), entry_(entry) {}
  const vm::KernelSignature& signature() const override { return signature_; }
  Result<vm::KernelEntry> entry() const override { return entry_; }

 private:
  vm::KernelSignature signature_;
  vm::KernelEntry entry_;
};

}  // namespace

Result<KernelTable> readKernelTable() {
  RX_TRY(info, readKernelInfo({rxs_kernel_info, static_cast<size_t>(rxs_kernel_info_size)}));
  auto functions = std::make_shared<vm::PackedRegistry>(library::registryWithLibraries());
  KernelTable table;
  for (auto& [name, signature] : info.kernels) {
    auto kernel = make<PackageKernel>(name, std::move(signature), rxs_kernels[table.kernels.size()]);
    functions->add(name, std::move(kernel));
    table.kernels.push_back(std::move(name));
  }
  table.functions = std::move(functions);
  table.forms = std::move(info.forms);
  return table;
}

}  // namespace rx::package
