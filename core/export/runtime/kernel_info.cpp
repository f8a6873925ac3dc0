// What a package knows of its kernels, as core/export/kernel_info writes it.
#include "core/export/runtime/session.h"

namespace rx::package {

Result<KernelInfo> readKernelInfo(std::string_view bytes) {
  ByteReader in(bytes);
  KernelInfo info;
  const uint64_t count = in.count(24);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    std::string name = in.text();
    info.kernels.emplace_back(std::move(name), vm::KernelSignature::read(in));
  }
  const uint64_t forms = in.count(16);
  for (uint64_t i = 0; i < forms && !in.failed(); ++i) {
    FunctionForms row;
    row.name = in.text();
    const uint64_t params = in.count(8);
    for (uint64_t p = 0; p < params && !in.failed(); ++p) row.params.push_back(in.text());
    info.forms.push_back(std::move(row));
  }
  if (in.failed() || !in.rest().empty())
    return fail("package.kernels", "what this package holds of its kernels is damaged");
  return info;
}

}  // namespace rx::package
