// rxs: every engine verb of relaxscope on the command line.
#include <fmt/format.h>

#include <sstream>

#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/codegen/kernels.h"
#include "core/support/stack.h"

namespace {

using namespace rx;
using namespace rx::cli;

constexpr Verb kVerbs[] = {
    {"check", "read a file and say whether its modules are well formed", setupCheck},
    {"print", "read a file, deduce, and write it as canonical text or JSON", setupPrint},
    {"equal", "compare two files structurally; say the first difference", setupEqual},
    {"diff", "say what differs between two files, binding by binding", setupDiff},
    {"find", "say which bindings a dataflow pattern matches", setupFind},
    {"opt", "apply passes, step by step", setupOpt},
    {"translate", "write a module of Relay as one of Relax", setupTranslate},
    {"run", "compile and run a function", setupRun},
    {"bisect", "run every stage on the same inputs and name the pass that changed what is computed", setupBisect},
    {"kernel", "show a kernel from its TIR to its machine code, line by line", setupKernel},
    {"schedule", "say how rules schedule kernels, as traces of primitives; or apply such a trace", setupSchedule},
    {"tune", "measure variants of kernels that the rules offer, and keep which was the quickest", setupTune},
    {"show", "say what a recorded run did, and the values that it had", setupShow},
    {"machine", "say what this machine can do, as profiles compare with it", setupMachine},
    {"build", "compile and export a package that runs without this program", setupBuild},
    {"package", "run a function of an exported package", setupPackage},
    {"help", "say what the rule of a diagnostic means, with an example", setupHelp},
    {"dap", "serve the Debug Adapter Protocol", setupDap},
    {"manual", "write the page of the manual, for man", setupManual},
    {"completion", "write what a shell reads to complete this command line", setupCompletion},
};

int runVerb(int argc, char** argv) {
  CLI::App app("rxs: read, check, transform, run, debug and export Relax modules", "rxs");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 yes or done, 1 no or refused (diagnostics are on standard error), 2 wrong use.");
  app.set_version_flag("--version", [] {
    return fmt::format("{}\nLLVM {}, compiles for {}", RX_VERSION, codegen::compilerVersion(),
                       codegen::processorName());
  });
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.help);
    actions.emplace_back(command, verb.setup(*command));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, errors;
    const int code = app.exit(error, out, errors) == 0 ? kYes : kWrongUse;
    say(out.view());
    tell(errors.view());
    return code;
  }
  for (auto& [command, action] : actions) {
    if (command->parsed()) return action();
  }
  return kWrongUse;
}

}  // namespace

int main(int argc, char** argv) {
  holdStandardDescriptors();
  sayWhenOutOfMemory();
  return finishOutput(rx::withDeepStack([&] { return runVerb(argc, argv); }));
}
