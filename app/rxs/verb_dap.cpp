// rxs dap: the debug engine. Compiles what a client names and serves it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/rxs/arguments.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/dap/server/run_dap.h"
#include "core/ir/structural_hash.h"
#include "core/script/json.h"
#include "core/script/print.h"
#include "core/support/file.h"

namespace rx::cli {

namespace {

Result<ir::Module> moduleOf(const dap::LaunchArguments& launch) {
  if (launch.ir) return script::moduleFromJson(*launch.ir);
  RX_TRY(text, readFile(moduleFile(launch.program)));
  if (std::filesystem::path(launch.program).extension() == ".json") return script::moduleFromJson(text);
  auto source = make<SourceFile>(moduleFile(launch.program), std::move(text));
  script::ParseOptions options;
  options.name = launch.module;
  return script::parseModule(source, options);
}

/// What the launch says of compiling goes before the command line.
CompileArguments compileArguments(const dap::LaunchArguments& launch, CompileArguments defaults) {
  if (!launch.passes.empty()) defaults.passes = launch.passes;
  if (!launch.target.empty()) defaults.target = launch.target;
  if (!launch.mode.empty()) defaults.mode = launch.mode;
  return defaults;
}

Result<std::shared_ptr<dap::LoadedProgram>> load(const dap::LaunchArguments& launch, const CompileArguments& defaults,
                                                 const CancelToken& cancel) {
  RX_TRY(module, moduleOf(launch));
  giveOwnOrigins(*module);
  const CompileArguments arguments = compileArguments(launch, defaults);
  RX_TRY(request, requestFor(module, arguments));
  const compile::Control control{cancel, {}, true};
  RX_TRY(compiled, compile::compile(request, control));
  RX_TRY(kernels, compile::kernelsOf(compiled, control, storeFor(arguments)));
  auto program = std::make_shared<dap::LoadedProgram>();
  program->executable = compiled.executable;
  program->kernels = kernels;
  program->compileTime = [kernels = kernels] { return kernels->tally().nanoseconds; };
  for (size_t i = 0; i <= compiled.history.steps.size(); ++i) {
    std::string title = i == 0 ? "imported" : compiled.history.steps[i - 1].name;
    const ir::Module& stage = compiled.history.stage(i);
    std::string hash = i == 0 ? fmt::format("{:x}", structuralHash(stage)) : std::string();
    program->stages.push_back(std::make_shared<debug::Stage>(title, stage, std::move(hash)));
  }
  program->print = [](const ir::Module& stage) { return script::printModule(stage).text; };
  for (size_t i = 0; i < module->size(); ++i) {
    if (isa<relax::Function>(module->functions[i])) program->functions.push_back(module->vars[i]->name.string());
  }
  return program;
}

bool given(const ArgumentSources& sources, std::string_view name) {
  const std::string prefix = fmt::format("{}.", name);
  auto named = [&](const NamedTensor& array) { return array.first == name || array.first.starts_with(prefix); };
  return std::any_of(sources.inputs.begin(), sources.inputs.end(), named) ||
         std::any_of(sources.params.begin(), sources.params.end(), named);
}

/// One .npy for each parameter that no .npz gives, in order.
Result<Unit> addInputFiles(const relax::Function& function, const std::vector<std::string>& files,
                           ArgumentSources& sources) {
  size_t next = 0;
  for (const relax::VarRef& param : function.params) {
    if (next == files.size()) break;
    if (given(sources, param->name.view())) continue;
    RX_TRY(tensor, readNpy(files[next++]));
    sources.inputs.push_back({param->name.string(), std::move(tensor)});
  }
  if (next == files.size()) return Unit{};
  return fail("run.unknown-argument",
              fmt::format("{} input files are given, but only {} parameters have no value yet", files.size(), next));
}

Result<std::vector<vm::Value>> arguments(const dap::LoadedProgram& program, const dap::LaunchArguments& launch,
                                         std::vector<dap::ParameterCheck>* checks) {
  auto function = refAs<relax::Function>(program.stages.front()->module()->find(launch.function));
  if (!function) return fail("run.no-function", fmt::format("the module has no function \"{}\"", launch.function));
  ArgumentSources sources;
  RX_TRY(inputs, readArrays(launch.inputs));
  RX_TRY(params, readArrays(launch.params));
  RX_TRY(more, readArrays(launch.files));
  sources.inputs = std::move(inputs);
  sources.params = std::move(params);
  std::move(more.begin(), more.end(), std::back_inserter(sources.inputs));
  for (const std::string& choice : launch.choices) RX_CHECK(addChoice(sources, choice));
  sources.ignoreExtra = launch.ignoreExtra;
  RX_CHECK(addInputFiles(*function, launch.inputFiles, sources));
  if (launch.seed) sources.seed = static_cast<uint64_t>(*launch.seed);
  if (launch.symbols && launch.symbols->is_object()) {
    for (const auto& [name, value] : launch.symbols->items()) {
      if (value.is_number_integer()) sources.symbols[name] = value.get<int64_t>();
    }
  }
  return gatherArguments(*function, launch.function, sources, checks);
}

}  // namespace

std::function<int()> setupDap(CLI::App& command) {
  struct Arguments {
    uint16_t port = 0;
    std::string log;
    CompileArguments compile;
  };
  auto arguments_ = std::make_shared<Arguments>();
  arguments_->compile.mode = "step";
  CLI::Option* listen = command.add_option("--listen", arguments_->port,
                                           "wait for one client on this port of the loopback interface (0: any)");
  command.add_option("--log", arguments_->log, "file that gets every message");
  addCompileOptions(command, arguments_->compile);
  return [arguments_, listen] {
    // What no launch could use is refused before a client comes.
    Result<compile::Request> usable = requestFor(nullptr, arguments_->compile);
    if (!usable) return refuse(usable.diagnostics());
    dap::DapOptions options;
    if (listen->count()) options.listen = arguments_->port;
    options.log = arguments_->log;
    auto loadFor = [arguments_](const dap::LaunchArguments& launch, const CancelToken& cancel) {
      return load(launch, arguments_->compile, cancel);
    };
    options.host = {loadFor, arguments};
    return dap::runDap(std::move(options));
  };
}

}  // namespace rx::cli
