// rxs run: compiles a module for the CPU and runs a function of it.
#include <fmt/format.h>

#include <cstdlib>

#include "app/rxs/argument_plan.h"
#include "app/rxs/arguments.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/input.h"
#include "app/rxs/package_values.h"
#include "app/rxs/run_json.h"
#include "app/rxs/run_trace.h"
#include "app/rxs/verbs.h"
#include "core/export/package.h"
#include "core/interpret/kernels.h"
#include "core/support/temporary_folder.h"
#include "core/tensor/stats.h"

namespace rx::cli {

namespace {

struct RunArguments {
  InputOptions input;
  CompileArguments compile;
  std::string function = "main", json, out, expect, trace;
  std::vector<std::string> inputs, params, symbols, choices;
  std::optional<uint64_t> seed;
  bool ignoreExtra = false;
  bool plan = false;  ///< say where the arguments come from, and run nothing
  std::string engine = "compiled";
  bool check = false;  ///< repeat every kernel by the interpreter and compare
};

void flatten(const vm::Value& value, std::vector<vm::Value>& out) {
  if (!value.is(vm::ValueKind::Tuple)) return out.push_back(value);
  for (const vm::Value& item : value.asTuple()) flatten(item, out);
}

void describe(size_t index, const vm::Value& value) {
  fmt::print("out_{}: {}", index, value.summary());
  if (value.is(vm::ValueKind::Tensor)) {
    TensorStats stats = tensorStats(value.tensor()).value_or(TensorStats{});
    fmt::print("  min {:.6g}  max {:.6g}  mean {:.6g}  NaN {}  Inf {}\n{}", stats.min, stats.max, stats.mean,
               stats.nanCount, stats.infCount, vm::tensorText(value.tensor(), 40));
  }
  fmt::print("\n");
}

/// True when each result equals its array: `out` for a single one, `out_0`, `out_1`, ... for several.
bool compare(const std::vector<vm::Value>& results, const std::vector<NamedTensor>& expected) {
  bool same = results.size() == expected.size();
  if (!same) fmt::print("the expectation holds {} arrays, the run gives {}\n", expected.size(), results.size());
  for (size_t i = 0; same && i < results.size(); ++i) {
    const auto& [name, want] = expected[i];
    if (!results[i].is(vm::ValueKind::Tensor)) continue;
    Result<TensorDifference> difference = compareTensors(results[i].tensor(), *want);
    if (!difference) {
      report(difference.diagnostics(), {});
      return false;
    }
    const double limit = roundingLimit(*want);
    bool close = difference->firstNonFinite < 0 && difference->maxAbsolute <= limit;
    fmt::print("{}: largest difference {:.3g} (limit {:.3g}): {}\n", name, difference->maxAbsolute, limit,
               close ? "equal" : "differs");
    same &= close;
  }
  return same;
}

/// The files that were named, else the one beside the module.
std::vector<std::string> filesOr(const std::vector<std::string>& named, const RunArguments& arguments,
                                 const char* beside) {
  if (!named.empty()) return named;
  std::string found = besideModule(arguments.input.path, beside);
  return found.empty() ? std::vector<std::string>() : std::vector<std::string>{found};
}

Result<ArgumentSources> sourcesOf(const RunArguments& arguments) {
  ArgumentSources sources;
  sources.seed = arguments.seed;
  sources.ignoreExtra = arguments.ignoreExtra;
  const bool generate = arguments.seed.has_value();
  // A seed stands for the files beside the module, not for those that are named.
  if (!generate || !arguments.inputs.empty()) {
    RX_TRY(given, readArrays(filesOr(arguments.inputs, arguments, "inputs.npz")));
    sources.inputs = std::move(given);
  }
  if (!generate || !arguments.params.empty()) {
    RX_TRY(weights, readArrays(filesOr(arguments.params, arguments, "params.npz")));
    sources.params = std::move(weights);
  }
  for (const std::string& choice : arguments.choices) RX_CHECK(addChoice(sources, choice));
  for (const std::string& text : arguments.symbols) {
    size_t equals = text.find('=');
    char* end = nullptr;
    long long value = equals == std::string::npos ? 0 : std::strtoll(text.c_str() + equals + 1, &end, 10);
    if (!end || *end || value < 0)
      return fail("run.symbol", fmt::format("--symbol takes NAME=VALUE, not \"{}\"", text));
    sources.symbols[text.substr(0, equals)] = value;
  }
  return sources;
}

Result<std::vector<vm::Value>> valuesFor(const RunArguments& arguments, const relax::Function& function) {
  if (!arguments.json.empty()) return readJsonArguments(arguments.json, function);
  RX_TRY(sources, sourcesOf(arguments));
  return gatherArguments(function, arguments.function, sources);
}

/// `--plan`: the rows of the arguments as JSON; no exit code says that they fit, the rows do.
int runPlan(const RunArguments& arguments, const relax::Function& function) {
  Result<ArgumentSources> sources = sourcesOf(arguments);
  if (!sources) return refuse(sources.diagnostics());
  fmt::print("{}\n", planJson(function, arguments.function, *sources));
  return kYes;
}

int finish(const RunArguments& arguments, const vm::Value& result) {
  if (!arguments.out.empty()) {
    Result<Unit> written = writeJsonResult(arguments.out, result);
    if (!written) return refuse(written.diagnostics());
  }
  std::vector<vm::Value> results;
  flatten(result, results);
  if (arguments.json.empty()) {
    for (size_t i = 0; i < results.size(); ++i) describe(i, results[i]);
  }
  bool defaults = arguments.json.empty() && arguments.inputs.empty() && arguments.params.empty() && !arguments.seed &&
                  arguments.function == "main";
  std::string expect =
      arguments.expect.empty() && defaults ? besideModule(arguments.input.path, "expected.npz") : arguments.expect;
  if (expect.empty()) return kYes;
  Result<std::vector<NamedTensor>> arrays = readArrays(expect);
  if (!arrays) return refuse(arrays.diagnostics());
  return compare(results, *arrays) ? kYes : kNo;
}

/// What runs the kernels of a machine, by the engine that was asked for.
Result<std::shared_ptr<vm::KernelProvider>> kernelsFor(const RunArguments& arguments, const compile::Program& program) {
  if (arguments.engine == "interpreted") return interpret::makeInterpretedKernels(program.module, {});
  RX_TRY(compiled, compile::kernelsOf(program, {}, storeFor(arguments.compile)));
  // A stepped run compiles what it meets, as the debugger does.
  if (program.request.mode == compile::Mode::Release) compile::compileAhead(*compiled, program, {});
  if (!arguments.check) return std::shared_ptr<vm::KernelProvider>(compiled);
  auto unchecked = [](std::string_view kernel, const Diagnostic& why) {
    fmt::print(stderr, "not checked: {}: {}\n", kernel, why.message);
  };
  return interpret::makeCheckedKernels(compiled, program.module, {}, unchecked);
}

/// As a debugger runs it: each step is taken, undone from what was recorded, and redone.
void runStepped(vm::Machine& machine) {
  while (machine.step() == vm::MachineStatus::Running) {
    if (machine.stepBack()) machine.step();
  }
}

Result<vm::Value> runMachine(const RunArguments& arguments, const compile::Program& program,
                             std::vector<vm::Value> values) {
  const bool stepped = arguments.engine == "stepped";
  vm::MachineOptions options;
  RX_TRY(kernels, kernelsFor(arguments, program));
  options.kernels = kernels;
  options.print = [](std::string_view text) { fmt::print("{}", text); };
  options.record = stepped || !arguments.trace.empty();
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_CHECK(machine->start(arguments.function, std::move(values)));
  if (!arguments.trace.empty()) {
    RX_CHECK(runTraced(*machine, arguments.trace));
  } else if (stepped) {
    runStepped(*machine);
  } else {
    machine->run();
  }
  if (const vm::Fault* fault = machine->fault()) return fail(fault->diagnostics);
  return machine->result();
}

/// Exports the program and runs what was exported.
Result<vm::Value> runExported(const RunArguments& arguments, const compile::Program& program,
                              const relax::Function& function, const std::vector<vm::Value>& values) {
  RX_TRY(folder, TemporaryFolder::make("rxs-package"));
  RX_CHECK(exporter::writePackage(program, {}, folder.path()));
  std::vector<Ref<HostTensor>> inputs;
  for (const vm::Value& value : values) RX_CHECK(addTensors(value, inputs));
  RX_TRY(results, exporter::runPackage(folder.path(), arguments.function, inputs));
  std::span<const Ref<HostTensor>> left = results;
  return takeValue(function.retSinfo, left);
}

int runRun(const RunArguments& arguments) {
  ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  auto function = refAs<relax::Function>(module->find(arguments.function));
  if (!function) {
    std::string names;
    for (const relax::GlobalVarRef& var : module->vars)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", var->name.view());
    Diagnostic missing =
        errorAt({}, "run.no-function", fmt::format("the module has no Relax function \"{}\"", arguments.function));
    missing.fix = "--func with one of: " + names;
    return refuse({missing});
  }
  if (arguments.plan) return runPlan(arguments, *function);
  Result<std::vector<vm::Value>> values = valuesFor(arguments, *function);
  if (!values) return refuse(values.diagnostics());
  Result<compile::Request> request = requestFor(module, arguments.compile);
  if (!request) return refuse(request.diagnostics());
  if (arguments.engine == "stepped") request->mode = compile::Mode::Step;
  Result<compile::Program> program = compile::compile(*request, {});
  if (!program) return refuse(program.diagnostics(), *module->sources);
  Result<vm::Value> result = arguments.engine == "package" ? runExported(arguments, *program, *function, *values)
                                                           : runMachine(arguments, *program, std::move(*values));
  if (!result) return refuse(result.diagnostics(), *module->sources);
  return finish(arguments, *result);
}

}  // namespace

std::function<int()> setupRun(CLI::App& command) {
  auto arguments = std::make_shared<RunArguments>();
  addInputOptions(command, arguments->input);
  command.add_option("--func", arguments->function, "function to run (default main)");
  command
      .add_option("--inputs", arguments->inputs,
                  ".npz, .npy or .safetensors files with inputs by parameter name (default: inputs.npz beside the "
                  "module)")
      ->allow_extra_args(false);
  command
      .add_option("--params", arguments->params,
                  ".npz, .npy or .safetensors files with weights by parameter name (default: params.npz beside the "
                  "module)")
      ->allow_extra_args(false);
  command
      .add_option("--map", arguments->choices,
                  "PARAMETER=ARRAY: the array that a parameter takes, where it has another name; ARRAY[0:3, :] is a "
                  "part of it, with zeros behind its end; @zero and @seed make it")
      ->allow_extra_args(false);
  command.add_flag("--ignore-extra", arguments->ignoreExtra, "arrays that no parameter takes are no error");
  command.add_flag("--plan", arguments->plan,
                   "say as JSON where each parameter takes its value from and whether it fits; runs nothing");
  command.add_option("--seed", arguments->seed, "generate what no file gives, the same for the same number");
  command.add_option("--symbol", arguments->symbols, "NAME=VALUE of a symbolic variable, for generated inputs");
  command.add_option("--args", arguments->json, "JSON with the arguments");
  command.add_option("--out", arguments->out, "folder for result.json and the tensors of the result");
  command.add_option("--expect", arguments->expect,
                     ".npz to compare the result with (default: expected.npz beside the module)");
  command.add_option("--trace", arguments->trace, "folder for every value that was made, with statistics");
  addCompileOptions(command, arguments->compile);
  command
      .add_option("--engine", arguments->engine,
                  "what runs the program: compiled code; the reference interpreter for its kernels; stepped: compiled "
                  "without optimisation, each step undone and redone; package: exported, and what was exported is run")
      ->check(CLI::IsMember({"compiled", "interpreted", "stepped", "package"}));
  command.add_flag("--check", arguments->check,
                   "repeat every kernel in the reference interpreter; exit code 1 (check.differs) at the first element "
                   "that differs beyond the rounding of its type");
  return [arguments] { return runRun(*arguments); };
}

}  // namespace rx::cli
