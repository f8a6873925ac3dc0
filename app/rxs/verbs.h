// The verbs of rxs: one row each, one file each. A verb declares its options on a CLI11 subcommand and runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace rx::cli {

/// Exit codes of every verb.
constexpr int kYes = 0;       ///< done, or yes
constexpr int kNo = 1;        ///< no, or refused; diagnostics are on standard error
constexpr int kWrongUse = 2;  ///< the command line is off

/// Declares the options of a verb on `command` and returns what runs it once the command line was read.
using Setup = std::function<int()> (*)(CLI::App& command);

struct Verb {
  const char* name;
  const char* help;
  Setup setup;
};

std::function<int()> setupCheck(CLI::App& command);
std::function<int()> setupPrint(CLI::App& command);
std::function<int()> setupEqual(CLI::App& command);
std::function<int()> setupDiff(CLI::App& command);
std::function<int()> setupFind(CLI::App& command);
std::function<int()> setupOpt(CLI::App& command);
std::function<int()> setupTranslate(CLI::App& command);
std::function<int()> setupRun(CLI::App& command);
std::function<int()> setupBisect(CLI::App& command);
std::function<int()> setupKernel(CLI::App& command);
std::function<int()> setupSchedule(CLI::App& command);
std::function<int()> setupTune(CLI::App& command);
std::function<int()> setupShow(CLI::App& command);
std::function<int()> setupMachine(CLI::App& command);
std::function<int()> setupBuild(CLI::App& command);
std::function<int()> setupPackage(CLI::App& command);
/// Checks every file of a package, as both verbs do on request; an exit code.
int verifyPackageFiles(const std::string& path);
std::function<int()> setupHelp(CLI::App& command);
std::function<int()> setupDap(CLI::App& command);
std::function<int()> setupManual(CLI::App& command);
std::function<int()> setupCompletion(CLI::App& command);

}  // namespace rx::cli
