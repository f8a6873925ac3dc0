// rxs run: compiles a module for the CPU and runs a function of it.
#include <fmt/format.h>

#include "app/rxs/argument_plan.h"
#include "app/rxs/arguments.h"
#include "app/rxs/compile.h"
#include "app/rxs/input.h"
#include "app/rxs/run_json.h"
#include "app/rxs/run_trace.h"
#include "app/rxs/verbs.h"
#include "core/interpret/kernels.h"
#include "core/tensor/stats.h"

namespace rx::cli {

namespace {

struct RunArguments {
  InputOptions input;
  std::string function = "main", json, out, expect, trace, target, passes = "default";
  std::vector<std::string> inputs, params, symbols, choices;
  std::optional<uint64_t> seed;
  bool ignoreExtra = false;
  bool plan = false;  ///< say where the arguments come from, and run nothing
  std::string engine = "compiled";
  bool check = false;  ///< repeat every kernel by the interpreter and compare
  int optLevel = 2;
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

int finish(const RunArguments& arguments, const vm::Machine& machine) {
  if (!arguments.out.empty()) {
    Result<Unit> written = writeJsonResult(arguments.out, machine.result());
    if (!written) return refuse(written.diagnostics());
  }
  std::vector<vm::Value> results;
  flatten(machine.result(), results);
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

std::shared_ptr<vm::KernelProvider> kernelsOf(const RunArguments& arguments, const CompiledModule& compiled) {
  if (arguments.engine == "interpreted") return interpret::makeInterpretedKernels(compiled.lowered(), {});
  if (!arguments.check) return compiled.kernels;
  auto unchecked = [](std::string_view kernel, const Diagnostic& why) {
    fmt::print(stderr, "not checked: {}: {}\n", kernel, why.message);
  };
  return interpret::makeCheckedKernels(compiled.kernels, compiled.lowered(), {}, unchecked);
}

/// As a debugger runs it: each step is taken, undone from what was recorded, and redone.
void runStepped(vm::Machine& machine) {
  while (machine.step() == vm::MachineStatus::Running) {
    if (machine.stepBack()) machine.step();
  }
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
  CompileOptions options;
  options.passes = arguments.passes;
  Result<target::TargetRef> target = targetToRun(arguments.target);
  if (!target) return refuse(target.diagnostics());
  options.target = *target;
  const bool stepped = arguments.engine == "stepped";
  options.optLevel = stepped ? 0 : arguments.optLevel;
  Result<CompiledModule> compiled = compileModule(module, options);
  if (!compiled) return refuse(compiled.diagnostics(), *module->sources);

  vm::MachineOptions machineOptions;
  machineOptions.kernels = kernelsOf(arguments, *compiled);
  machineOptions.print = [](std::string_view text) { fmt::print("{}", text); };
  machineOptions.record = stepped || !arguments.trace.empty();
  Result<std::unique_ptr<vm::Machine>> machine = vm::Machine::create(compiled->executable, std::move(machineOptions));
  if (!machine) return refuse(machine.diagnostics(), *module->sources);
  Result<Unit> started = (*machine)->start(arguments.function, std::move(*values));
  if (!started) return refuse(started.diagnostics());
  if (!arguments.trace.empty()) {
    Result<Unit> traced = runTraced(**machine, arguments.trace);
    if (!traced) return refuse(traced.diagnostics());
  } else if (stepped) {
    runStepped(**machine);
  } else {
    (*machine)->run();
  }
  if (const vm::Fault* fault = (*machine)->fault()) return refuse(fault->diagnostics, *module->sources);
  return finish(arguments, **machine);
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
  command.add_option("--passes", arguments->passes, "pipeline to compile with");
  command.add_option("--target", arguments->target,
                     "what to compile for: llvm, or JSON that says more of this machine");
  command
      .add_option("--engine", arguments->engine,
                  "what runs the kernels: compiled code, the reference interpreter, or stepped: compiled without "
                  "optimisation, each step undone and redone")
      ->check(CLI::IsMember({"compiled", "interpreted", "stepped"}));
  command.add_flag("--check", arguments->check,
                   "repeat every kernel in the reference interpreter; exit code 1 (check.differs) at the first element "
                   "that differs beyond the rounding of its type");
  command.add_option("--opt-level", arguments->optLevel, "optimisation of machine code, 0 or 2")
      ->check(CLI::IsMember({0, 2}));
  return [arguments] { return runRun(*arguments); };
}

}  // namespace rx::cli
