#include "core/export/runtime/session.h"
#include "core/runtime/kernel_host.h"

namespace rx::package {

namespace {

class PackageKernel final : public vm::Callable {
 public:
  PackageKernel(std::string name, vm::KernelSignature signature, vm::KernelEntry entry)
      : name_(std::move(name)), signature_(std::move(signature)), entry_(entry) {}
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return signature_.mayWrite(argument); }
  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    return vm::callKernel(signature_, name_, entry_, context, args);
  }

 private:
  std::string name_;
  vm::KernelSignature signature_;
  vm::KernelEntry entry_;
};

}  // namespace

Result<KernelTable> readKernelTable() {
  ByteReader in({rxs_kernel_info, static_cast<size_t>(rxs_kernel_info_size)});
  KernelTable table;
  auto functions = std::make_shared<vm::PackedRegistry>(vm::PackedRegistry::withBuiltins());
  const uint64_t count = in.count(24);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    std::string name = in.text();
    vm::KernelSignature signature = vm::KernelSignature::read(in);
    auto kernel = make<PackageKernel>(name, std::move(signature), rxs_kernels[i]);
    functions->add(std::move(name), std::move(kernel));
  }
  table.functions = std::move(functions);
  const uint64_t forms = in.count(16);
  for (uint64_t i = 0; i < forms && !in.failed(); ++i) {
    FunctionForms forms;
    forms.name = in.text();
    const uint64_t params = in.count(8);
    for (uint64_t p = 0; p < params && !in.failed(); ++p) forms.params.push_back(in.text());
    table.forms.push_back(std::move(forms));
  }
  if (in.failed() || !in.rest().empty())
    return fail("package.kernels", "what this package holds of its kernels is damaged");
  return table;
}

}  // namespace rx::package
