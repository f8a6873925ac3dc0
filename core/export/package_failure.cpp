#include "core/export/package_failure.h"

#include <dlfcn.h>

namespace rx::exporter {

Failure packageFailure(void* library, const rxs_session* session) {
  const auto said = [&](const char* function) -> std::string {
    auto* const told = reinterpret_cast<decltype(&rxs_error)>(dlsym(library, function));
    return told ? told(session) : "";
  };
  const std::string rule = said("rxs_rule");
  Diagnostic why = errorAt({}, rule.empty() ? "export.run" : rule, said("rxs_error"));
  why.fix = said("rxs_next_step");
  return fail(std::move(why));
}

}  // namespace rx::exporter
