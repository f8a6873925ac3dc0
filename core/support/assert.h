// Broken invariants of ours: they stop with context. Broken input is a Diagnostic, never an assertion.
#pragma once

#include <fmt/format.h>

namespace rx {

/// Prints the failed condition with its place and context to standard error and aborts.
[[noreturn]] void invariantBroken(const char* condition, const char* file, int line, const std::string& context);

}  // namespace rx

/// RX_ASSERT(condition, "format", args...): checked in every build; the message is evaluated only on failure.
#define RX_ASSERT(condition, ...)        \
  (static_cast<bool>(condition) ? void() \
                                : ::rx::invariantBroken(#condition, __FILE__, __LINE__, ::fmt::format(__VA_ARGS__)))
