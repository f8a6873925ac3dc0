// rxs dap: the engine as a child process or a server for an editor.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/rxs/arguments.h"
#include "app/rxs/input.h"
#include "app/rxs/program.h"
#include "app/rxs/verbs.h"
#include "core/dap/server/run_dap.h"
#include "core/ir/structural_hash.h"
#include "core/script/json.h"
#include "core/script/print.h"
#include "core/support/file.h"

namespace rx::cli {

namespace {

/// Diagnostics of the engine travel without the sources they point into, so each takes its place along as text.
Failure located(std::vector<Diagnostic> diagnostics, const SourceList& sources) {
  for (Diagnostic& d : diagnostics) {
    if (!d.span.known() || d.span.file >= sources.size() || !d.context.empty()) continue;
    LineColumn at = sources[d.span.file]->lineColumn(d.span.begin);
    d.context = sources[d.span.file]->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  return fail(std::move(diagnostics));
}

Result<ir::Module> readModule(const dap::LaunchArguments& arguments) {
  if (arguments.ir) return script::moduleFromJson(*arguments.ir);
  std::string path = moduleFile(arguments.program);
  RX_TRY(text, readFile(path));
  if (path.ends_with(".json")) return script::moduleFromJson(text);
  auto source = make<SourceFile>(path, std::move(text));
  script::ParseOptions options;
  options.name = arguments.module;
  Result<ir::Module> module = script::parseModule(source, options);
  if (!module) return located(module.diagnostics(), {source});
  return module;
}

/// A program with the module it came from.
struct Loaded : dap::LoadedProgram {
  ir::Module module;
};

Result<std::shared_ptr<dap::LoadedProgram>> load(const dap::LaunchArguments& arguments, const CancelToken& cancel,
                                                 const std::shared_ptr<codegen::KernelCache>& cache) {
  RX_TRY(module, readModule(arguments));
  CompileOptions options;
  options.passes = arguments.passes;
  options.cancel = cancel;
  options.cache = cache;
  Result<CompiledProgram> compiled = compileProgram(module, options);
  if (!compiled) return located(compiled.diagnostics(), *module->sources);
  auto program = std::make_shared<Loaded>();
  program->module = module;
  program->executable = compiled->executable;
  program->kernels = compiled->kernels;
  auto history = std::make_shared<pass::History>(std::move(compiled->history));
  for (size_t i = 0; i < history->stageCount(); ++i) {
    const ir::Module& stage = history->stage(i);
    program->stages.push_back(std::make_shared<debug::Stage>(i == 0 ? "imported" : history->steps[i - 1].name, stage,
                                                             fmt::format("{:016x}", structuralHash(stage))));
  }
  program->text = [history](size_t i) { return script::printModule(history->stage(i)).text; };
  for (size_t i = 0; i < module->size(); ++i)
    if (isa<relax::Function>(module->functions[i])) program->functions.push_back(module->vars[i]->name.string());
  return std::shared_ptr<dap::LoadedProgram>(std::move(program));
}

Result<std::vector<vm::Value>> argumentsOf(const dap::LoadedProgram& program, const dap::LaunchArguments& arguments) {
  ArgumentSources sources;
  sources.params = arguments.params;
  sources.inputs = arguments.inputs;
  bool nothing =
      arguments.params.empty() && arguments.inputs.empty() && arguments.inputFiles.empty() && !arguments.seed;
  if (nothing && !arguments.program.empty()) {
    sources.params = besideModule(arguments.program, "params.npz");
    sources.inputs = besideModule(arguments.program, "inputs.npz");
  }
  sources.files = arguments.inputFiles;
  if (arguments.seed) sources.seed = static_cast<uint64_t>(*arguments.seed);
  if (arguments.symbols && arguments.symbols->is_object())
    for (const auto& [name, value] : arguments.symbols->items())
      if (value.is_number_integer()) sources.symbols[name] = value.get<int64_t>();
  return gatherArguments(static_cast<const Loaded&>(program).module, arguments.function, sources);
}

}  // namespace

std::function<int()> setupDap(CLI::App& command) {
  struct Arguments {
    std::optional<uint16_t> listen;
    std::string log;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_option("--listen", arguments->listen, "wait for one client on this loopback port (0: any free one)");
  command.add_option("--log", arguments->log, "file that gets every message, one a line");
  return [arguments] {
    dap::DapOptions options;
    options.listen = arguments->listen;
    options.log = arguments->log;
    auto cache = codegen::makeKernelCache();
    options.host.load = [cache](const dap::LaunchArguments& launch, const CancelToken& cancel) {
      return load(launch, cancel, cache);
    };
    options.host.arguments = argumentsOf;
    return dap::runDap(std::move(options)) == 0 ? kYes : kNo;
  };
}

}  // namespace rx::cli
