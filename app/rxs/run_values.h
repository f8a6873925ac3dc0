// The options that say where the arguments of a run come from, which run and bisect share.
#pragma once

#include <CLI/CLI.hpp>

#include "app/rxs/arguments.h"

namespace rx::cli {

struct ValueArguments {
  std::string function = "main", json;
  std::vector<std::string> inputs, params, symbols, choices;
  std::optional<uint64_t> seed;
  bool ignoreExtra = false;
};

/// Adds --func, --inputs, --params, --map, --ignore-extra, --seed, --symbol and --args.
void addValueOptions(CLI::App& command, ValueArguments& arguments);

/// The sizes of "NAME=VALUE", each by its name. Fails with run.symbol.
Result<std::map<std::string, int64_t>> sizesOf(const std::vector<std::string>& symbols);

/// The arrays of the files that were named, else of those beside the module at `path`, and what was chosen. Fails with
/// run.symbol, run.choice and the rules of files.
Result<ArgumentSources> sourcesOf(const ValueArguments& arguments, const std::string& path);

/// A value for each parameter of the function; fails as sourcesOf and gatherArguments do.
Result<std::vector<vm::Value>> valuesFor(const ValueArguments& arguments, const std::string& path,
                                         const relax::Function& function);

}  // namespace rx::cli
