// A request: everything that the compiler needs to know to make a program. The window sends one to the engine; the
// compiler itself (core/compile) is linked by rxs alone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/pass/runner.h"

namespace rx::compile {

/// How machine code is made.
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
  /// What passes made of the module already; these are not run again, and `passes` is not asked. May be null.
  std::shared_ptr<const pass::History> ran;
  target::TargetRef target;  ///< null: the machine that compiles
  Mode mode = Mode::Release;
  bool checked =
      true;          ///< kernels check each access that is not proven; without it a wrong one reads or writes anything
  int optLevel = 2;  ///< of the PassContext: which passes run at all
};

}  // namespace rx::compile
