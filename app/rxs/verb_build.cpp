// rxs build: compiles a module and exports it as a package; --verify runs it in a clean process and compares bytes.
#include <fcntl.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/rxs/arguments.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/input.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/codegen/device_writer.h"
#include "core/compile/device_code.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/weights.h"
#include "core/evaluate/evaluate.h"
#include "core/export/package.h"
#include "core/library/library.h"
#include "core/runtime/value_tensors.h"
#include "core/support/temporary_folder.h"

extern char** environ;

namespace rx::cli {

namespace {

namespace fs = std::filesystem;

struct BuildArguments {
  InputOptions input;
  CompileArguments compile;
  std::string params, output, name = "model", inputs, function;
  std::vector<std::string> architectures;
  bool verify = false;
  bool bind = false;  ///< weights are constants of the program
};

/// Runs this program again with other arguments and waits; its exit code, or -1.
int runSelf(const std::vector<std::string>& arguments) {
  std::error_code error;
  std::string self = fs::read_symlink("/proc/self/exe", error).string();
  std::vector<char*> argv{self.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, self.c_str(), nullptr, nullptr, argv.data(), environ) != 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// What the same code gives in this process.
Result<std::vector<Ref<HostTensor>>> runHere(const compile::Program& program, const std::string& function,
                                             std::vector<vm::Value> values) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  vm::MachineOptions options;
  options.kernels = kernels;
  options.registry = std::make_shared<const vm::PackedRegistry>(library::registryWithLibraries());
  RX_TRY(result, evaluate::resultOf(program.executable, std::move(options), function, std::move(values)));
  return vm::tensorsOf({&result, 1});
}

Result<Unit> runAndCompare(const BuildArguments& arguments, const compile::Program& program, const std::string& name,
                           const relax::Function& function, const std::vector<NamedTensor>& weights) {
  ArgumentSources sources;
  std::string inputs = arguments.inputs.empty() ? besideModule(arguments.input.path, "inputs") : arguments.inputs;
  RX_TRY(given, readArrays(inputs));
  sources.inputs = given;
  sources.params = weights;
  if (given.empty()) sources.seed = 1;
  RX_TRY(values, gatherArguments(function, name, sources));

  RX_TRY(scratch, TemporaryFolder::make("rxs-verify"));
  std::vector<std::string> command{"package", arguments.output, "--func", name, "-o", scratch.file("out")};
  RX_TRY(tensors, vm::tensorsOf(values));
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string path = scratch.file(fmt::format("in{}.npy", i));
    RX_CHECK(writeNpy(path, *tensors[i]));
    command.push_back(path);
  }
  int code = runSelf(command);
  if (code != kYes)
    return fail("export.verify", fmt::format("the package ended with exit code {} in a process of its own", code));
  RX_TRY(expected, runHere(program, name, std::move(values)));
  for (size_t i = 0; i < expected.size(); ++i) {
    RX_TRY(got, readNpy(scratch.file(fmt::format("out{}.npy", i)), expected[i]->dtype()));
    if (!got->identical(*expected[i])) {
      return fail("export.verify", fmt::format("result {} of the package differs from that of this process", i));
    }
  }
  say("verified: {} equal, byte for byte\n",
      expected.size() == 1 ? "1 result is" : fmt::format("{} results are", expected.size()));
  return Unit{};
}

/// The function that takes weights and that a package is tried with: the one that is named, else main, else the only
/// one that can be called from outside.
Result<std::string> functionFor(const BuildArguments& arguments, const ir::Module& module) {
  std::vector<std::string> names;
  for (size_t i = 0; i < module->vars.size(); ++i)
    if (isa<relax::Function>(module->functions[i]) && ir::attrOf(module->functions[i]->attrs, "global_symbol"))
      names.emplace_back(module->vars[i]->name.view());
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const std::string wanted = !arguments.function.empty() ? arguments.function : has("main") ? "main" : "";
  if (!wanted.empty() && has(wanted)) return wanted;
  if (wanted.empty() && names.size() == 1) return names.front();
  Diagnostic why =
      errorAt({}, "export.function", fmt::format("the module has no function {}", wanted.empty() ? "main" : wanted));
  if (!names.empty()) why.fix = fmt::format("name one of its functions with --func: {}", fmt::join(names, ", "));
  return fail(std::move(why));
}

/// The module, and the weights that the package holds beside it: none where they are constants.
struct Given {
  ir::Module module;
  std::vector<NamedTensor> weights;
};

Result<Given> givenBy(const BuildArguments& arguments, const ir::Module& module) {
  RX_TRY(weights, readArrays(arguments.params.empty() ? besideModule(arguments.input.path, "params")
                                                      : std::string(arguments.params)));
  if (!arguments.bind) return Given{module, std::move(weights)};
  RX_TRY(compiled, compile::compiledForm(module));
  RX_CHECK(checkWeights(compiled, weights));
  RX_TRY(function, functionFor(arguments, compiled));
  RX_TRY(bound, compile::withWeights(compiled, function, weights));
  return Given{std::move(bound), {}};
}

/// For which devices there is code, where nobody said it.
void tellArchitecture(const BuildArguments& arguments, const compile::Request& request) {
  if (!arguments.architectures.empty() || !compile::leavesArchitectureOpen(arguments.compile.target)) return;
  const std::string architecture = codegen::architectureOf(*request.target);
  const bool oldest = architecture == codegen::languageOf(request.target->kind())->least;
  tell(fmt::format("code for {}, {}: --arch names others\n", architecture,
                   oldest ? "the oldest" : "as this machine's device has it"));
}

int runBuild(const BuildArguments& arguments) {
  ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  Result<Given> given = givenBy(arguments, module);
  if (!given) return refuse(given.diagnostics(), *module->sources);
  Result<compile::Request> request = requestFor(given->module, arguments.compile);
  if (!request) return refuse(request.diagnostics());
  tellArchitecture(arguments, *request);
  exporter::PackageOptions package;
  Result<std::vector<target::TargetRef>> targets = compile::targetsFor(request->target, arguments.architectures);
  if (!targets) return refuse(targets.diagnostics());
  package.targets = std::move(*targets);
  request->target = package.targets.front();
  package.onHost = [](std::string_view kernel, const Diagnostic& why) {
    tell(fmt::format("on the host: {}: {}\n", kernel, why.message));
  };
  Result<compile::Program> program = compile::compile(*request, {});
  if (!program) return refuse(program.diagnostics(), *module->sources);
  report(libraryNotes(*program), {});
  Result<ir::Module> compiled = compile::compiledForm(given->module);
  if (!compiled) return refuse(compiled.diagnostics(), *module->sources);
  Result<Unit> fits = checkWeights(*compiled, given->weights);
  if (!fits) return refuse(fits.diagnostics());
  package.name = arguments.name;
  package.source = fs::path(moduleFile(arguments.input.path)).filename().string();
  package.params = given->weights;
  package.store = storeFor(arguments.compile);
  Result<std::vector<std::string>> written = exporter::writePackage(*program, package, arguments.output);
  if (!written) return refuse(written.diagnostics(), *module->sources);
  say("wrote {}\n", fmt::join(*written, ", "));
  if (!arguments.verify) return kYes;
  if (const int whole = verifyPackageFiles(arguments.output); whole != kYes) return whole;
  const Result<std::string> name = functionFor(arguments, *compiled);
  if (!name) return refuse(name.diagnostics());
  const auto function = refAs<relax::Function>((*compiled)->find(*name));
  Result<Unit> verified = runAndCompare(arguments, *program, *name, *function, given->weights);
  return verified ? kYes : refuse(verified.diagnostics());
}

}  // namespace

