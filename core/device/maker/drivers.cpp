#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "core/device/maker/maker.h"

namespace rx::device {

namespace {

struct Variable {
  const char* name;
  std::string_view value;
  bool alone;
};
constexpr Variable kVariables[] = {
#define RX_DRIVER_VARIABLE(name, value) {name, value, false},
#define RX_DRIVER_VARIABLE_ALONE(name, value) {name, value, true},
#include "core/device/maker/drivers.def"
#undef RX_DRIVER_VARIABLE
#undef RX_DRIVER_VARIABLE_ALONE
};

struct Files {
  const char* folder;
  std::string_view beginning;
};
constexpr Files kFiles[] = {
#define RX_DRIVER_FILES(folder, beginning) {folder, beginning},
#include "core/device/maker/drivers.def"
#undef RX_DRIVER_FILES
};

}  // namespace

void tellDrivers(const std::string& folder, bool startsPrograms) {
  for (const Variable& row : kVariables) {
    if (row.alone && startsPrograms) continue;
    ::setenv(row.name, fmt::format(fmt::runtime(row.value), folder).c_str(), 1);
  }
}

std::vector<std::string> driverFiles() {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  for (const Files& row : kFiles) {
    std::error_code none;
    for (fs::directory_iterator at(row.folder, none), end; !none && at != end; at.increment(none)) {
      if (at->path().filename().string().starts_with(row.beginning) && at->is_character_file(none))
        found.push_back(at->path());
    }
  }
  return found;
}

}  // namespace rx::device
