#include "core/library/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace rx::library {

Result<void*> openShared(std::string_view title, std::initializer_list<const char*> files, std::string_view install) {
  for (const char* file : files)
    if (void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return handle;
  const char* why = dlerror();
  Diagnostic missing = errorAt({}, "library.missing",
                               fmt::format("this machine has no {}: {}", title, escapedForDisplay(why ? why : "")));
  missing.fix = fmt::format("install it ({} on Debian)", install);
  return fail(std::move(missing));
}

void* addressIn(void* library, const char* function) { return dlsym(library, function); }

}  // namespace rx::library
