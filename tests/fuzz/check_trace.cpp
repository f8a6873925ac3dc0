#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "checks.h"
#include "core/debug/trace_history.h"

namespace rx::fuzz {

namespace {

/// The bytes as a file that has no name anywhere.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("trace", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !bytes.empty()) {
      const ssize_t wrote = ::write(fd_, bytes.data(), bytes.size());
      if (wrote <= 0) break;
      bytes.remove_prefix(static_cast<size_t>(wrote));
    }
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

/// Everything that a debugger asks of one state.
std::string lookAt(debug::TraceHistory& history, int64_t state) {
  for (const debug::Next& frame : history.frames(state)) {
    if (frame.activation < 0 || frame.activation >= history.activationCount()) return "a frame of no activation";
    const int number = history.activation(frame.activation).function;
    const auto& functions = history.program().functions;
    if (number < 0 || number >= static_cast<int>(functions.size())) return "an activation of no function";
    const int registers = std::min(functions[static_cast<size_t>(number)].registers, 16);
    for (int reg = 0; reg < registers; ++reg) (void)debug::valueText(history.registerAt(state, frame.activation, reg));
  }
  if (history.next(state).instruction >= static_cast<int64_t>(history.program().instructions.size()))
    return "the next instruction is none";
  (void)history.liveAt(state);
  return {};
}

}  // namespace

std::string checkTrace(std::string_view bytes) {
  const MemoryFile file(bytes);
  auto opened = debug::TraceHistory::open(file.path());
  if (!opened) {
    const Diagnostic& why = opened.diagnostics()[0];
    return why.rule.starts_with("store.") ? "" : "a trace is refused by " + why.rule;
  }
  debug::TraceHistory& history = **opened;
  const debug::Program& program = history.program();
  for (size_t stage = 0; stage < program.stages.size(); ++stage) {
    const debug::StageMap map(program, static_cast<int>(stage));
    for (size_t i = 0; i < program.instructions.size(); ++i) (void)map.given(static_cast<int64_t>(i));
  }
  constexpr int64_t kLooks = 50;
  const int64_t stride = std::max<int64_t>(1, history.recorded() / kLooks);
  for (int64_t state = 0; state <= history.recorded(); state += stride) {
    if (std::string bad = lookAt(history, state); !bad.empty()) return bad;
  }
  (void)debug::valueText(history.result());
  return {};
}

}  // namespace rx::fuzz
