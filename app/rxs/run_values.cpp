#include "app/rxs/run_values.h"

#include <fmt/format.h>

#include <cstdlib>

#include "app/rxs/input.h"
#include "app/rxs/run_json.h"

namespace rx::cli {
namespace {

/// The files that were named, else the one beside the module.
std::vector<std::string> filesOr(const std::vector<std::string>& named, const std::string& path, const char* beside) {
  if (!named.empty()) return named;
  std::string found = besideModule(path, beside);
  return found.empty() ? std::vector<std::string>() : std::vector<std::string>{found};
}

}  // namespace

Result<std::map<std::string, int64_t>> sizesOf(const std::vector<std::string>& symbols) {
  std::map<std::string, int64_t> sizes;
  for (const std::string& text : symbols) {
    size_t equals = text.find('=');
    char* end = nullptr;
    long long value = equals == std::string::npos ? 0 : std::strtoll(text.c_str() + equals + 1, &end, 10);
    if (!end || *end || value < 0)
      return fail("run.symbol", fmt::format("--symbol takes NAME=VALUE, not \"{}\"", text));
    sizes[text.substr(0, equals)] = value;
  }
  return sizes;
}

Result<ArgumentSources> sourcesOf(const ValueArguments& arguments, const std::string& path) {
  ArgumentSources sources;
  sources.seed = arguments.seed;
  sources.ignoreExtra = arguments.ignoreExtra;
  const bool generate = arguments.seed.has_value();
  // A seed stands for the files beside the module, not for those that are named.
  if (!generate || !arguments.inputs.empty()) {
    RX_TRY(given, readArrays(filesOr(arguments.inputs, path, "inputs")));
    sources.inputs = std::move(given);
  }
  if (!generate || !arguments.params.empty()) {
    RX_TRY(weights, readArrays(filesOr(arguments.params, path, "params")));
    sources.params = std::move(weights);
  }
  for (const std::string& choice : arguments.choices) RX_CHECK(addChoice(sources, choice));
  RX_TRY(symbols, sizesOf(arguments.symbols));
  sources.symbols = std::move(symbols);
  return sources;
}

Result<std::vector<vm::Value>> valuesFor(const ValueArguments& arguments, const std::string& path,
                                         const relax::Function& function) {
  if (!arguments.json.empty()) return readJsonArguments(arguments.json, function);
  RX_TRY(sources, sourcesOf(arguments, path));
  return gatherArguments(function, arguments.function, sources);
}

void addValueOptions(CLI::App& command, ValueArguments& arguments) {
  command.add_option("--func", arguments.function, "function to run (default main)");
  command
      .add_option("--inputs", arguments.inputs,
                  ".npz, .npy or .safetensors files with inputs by parameter name (default: inputs.npz or .safetensors "
                  "beside the module)")
      ->allow_extra_args(false);
  command
      .add_option(
          "--params", arguments.params,
          ".npz, .npy or .safetensors files with weights by parameter name (default: params.npz or .safetensors "
          "beside the module)")
      ->allow_extra_args(false);
  command
      .add_option("--map", arguments.choices,
                  "PARAMETER=ARRAY: the array that a parameter takes, where it has another name; ARRAY[0:3, :] is a "
                  "part of it, with zeros behind its end; @zero and @seed make it")
      ->allow_extra_args(false);
  command.add_flag("--ignore-extra", arguments.ignoreExtra, "arrays that no parameter takes are no error");
  command.add_option("--seed", arguments.seed, "generate what no file gives, the same for the same number");
  command.add_option("--symbol", arguments.symbols, "NAME=VALUE of a symbolic variable, for generated inputs");
  command.add_option("--args", arguments.json, "JSON with the arguments");
}

}  // namespace rx::cli
