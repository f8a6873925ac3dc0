#include "core/device/run/architecture.h"

#include <algorithm>

namespace rx::device {

Architecture architectureIn(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t digits = std::min(text.find_first_of(kDigits), text.size());
  const size_t rest = std::min(text.find_first_not_of(kDigits, digits), text.size());
  Architecture made{text.substr(0, digits), 0, text.substr(rest)};
  for (const char digit : text.substr(digits, rest - digits)) made.number = made.number * 10 + (digit - '0');
  return made;
}

int64_t nearness(std::string_view code, std::string_view device) {
  if (code.empty() || code == device) return INT64_MAX;
  const Architecture made = architectureIn(code), is = architectureIn(device);
  if (made.family != is.family || made.number > is.number) return 0;
  return made.only.empty() ? made.number : 0;
}

}  // namespace rx::device
