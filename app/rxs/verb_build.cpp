// rxs build: compiles a module and exports it as a package; --verify runs it in a clean process and compares bytes.
// rxs package: runs a function of an exported package.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "app/rxs/arguments.h"
#include "app/rxs/compile.h"
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/export/package.h"
#include "core/vm/machine.h"

extern char** environ;

namespace rx::cli {

namespace {

namespace fs = std::filesystem;

struct BuildArguments {
  InputOptions input;
  std::string params, output, name = "model", passes = "default", target, inputs;
  bool verify = false;
};

struct PackageArguments {
  std::string folder, function = "main", output;
  std::vector<std::string> inputs;
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

template <class T>
Result<Ref<HostTensor>> tensorOf(std::vector<int64_t> shape, DataType dtype, std::span<const T> elements) {
  return HostTensor::fromBytes(std::move(shape), dtype, std::as_bytes(elements));
}

/// A value as a package takes and gives it: a tensor for each item of a tuple, a vector for a shape, one element for a
/// number. Nests as deep as the type of the function.
Result<Unit> flatten(const vm::Value& value, std::vector<Ref<HostTensor>>& out) {
  auto add = [&](Result<Ref<HostTensor>> tensor) -> Result<Unit> {
    if (!tensor) return fail(tensor.diagnostics());
    out.push_back(*tensor);
    return Unit{};
  };
  switch (value.kind()) {
    case vm::ValueKind::Tuple:
      for (const vm::Value& item : value.asTuple()) RX_CHECK(flatten(item, out));
      return Unit{};
    case vm::ValueKind::Tensor:
      out.push_back(Ref<HostTensor>(&value.tensor()));
      return Unit{};
    case vm::ValueKind::Shape: {
      const std::vector<int64_t>& dims = value.asShape();
      return add(tensorOf<int64_t>({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims));
    }
    case vm::ValueKind::Int:
    case vm::ValueKind::Bool: {
      const int64_t number = value.is(vm::ValueKind::Int) ? value.asInt() : value.asBool();
      return add(tensorOf<int64_t>({}, DataType::Int(64), {&number, 1}));
    }
    case vm::ValueKind::Float: {
      const double number = value.asFloat();
      return add(tensorOf<double>({}, DataType::Float(64), {&number, 1}));
    }
    default:
      return fail("export.verify",
                  "not available: verifying needs tensors, shapes and numbers, not " + value.summary());
  }
}

/// What the same code gives in this process.
Result<std::vector<Ref<HostTensor>>> runHere(const CompiledModule& compiled, std::vector<vm::Value> values) {
  vm::MachineOptions options;
  options.kernels = compiled.kernels;
  RX_TRY(machine, vm::Machine::create(compiled.executable, std::move(options)));
  RX_CHECK(machine->start("main", std::move(values)));
  machine->run();
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  std::vector<Ref<HostTensor>> results;
  RX_CHECK(flatten(machine->result(), results));
  return results;
}

Result<Unit> verifyPackage(const BuildArguments& arguments, const CompiledModule& compiled,
                           const relax::Function& function) {
  ArgumentSources sources;
  std::string inputs = arguments.inputs.empty() ? besideModule(arguments.input.path, "inputs.npz") : arguments.inputs;
  std::string params = arguments.params.empty() ? besideModule(arguments.input.path, "params.npz") : arguments.params;
  RX_TRY(given, readArrays(inputs));
  RX_TRY(weights, readArrays(params));
  sources.inputs = given;
  sources.params = std::move(weights);
  if (given.empty()) sources.seed = 1;
  RX_TRY(values, gatherArguments(function, "main", sources));

  fs::path scratch = fs::path(arguments.output) / ".verify";
  std::error_code error;
  fs::create_directories(scratch, error);
  struct Cleaner {
    fs::path folder;
    ~Cleaner() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } cleaner{scratch};
  std::vector<std::string> command{"package", arguments.output, "-o", (scratch / "out").string()};
  std::vector<Ref<HostTensor>> tensors;
  for (const vm::Value& value : values) RX_CHECK(flatten(value, tensors));
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string path = (scratch / fmt::format("in{}.npy", i)).string();
    RX_CHECK(writeNpy(path, *tensors[i]));
    command.push_back(path);
  }
  int code = runSelf(command);
  if (code != kYes)
    return fail("export.verify", fmt::format("the package ended with exit code {} in a process of its own", code));
  RX_TRY(expected, runHere(compiled, std::move(values)));
  for (size_t i = 0; i < expected.size(); ++i) {
    RX_TRY(got, readNpy(fmt::format("{}{}.npy", (scratch / "out").string(), i), expected[i]->dtype()));
    if (!got->identical(*expected[i])) {
      return fail("export.verify", fmt::format("result {} of the package differs from that of this process", i));
    }
  }
  fmt::print("verified: {} results are equal, byte for byte\n", expected.size());
  return Unit{};
}

int runBuild(const BuildArguments& arguments) {
  ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  CompileOptions options;
  options.passes = arguments.passes;
  Result<target::TargetRef> target = targetToRun(arguments.target);
  if (!target) return refuse(target.diagnostics());
  options.target = *target;
  Result<CompiledModule> compiled = compileModule(module, options);
  if (!compiled) return refuse(compiled.diagnostics(), *module->sources);
  exporter::PackageOptions package;
  package.name = arguments.name;
  package.source = fs::path(moduleFile(arguments.input.path)).filename().string();
  package.pipeline = arguments.passes;
  Result<std::vector<NamedTensor>> params =
      readArrays(arguments.params.empty() ? besideModule(arguments.input.path, "params.npz") : arguments.params);
  if (!params) return refuse(params.diagnostics());
  Result<Unit> fits = checkWeights(module, *params);
  if (!fits) return refuse(fits.diagnostics());
  package.params = *params;
  Result<exporter::Package> written =
      exporter::writePackage(compiled->lowered(), *compiled->executable, package, arguments.output);
  if (!written) return refuse(written.diagnostics(), *module->sources);
  fmt::print("wrote {}, {}, {}\n", written->library, written->params, written->manifest);
  if (!arguments.verify) return kYes;
  auto function = refAs<relax::Function>(module->find("main"));
  if (!function)
    return refuse(
        {errorAt({}, "export.verify", "not available: verifying runs \"main\", which the module does not have")});
  Result<Unit> verified = verifyPackage(arguments, *compiled, *function);
  return verified ? kYes : refuse(verified.diagnostics());
}

int runPackageVerb(const PackageArguments& arguments) {
  std::vector<Ref<HostTensor>> inputs;
  for (const std::string& path : arguments.inputs) {
    Result<Ref<HostTensor>> tensor = readNpy(path);
    if (!tensor) return refuse(tensor.diagnostics());
    inputs.push_back(*tensor);
  }
  auto results = exporter::runPackage(arguments.folder, arguments.function, inputs);
  if (!results) return refuse(results.diagnostics());
  for (size_t i = 0; i < results->size(); ++i) {
    if (arguments.output.empty()) {
      fmt::print("out_{}: {}\n", i, vm::tensorText(*(*results)[i], 40));
      continue;
    }
    Result<Unit> written = writeNpy(fmt::format("{}{}.npy", arguments.output, i), *(*results)[i]);
    if (!written) return refuse(written.diagnostics());
  }
  return kYes;
}

}  // namespace

std::function<int()> setupBuild(CLI::App& command) {
  auto arguments = std::make_shared<BuildArguments>();
  addInputOptions(command, arguments->input);
  command.add_option("--params", arguments->params, ".npz with weights (default: params.npz beside the module)");
  command.add_option("-o,--output", arguments->output, "folder for the package")->required();
  command.add_option("--name", arguments->name, "name of the library: libNAME.so");
  command.add_option("--passes", arguments->passes, "pipeline to compile with");
  command.add_option("--target", arguments->target,
                     "what to compile for: llvm, or JSON that says more of this machine");
  command.add_option("--inputs", arguments->inputs, ".npz with the inputs that --verify uses");
  command.add_flag("--verify", arguments->verify, "run the package in a clean process and compare bytes");
  return [arguments] { return runBuild(*arguments); };
}

std::function<int()> setupPackage(CLI::App& command) {
  auto arguments = std::make_shared<PackageArguments>();
  command.add_option("folder", arguments->folder, "folder that rxs build wrote")->required();
  command.add_option("inputs", arguments->inputs, ".npy files, one for each leading argument");
  command.add_option("--func", arguments->function, "function to run (default main)");
  command.add_option("-o,--output", arguments->output, "prefix of the .npy files for the results");
  return [arguments] { return runPackageVerb(*arguments); };
}

}  // namespace rx::cli
