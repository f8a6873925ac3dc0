// What can fail below everything: standard output, which is a file that may be full or closed; memory.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace rx::cli {

/// A descriptor of standard input, output or error that is closed would be that of the next file that is opened: until
/// then nothing stands there, and can not be written.
void holdStandardDescriptors();

/// Text of the answer. That it can not be written is said once.
void say(std::string_view text);
template <class... T>
void say(fmt::format_string<T...> format, T&&... values) {
  say(std::string_view(fmt::format(format, std::forward<T>(values)...)));
}
/// Text on standard error; nothing can be said of what can not be written there.
void tell(std::string_view text);

/// From here on, who finds no memory ends the process with a message and kNo.
void sayWhenOutOfMemory();

/// Writes what is waiting. Returns the code, or kNo where standard output did not take all that was said.
int finishOutput(int code);

}  // namespace rx::cli
