// A request: everything that the compiler needs to know to make a program. The window sends one to the engine; the
// compiler itself (core/compile) is linked by rxs alone.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/pass/pass.h"

namespace rx::compile {

/// How machine code is made. Accesses that are not proven are checked in both.
enum class Mode : uint8_t {
  Step,     ///< kernels as their loops stand, not optimised: each compiles in about a millisecond
  Release,  ///< lowered through the whole pipeline and optimised
};

struct ModeRow {
  const char* name;  ///< as --mode and the launch argument "mode" take it
  Mode mode;
  const char* help;
};
std::span<const ModeRow> modes();
/// Fails with compile.mode, which names the modes.
Result<Mode> modeNamed(std::string_view name);

struct Request {
  ir::Module module;
  std::string passes = "default";  ///< a pipeline as parsePipeline takes it
  target::TargetRef target;        ///< null: the machine that compiles
  Mode mode = Mode::Release;
  int optLevel = 2;  ///< of the PassContext: which passes run at all
};

}  // namespace rx::compile