std::function<int()> setupBuild(CLI::App& command) {
  auto arguments = std::make_shared<BuildArguments>();
  arguments->compile.passes = "optimized";
  addInputOptions(command, arguments->input);
  command.add_option("--params", arguments->params,
                     ".npz, .npy or .safetensors with weights (default: params.npz or .safetensors beside the module)");
  command.add_flag("--bind-params", arguments->bind,
                   "make the weights constants of the program: what they alone decide is computed now, and kernels "
                   "find them laid out as they read them; the package takes none");
  command.add_option("-o,--output", arguments->output, "folder for the package; NAME.tar: one file")->required();
  command.add_option("--name", arguments->name, "name of the library: libNAME.so");
  addCompileOptions(command, arguments->compile);
  command
      .add_option("--arch", arguments->architectures,
                  "of a device: the architectures that the package has code for, such as sm_80,sm_90; the driver there "
                  "compiles it when a function is first called")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--func", arguments->function,
                     "function that --bind-params gives weights and --verify runs (default main, or the only one)");
  command.add_option("--inputs", arguments->inputs, ".npz with the inputs that --verify uses");
  command.add_flag("--verify", arguments->verify,
                   "check what was written, run it in a clean process, and compare bytes");
  return [arguments] { return runBuild(*arguments); };
}

}  // namespace rx::cli
