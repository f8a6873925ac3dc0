#include "app/rxs/confined.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/rxs/input.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/compile/kernel_store.h"
#include "core/device/maker/maker.h"
#include "core/support/confine.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {

namespace {

namespace fs = std::filesystem;

/// What a file needs: itself where it is a device or FIFO, else the folder behind links that it is in.
std::string placeOf(const std::string& file) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  if (!error && fs::exists(real, error) && !fs::is_regular_file(real, error)) return real;
  return (error ? fs::path(file) : real).parent_path();
}

Confinement confinementOf(const ConfinedOutputs& outputs, const std::string& temporary) {
  Confinement confinement{device::driverFiles(), outputs.listens};
  confinement.writable.push_back(temporary);
  std::error_code ignored;
  const std::string kernels = compile::kernelStoreFolder();
  std::vector<std::string> folders = outputs.folders;
  if (!kernels.empty() && compile::openKernelStore(kernels)) folders.push_back(kernels);
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    fs::create_directories(folder, ignored);
    confinement.writable.push_back(folder);
  }
  for (const std::string& file : outputs.files)
    if (!file.empty()) confinement.writable.push_back(placeOf(fs::absolute(file, ignored)));
  return confinement;
}

bool hasOneThread() {
  std::error_code error;
  const fs::directory_iterator threads("/proc/self/task", error);
  return !error && std::distance(threads, {}) == 1;
}

void enter(const Confinement& confinement, const std::string& temporary) {
  const auto warn = [](const Result<Unit>& done, std::string_view so) {
    if (done) return;
    std::vector<Diagnostic> why = done.diagnostics();
    why.front().severity = Severity::Warning;
    why.front().notes.push_back({std::string(so), {}});
    report(why, {});
  };
  ::setenv("TMPDIR", temporary.c_str(), 1);
  warn(device::startProgramMaker(), "drivers that start programs can compile no kernel for a device");
  device::tellDrivers(temporary, false);
  warn(confine(confinement), "the program that is run may do what this one may");
}

[[noreturn]] void runAsChild(const Confinement& confinement, const std::string& temporary, pid_t parent,
                             const std::function<int()>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNo);
  enter(confinement, temporary);
  ::_exit(finishOutput(body()));
}

/// Ends as the child did.
int endAs(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL)
    report({errorAt({}, "run.killed", "the run was killed, as the system does when no memory is left")}, {});
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  return kNo;
}

}  // namespace

void addConfineOption(CLI::App& command, bool& confine) {
  command.add_flag(
      "--confine", confine,
      "let the program that is run read what you can and write nothing but the kernel cache, the folders that its "
      "outputs lie in, and devices by their drivers, make no connection and start no program (what drivers compile "
      "for a device is compiled by another process, which runs nothing of it); whole folders, since an output is "
      "written beside its place and then renamed, and the system allows that for a folder or not at all: give outputs "
      "a folder of their own");
}

int runConfined(const ConfinedOutputs& outputs, const std::function<int()>& body) {
  const Result<TemporaryFolder> temporary = TemporaryFolder::make("rxs-confined");
  if (!temporary) return refuse(temporary.diagnostics());
  const Confinement confinement = confinementOf(outputs, temporary->path());
  if (outputs.inPlace && hasOneThread()) {
    enter(confinement, temporary->path());
    return body();
  }
  std::fflush(stdout);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0)
    return refuse({errorAt({}, "run.killed", fmt::format("no process can be made: {}", std::strerror(errno)))});
  if (child == 0) runAsChild(confinement, temporary->path(), parent, body);
  // Who presses Ctrl-C means the child, which gets the signal too, and may end in its own way.
  auto* const before = ::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::signal(SIGINT, before);
  return endAs(status);
}

}  // namespace rx::cli
