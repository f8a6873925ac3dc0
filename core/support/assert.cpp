#include "core/support/assert.h"

#include <cstdio>
#include <cstdlib>

namespace rx {

void invariantBroken(const char* condition, const char* file, int line, const std::string& context) {
  std::fprintf(stderr, "internal error: %s\n  broken: %s\n  at %s:%d\n", context.c_str(), condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace rx
