#include "core/device/driver.h"

#include <dlfcn.h>

#include <algorithm>

namespace rx::device {

std::string bytesText(uint64_t address, size_t bytes) { return fmt::format("{} bytes at {:#x}", bytes, address); }

Result<Unit> checkDriver(std::span<const DriverError> errors, int64_t code, std::string_view call,
                         std::string_view what) {
  if (code == 0) return Unit();
  const auto row = std::find_if(errors.begin(), errors.end(), [&](const DriverError& e) { return e.code == code; });
  const std::string asked = what.empty() ? std::string(call) : fmt::format("{} ({})", call, what);
  if (row == errors.end()) {
    Diagnostic unknown = errorAt({}, "device.fault", fmt::format("{}: the driver reports error {}", asked, code));
    unknown.fix = next::kUnknown;
    return fail(std::move(unknown));
  }
  Diagnostic failed =
      errorAt({}, std::string(row->rule), fmt::format("{}: {} ({}): {}", asked, row->name, code, row->meaning));
  failed.fix = row->next;
  return fail(std::move(failed));
}

Result<Library> Library::open(const std::string& name) {
  if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(handle, name);
  const char* why = dlerror();
  Diagnostic missing =
      errorAt({}, "device.driver", fmt::format("the driver {} can not be loaded: {}", name, why ? why : ""));
  missing.fix = fmt::format("install the driver of the device, which brings {}", name);
  return fail(std::move(missing));
}

Result<void*> Library::entry(const char* symbol) const {
  if (void* found = dlsym(handle_, symbol)) return found;
  Diagnostic missing =
      errorAt({}, "device.driver", fmt::format("the driver {} is too old: it has no {}", name_, symbol));
  missing.fix = next::kDriver;
  return fail(std::move(missing));
}

}  // namespace rx::device
