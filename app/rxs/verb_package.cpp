// rxs package: runs a function of an exported package, or checks its files.
#include <fmt/format.h>

#include "app/rxs/arguments.h"
#include "app/rxs/input.h"
#include "app/rxs/interrupt.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/export/package.h"
#include "core/runtime/value_tensors.h"
#include "core/tensor/tensor_text.h"

namespace rx::cli {

namespace {

using Tensors = std::vector<Ref<HostTensor>>;

struct PackageArguments {
  std::string path, function = "main", output;
  std::vector<std::string> inputs;
  bool verify = false;
  double timeLimit = 0;  ///< seconds, 0 for none
};

/// Files of one array each are in the order of the parameters; what holds arrays with names goes by them.
Result<Tensors> results(const PackageArguments& arguments, Interrupt& interrupt) {
  const std::vector<std::string>& files = arguments.inputs;
  if (files.size() == 1 && !files.front().ends_with(".npy")) {
    RX_TRY(named, readArrays(files.front()));
    return exporter::runPackage(arguments.path, arguments.function, named, interrupt.listener());
  }
  Tensors inputs;
  for (const std::string& path : files) {
    RX_TRY(tensor, readNpy(path));
    inputs.push_back(std::move(tensor));
  }
  return exporter::runPackage(arguments.path, arguments.function, inputs, interrupt.listener());
}

int runPackageVerb(const PackageArguments& arguments) {
  if (arguments.verify) return verifyPackageFiles(arguments.path);
  Interrupt interrupt(arguments.timeLimit);
  const Result<Tensors> given = results(arguments, interrupt);
  if (!given) return refuse(interrupt.explained(given.diagnostics()));
  for (size_t i = 0; i < given->size(); ++i) {
    if (arguments.output.empty()) {
      say("out_{}: {}\n", i, tensorText(*(*given)[i], 40));
      continue;
    }
    const Result<Unit> written = writeNpy(fmt::format("{}{}.npy", arguments.output, i), *(*given)[i]);
    if (!written) return refuse(written.diagnostics());
  }
  return kYes;
}

}  // namespace

int verifyPackageFiles(const std::string& path) {
  const Result<size_t> files = exporter::verifyPackage(path);
  if (!files) return refuse(files.diagnostics());
  say("verified: {} files are what was written, byte for byte\n", *files);
  return kYes;
}

std::function<int()> setupPackage(CLI::App& command) {
  auto arguments = std::make_shared<PackageArguments>();
  command.add_option("package", arguments->path, "folder or .tar that rxs build wrote")->required();
  command.add_option("inputs", arguments->inputs,
                     ".npy files, one for each leading argument, or one .npz or .safetensors file with the arrays by "
                     "the names of the parameters");
  command.add_option("--func", arguments->function, "function to run (default main)");
  command.add_flag("--verify", arguments->verify,
                   "check every byte of the package against its manifest, and run nothing");
  addTimeLimitOption(command, arguments->timeLimit);
  command.add_option("-o,--output", arguments->output, "prefix of the .npy files for the results");
  return [arguments] { return runPackageVerb(*arguments); };
}

}  // namespace rx::cli
