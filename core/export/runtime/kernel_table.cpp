#include <algorithm>

#include "core/export/runtime/session.h"
#include "core/runtime/kernel_host.h"

namespace rx::package {

namespace {

class PackageKernel final : public vm::Callable {
 public:
  PackageKernel(std::string name, vm::KernelSignature signature, vm::KernelEntry entry)
      : name_(std::move(name)), signature_(std::move(signature)), entry_(entry) {}
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override {
    return argument < signature_.params.size() && signature_.params[argument].written;
  }
  Result<vm::Value> call(vm::CallContext& context, std::span<const vm::Value> args) const override {
    return vm::callKernel(signature_, name_, entry_, context, args);
  }

 private:
  std::string name_;
  vm::KernelSignature signature_;
  vm::KernelEntry entry_;
};

class PackageKernels final : public vm::KernelProvider {
 public:
  void add(Ref<vm::Callable> kernel) { kernels_.push_back(std::move(kernel)); }
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return k->name() == name; });
    return found == kernels_.end() ? Ref<vm::Callable>() : *found;
  }

 private:
  std::vector<Ref<vm::Callable>> kernels_;
};

}  // namespace

Result<KernelTable> readKernelTable() {
  ByteReader in({rxs_kernel_info, static_cast<size_t>(rxs_kernel_info_size)});
  auto kernels = std::make_shared<PackageKernels>();
  const uint64_t count = in.count(24);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    std::string name = in.text();
    vm::KernelSignature signature = vm::KernelSignature::read(in);
    kernels->add(make<PackageKernel>(std::move(name), std::move(signature), rxs_kernels[i]));
  }
  KernelTable table;
  table.kernels = std::move(kernels);
  const uint64_t functions = in.count(16);
  for (uint64_t i = 0; i < functions && !in.failed(); ++i) {
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
