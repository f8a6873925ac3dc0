#include "core/dap/server/write_policy.h"

#include <algorithm>
#include <filesystem>

namespace rx::dap {

namespace fs = std::filesystem;

Result<Unit> WritePolicy::check(const std::string& path) const {
  if (!folders) return Unit();
  std::error_code error;
  const fs::path target = fs::weakly_canonical(fs::absolute(path, error), error);
  const bool link = fs::is_symlink(fs::symlink_status(target, error));  // to nowhere, or it would be followed
  const auto inside = [&](const std::string& name) {
    fs::path folder = fs::weakly_canonical(fs::absolute(name, error), error);
    if (!folder.has_filename()) folder = folder.parent_path();
    return std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first == folder.end();
  };
  if (!path.empty() && !link && std::any_of(folders->begin(), folders->end(), inside)) return Unit();
  return fail("dap.write", "`" + escapedForDisplay(path) +
                               "` may not be written for a client: `rxs dap "
                               "--allow-write` names the folders that may");
}

}  // namespace rx::dap
