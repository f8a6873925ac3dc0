// rxs dap: the debug engine. Compiles what a client names and serves it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include "app/rxs/arguments.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/confined.h"
#include "app/rxs/input.h"
#include "app/rxs/planned_bounds.h"
#include "app/rxs/program_stages.h"
#include "app/rxs/stepped_kernel.h"
#include "app/rxs/verbs.h"
#include "core/analysis/well_formed.h"
#include "core/compile/request/history_bytes.h"
#include "core/compile/request/languages.h"
#include "core/dap/server/bridge.h"
#include "core/dap/server/run_dap.h"
#include "core/export/attached_package.h"
#include "core/plugin/plugin.h"
#include "core/script/json.h"
#include "core/script/print.h"
#include "core/support/file.h"

namespace rx::cli {

namespace {

/// A module from JSON. No reader has deduced anything of it, so what it states is checked here as a whole.
Result<ir::Module> moduleFromJson(std::string_view text) {
  RX_TRY(module, script::moduleFromJson(text));
  std::vector<Diagnostic> found = analysis::wellFormed(module, {true, false, 20, {}});
  if (hasErrors(found)) return fail(std::move(found));
  return module;
}

Result<ir::Module> moduleOf(const dap::LaunchArguments& launch) {
  if (launch.ir) return moduleFromJson(*launch.ir);
  RX_TRY(text, readFile(moduleFile(launch.program)));
  if (std::filesystem::path(launch.program).extension() == ".json") return moduleFromJson(text);
  auto source = make<SourceFile>(moduleFile(launch.program), std::move(text));
  script::ParseOptions options;
  options.name = launch.module;
  RX_TRY(unit, compile::readUnit(source, options));
  return unit.module;
}

/// What the launch says of compiling goes before the command line.
CompileArguments compileArguments(const dap::LaunchArguments& launch, CompileArguments defaults) {
  if (!launch.passes.empty()) defaults.passes = launch.passes;
  if (!launch.target.empty()) defaults.target = launch.target;
  if (!launch.mode.empty()) defaults.mode = launch.mode;
  return defaults;
}

/// The stages that a client sends. It checked each as its passes made it, and may run one that is not well formed, as
/// the compiler's own passes may make one.
Result<std::shared_ptr<const pass::History>> stagesSent(const std::string& path, const CancelToken& cancel) {
  RX_TRY(bytes, readFile(path));
  RX_TRY(history, compile::historyFromBytes(bytes, cancel));
  return std::make_shared<const pass::History>(std::move(history));
}

Result<compile::Request> requestOf(const dap::LaunchArguments& launch, const CompileArguments& arguments,
                                   const CancelToken& cancel) {
  if (launch.stages.empty()) {
    RX_TRY(module, moduleOf(launch));
    giveOwnOrigins(*module);
    return requestFor(module, arguments);
  }
  RX_TRY(ran, stagesSent(launch.stages, cancel));
  RX_TRY(request, requestFor(ran->imported, arguments));
  request.ran = ran;
  return request;
}

/// What the host does for a device, as `rxs run` says it. Thread-safe.
class HostNotes {
 public:
  void add(std::string_view what, const Diagnostic& why) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(fmt::format("on the host: {}: {}", what, why.message));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

/// Adds them to what a program tells; the control notes them.
compile::Control noting(dap::LoadedProgram& program, const CancelToken& cancel) {
  const auto notes = std::make_shared<HostNotes>();
  program.notes = [notes] { return notes->take(); };
  return {cancel, {}, true, [notes](std::string_view what, const Diagnostic& why) { notes->add(what, why); }};
}

/// A package, which came without its module: its kernels are called where they are, in the mode that it was built with.
Result<std::shared_ptr<dap::LoadedProgram>> loadPackage(const dap::LaunchArguments& launch, const CancelToken& cancel) {
  if (!launch.passes.empty() || !launch.target.empty() || !launch.mode.empty())
    return fail("dap.arguments", "a package runs as it was built: passes, target and mode are not for this launch");
  auto program = std::make_shared<dap::LoadedProgram>();
  RX_TRY(package, exporter::AttachedPackage::open(launch.program, noting(*program, cancel)));
  program->executable = package.executable();
  program->kernels = package.kernels();
  program->stages = {debug::stageOfSites(debug::programOf(*program->executable, {}), "imported")};
  for (const vm::FunctionInfo& function : program->executable->functions())
    if (function.kind == vm::FunctionKind::Bytecode) program->functions.push_back(function.name);
  program->arguments = [package](const dap::LaunchArguments& run) -> Result<std::vector<vm::Value>> {
    std::vector<std::string> files = run.files;
    for (const std::optional<std::string>& file : {run.inputs, run.params})
      if (file) files.push_back(*file);
    RX_TRY(named, readArrays(files));
    std::vector<Ref<HostTensor>> others;
    for (const std::string& file : run.inputFiles) {
      RX_TRY(tensor, readNpy(file));
      others.push_back(std::move(tensor));
    }
    return package.arguments(run.function, named, others);
  };
  return program;
}

Result<std::shared_ptr<dap::LoadedProgram>> load(const dap::LaunchArguments& launch, const CompileArguments& defaults,
                                                 const CancelToken& cancel) {
  if (!launch.ir && launch.stages.empty() && exporter::AttachedPackage::isAt(launch.program))
    return loadPackage(launch, cancel);
  const CompileArguments arguments = compileArguments(launch, defaults);
  RX_TRY(request, requestOf(launch, arguments, cancel));
  auto program = std::make_shared<dap::LoadedProgram>();
  const compile::Control control = noting(*program, cancel);
  RX_TRY(compiled, compile::compile(request, control));
  RX_TRY(kernels, compile::kernelsOf(compiled, control, storeFor(arguments)));
  program->executable = compiled.executable;
  program->kernels = kernels;
  program->compileTime = [kernels = kernels] { return kernels->tally().nanoseconds; };
  program->stages = stagesOf(compiled.history);
  if (!request.ran) program->passesRun = static_cast<int64_t>(compiled.history.steps.size());
  program->print = [](const ir::Module& stage) { return compile::moduleText(stage); };
  const auto whole = std::make_shared<const compile::Program>(std::move(compiled));
  program->hasThreads = [whole](std::string_view function) { return hasThreads(*whole, function); };
  program->stepInto = [whole](std::string_view function, std::vector<debug::Value> given, const CancelToken& until) {
    return stepInto(*whole, function, std::move(given), until);
  };
  const ir::IRModule& module = *request.module;
  for (size_t i = 0; i < module.size(); ++i) {
    if (!isa<tir::PrimFunc>(module.functions[i])) program->functions.push_back(module.vars[i]->name.string());
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

/// A launch that says nothing of the arguments runs as `rxs run` does, and further: what no file beside the program
/// gives is generated.
bool saysNothing(const dap::LaunchArguments& launch) {
  return !launch.inputs && !launch.params && launch.files.empty() && launch.choices.empty() &&
         launch.inputFiles.empty() && !launch.seed;
}

/// The arrays of a file that was named, or else of the one beside the program; a seed stands for the latter.
Result<std::vector<NamedTensor>> arraysOf(const std::optional<std::string>& named, const dap::LaunchArguments& launch,
                                          const char* beside) {
  const bool looks = !named && !launch.program.empty() && !launch.seed;
  return readArrays(looks ? besideModule(launch.program, beside) : named.value_or(""));
}

/// What a launch that says nothing got.
std::vector<std::string> notesOf(const std::vector<dap::ParameterCheck>& checks) {
  std::string generated;
  for (const dap::ParameterCheck& check : checks)
    if (check.source == "seed") generated += (generated.empty() ? "" : ", ") + check.name;
  if (generated.empty()) return {};
  return {fmt::format("generated, since no file beside the program gives a value: {}", generated)};
}

Result<std::vector<vm::Value>> arguments(const dap::LoadedProgram& program, const dap::LaunchArguments& launch,
                                         dap::ArgumentReport* report) {
  relax::FunctionRef function;  // as the first stage has it that is in a compiled language
  for (size_t i = 0; !function && i < program.stages.size(); ++i) {
    function = refAs<relax::Function>(program.stages[i]->module()->find(launch.function));
  }
  if (!function) return fail("run.no-function", fmt::format("the module has no function \"{}\"", launch.function));
  ArgumentSources sources;
  RX_TRY(inputs, arraysOf(launch.inputs, launch, "inputs"));
  RX_TRY(params, arraysOf(launch.params, launch, "params"));
  RX_TRY(more, readArrays(launch.files));
  sources.inputs = std::move(inputs);
  sources.params = std::move(params);
  std::move(more.begin(), more.end(), std::back_inserter(sources.inputs));
  for (const std::string& choice : launch.choices) RX_CHECK(addChoice(sources, choice));
  sources.ignoreExtra = launch.ignoreExtra;
  RX_CHECK(addInputFiles(*function, launch.inputFiles, sources));
  if (launch.seed) sources.seed = static_cast<uint64_t>(*launch.seed);
  if (saysNothing(launch)) sources.seed = 0;
  if (launch.symbols && launch.symbols->is_object()) {
    for (const auto& [name, value] : launch.symbols->items()) {
      if (value.is_number_integer()) sources.symbols[name] = value.get<int64_t>();
    }
  }
  Result<std::vector<vm::Value>> values = gatherArguments(*function, launch.function, sources, &report->checks);
  if (values && saysNothing(launch)) report->notes = notesOf(report->checks);
  // What a pass bounded, its plans rely on.
  for (size_t i = 0; values && i < program.stages.size(); ++i)
    if (const auto later = refAs<relax::Function>(program.stages[i]->module()->find(launch.function)))
      RX_CHECK(checkPlannedBounds(*function, launch.function, *values, *later));
  return values;
}

struct DapArguments {
  uint16_t port = 0;
  std::string connect;
  std::string tokenFile;
  std::string log;
  std::vector<std::string> writable;
  std::string print;
  bool confine = false;
  CompileArguments compile;
  std::vector<std::string> plugins;
};

/// The forms that the arguments of `launch` are written in.
std::string launchText(const std::string& form) {
  if (form == "json") return dap::launchSchema().dump(2) + "\n";
  return form == "markdown" ? dap::launchTable() : dap::launchHelp();
}

/// The token of a socket: what a file holds, else what the environment says, else none.
Result<std::string> tokenOf(const DapArguments& arguments) {
  if (arguments.tokenFile.empty()) {
    const char* given = std::getenv("RXS_DAP_TOKEN");
    return std::string(given ? given : "");
  }
  RX_TRY(text, readFile(arguments.tokenFile));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (plain && !text.empty()) return text;
  return fail("dap.token", fmt::format("{} holds no token: one line of letters and digits", arguments.tokenFile));
}

int runEngine(const DapArguments& arguments_, bool listens) {
  if (!arguments_.print.empty()) return writeText("-", launchText(arguments_.print));
  // What no launch could use is refused before a client comes.
  Result<compile::Request> usable = requestFor(nullptr, arguments_.compile);
  if (!usable) return refuse(usable.diagnostics());
  Result<std::string> token = tokenOf(arguments_);
  if (!token) return refuse(token.diagnostics());
  if (!arguments_.connect.empty()) return dap::runBridge(arguments_.connect, *token);
  dap::DapOptions options;
  if (listens) options.listen = arguments_.port;
  options.token = *token;
  options.log = arguments_.log;
  // Loaded once, before a client comes: what a client says never names one.
  Result<std::shared_ptr<const vm::PackedRegistry>> registry = plugin::registryWith(arguments_.plugins);
  // Who waits for clients sees it here; who is a client's child is asked by that alone, which is told at its launch.
  if (!registry && listens) return refuse(registry.diagnostics());
  auto loadFor = [compile = arguments_.compile, registry](
                     const dap::LaunchArguments& launch,
                     const CancelToken& cancel) -> Result<std::shared_ptr<dap::LoadedProgram>> {
    RX_TRY(functions, registry);
    RX_TRY(program, load(launch, compile, cancel));
    program->registry = std::move(functions);
    return program;
  };
  options.host = {loadFor, arguments, {}};
  // Who started the engine on its own pipes could write the file itself; who comes over a socket could not.
  if (listens || arguments_.confine || !arguments_.writable.empty()) options.host.writes.folders = arguments_.writable;
  return dap::runDap(std::move(options));
}

}  // namespace

std::function<int()> setupDap(CLI::App& command) {
  auto arguments_ = std::make_shared<DapArguments>();
  arguments_->compile.mode = "step";
  CLI::Option* listen = command.add_option("--listen", arguments_->port,
                                           "wait for a client on this port of the loopback interface (0: any); it has "
                                           "to know the token. One that disconnects with `restart`, or with "
                                           "`terminateDebuggee` false, leaves the engine to the next");
  command
      .add_option("--connect", arguments_->connect,
                  "carry standard input and output to the engine that listens at HOST:PORT or PORT, with its token")
      ->excludes(listen);
  command.add_option("--token-file", arguments_->tokenFile,
                     "file with the token of --listen or --connect (default: the environment's RXS_DAP_TOKEN; else "
                     "--listen makes one and prints it)");
  command
      .add_option("--allow-write", arguments_->writable,
                  "folder below which clients may have files written: traces and values (default: everywhere, with "
                  "--listen and --confine nowhere)")
      ->allow_extra_args(false);
  command.add_option("--log", arguments_->log, "file that gets every message");
  command
      .add_option("--print-launch", arguments_->print,
                  "write the arguments of a client's `launch` and end: text, json (schema) or markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}));
  addConfineOption(command, arguments_->confine);
  addCompileOptions(command, arguments_->compile);
  addPluginOption(command, arguments_->plugins);
  command.footer(dap::launchHelp());
  return [arguments_, listen] {
    const bool listens = listen->count() > 0;
    const auto serve = [&] { return runEngine(*arguments_, listens); };
    // What carries a client to another engine runs nothing, and connects.
    if (!arguments_->confine || !arguments_->connect.empty()) return serve();
    return runConfined({{arguments_->log}, arguments_->writable, listens, true}, serve);
  };
}

}  // namespace rx::cli
