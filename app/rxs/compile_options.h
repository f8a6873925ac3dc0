// The options that say how a module is compiled, which run, build and dap share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/compile/compile.h"

namespace rx::cli {

struct CompileArguments {
  std::string passes = "default", target, mode = "release";
  std::string library;  ///< that computes what it can (core/library); empty for none
  int optLevel = 2;
  bool unchecked = false;
  bool fastReduce = false;  ///< threads share the sums of single places
  std::string tuned;        ///< a file of rxs tune; empty: rules choose by themselves
  bool noStore = false;     ///< no kernels from earlier runs, none kept for later ones
};

/// Adds --passes, --precise, --fast-reduce, --library, --tuned, --target, --mode, --opt-level, --unchecked and
/// --no-kernel-cache.
void addCompileOptions(CLI::App& command, CompileArguments& arguments);

/// `--plugin`: the libraries with a user's own packed functions.
void addPluginOption(CLI::App& command, std::vector<std::string>& libraries);

/// Fails with target.* and compile.mode.
Result<compile::Request> requestFor(const ir::Module& module, const CompileArguments& arguments);

/// What was said of the library that --library names: that this machine has it not.
std::vector<Diagnostic> libraryNotes(const compile::Program& program);

/// The kernels of earlier runs; null where they are not wanted or can not be had.
std::shared_ptr<codegen::ObjectStore> storeFor(const CompileArguments& arguments);

}  // namespace rx::cli
