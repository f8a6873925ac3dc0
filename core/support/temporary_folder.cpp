#include "core/support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace rx {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(const std::string& name, const std::string& inside) {
  std::error_code error;
  const fs::path parent = inside.empty() ? fs::temp_directory_path(error) : fs::path(inside);
  std::string path = (parent / (name + "-XXXXXX")).string();
  if (error || !::mkdtemp(path.data()))
    return fail("file.write", fmt::format("{}: can not be created: {}", path, std::strerror(errno)));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace rx
