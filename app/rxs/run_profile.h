// rxs run --profile: where the time of a run goes.
#pragma once

#include <CLI/CLI.hpp>

#include "app/rxs/reply.h"
#include "core/compile/compile.h"
#include "core/runtime/machine.h"

namespace rx::cli {

struct ProfileArguments {
  bool wanted = false;
  bool byCall = false;
  int runs = 0;                   ///< 0: as many as take a second
  std::string out;                ///< file for the profile as JSON, empty for none
  std::string trace;              ///< the same for Chrome's trace viewer
  std::string field = "profile";  ///< of the answer
};

/// Adds --profile and the options that begin with it.
void addProfileOptions(CLI::App& command, ProfileArguments& arguments);

/// The folder where the limits of the machine are kept; empty where none is asked for.
std::string limitsFolder(const ProfileArguments& arguments);

/// Runs the function again and again, and answers with the profile, as text or under its field. The median of the runs
/// that nobody looked at, in nanoseconds. Fails as the run does, or with `file.write`.
Result<int64_t> profileInto(Reply& reply, const ProfileArguments& arguments, vm::Machine& machine,
                            const compile::Program& program, const std::string& function,
                            const std::vector<vm::Value>& args);

}  // namespace rx::cli
