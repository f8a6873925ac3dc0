#include "core/support/cache_folder.h"

#include <cstdlib>

namespace rx {

std::string cacheFolder(std::string_view name) {
  const auto inside = [&](std::string folder) { return folder + "/relaxscope/" + std::string(name); };
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return inside(cache);
  const char* home = std::getenv("HOME");
  return home && *home ? inside(std::string(home) + "/.cache") : std::string();
}

}  // namespace rx
