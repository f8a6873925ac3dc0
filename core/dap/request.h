// What a request is: a command with the types of its arguments and of its answer.
#pragma once

#include <algorithm>
#include <cstddef>

namespace rx::dap {

/// A text as a template argument.
template <size_t N>
struct CommandName {
  char text[N] = {};
  constexpr CommandName(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT(google-explicit-constructor)
};

/// Base of the tag type of a request: `struct Pause : RequestOf<"pause", ThreadArguments, Nothing> {}`.
template <CommandName Command, class A, class B>
struct RequestOf {
  static constexpr const char* kCommand = Command.text;
  using Arguments = A;
  using Body = B;
};

}  // namespace rx::dap
