// Names of architectures of devices: which code runs on which.
#pragma once

#include <cstdint>
#include <string_view>

namespace rx::device {

/// "sm_90a": a name, a number, and a letter where the code is for that very architecture.
struct Architecture {
  std::string_view family;
  int64_t number = 0;
  std::string_view only;
};
Architecture architectureIn(std::string_view text);

/// How near code for an architecture is to a device, the greater the nearer; 0 where the device can not run it. Code
/// for none is for every device.
int64_t nearness(std::string_view code, std::string_view device);

/// Whether code for an architecture runs on devices of another one too, which then is no older.
inline bool runsOn(std::string_view code, std::string_view device) { return nearness(code, device) > 0; }

}  // namespace rx::device
