// --confine: what runs a stranger's program, in a process that can not do more than run it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rx::cli {

void addConfineOption(CLI::App& command, bool& confine);

/// What a run may write, and whether it listens for a client.
struct ConfinedOutputs {
  std::vector<std::string> files;    ///< each with the folder that it is in, for it is written beside and renamed
  std::vector<std::string> folders;  ///< made where they are missing
  bool listens = false;
  /// The process itself is confined where it has no other thread: who started it sees the end, and may stop it.
  bool inPlace = false;
};

/// Runs `body` in a process of its own that reads what this one can and writes these outputs, the kernel cache and
/// temporary files of its own (core/support/confine.h); the exit code. Where the system allows no confinement `body`
/// runs without, after one warning. A signal that ends it ends this process in the same way, and that which the system
/// sends where memory runs out is said.
int runConfined(const ConfinedOutputs& outputs, const std::function<int()>& body);

}  // namespace rx::cli
