// What a package knows of its kernels, as core/export/kernel_info writes it.
#include "core/export/runtime/session.h"

namespace rx::package {

Result<KernelInfo> readKernelInfo(std::string_view bytes) {
  ByteReader in(bytes);
  KernelInfo info;
  in(info);
  if (!in.failed() && in.rest().empty()) return info;
  return fail("package.kernels", "what this package holds of its kernels is damaged");
}

}  // namespace rx::package
