// rxs run: compiles a module for the CPU and runs a function of it.
#include <fmt/format.h>

#include "app/rxs/argument_plan.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/confined.h"
#include "app/rxs/input.h"
#include "app/rxs/interrupt.h"
#include "app/rxs/package_values.h"
#include "app/rxs/planned_bounds.h"
#include "app/rxs/reply.h"
#include "app/rxs/run_against.h"
#include "app/rxs/run_against_arrays.h"
#include "app/rxs/run_json.h"
#include "app/rxs/run_profile.h"
#include "app/rxs/run_recording.h"
#include "app/rxs/run_trace.h"
#include "app/rxs/run_values.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"
#include "core/evaluate/checked_kernels.h"
#include "core/export/package.h"
#include "core/interpret/kernels.h"
#include "core/library/library.h"
#include "core/plugin/plugin.h"
#include "core/runtime/value_tensors.h"
#include "core/support/memory_limit.h"
#include "core/support/temporary_folder.h"
#include "core/tensor/stats.h"
#include "core/tensor/tensor_text.h"

namespace rx::cli {

namespace {

struct RunArguments : ValueArguments {
  InputOptions input;
  CompileArguments compile;
  std::string out, expect, trace;
  std::vector<std::string> plugins;
  bool plan = false;  ///< say where the arguments come from, and run nothing
  bool asJson = false;
  bool confine = false;
  double timeLimit = 0;  ///< seconds, 0 for none
  std::string engine = "compiled";
  bool check = false;   ///< repeat every kernel by the interpreter and compare
  std::string against;  ///< target of another run, to be compared binding by binding; empty for none
  std::string record;   ///< file of the recording, empty for none
  std::string keep = "everything";
  store::Policy policy;  ///< of the recording
  ProfileArguments profile;
};

void flatten(const vm::Value& value, std::vector<vm::Value>& out) {
  if (!value.is(vm::ValueKind::Tuple)) return out.push_back(value);
  for (const vm::Value& item : value.asTuple()) flatten(item, out);
}

void describe(const std::string& name, const vm::Value& value, Reply& reply) {
  Reply::Json made = {{"name", name}, {"value", value.summary()}};
  std::string text = fmt::format("{}: {}", name, value.summary());
  if (value.is(vm::ValueKind::Tensor)) {
    const HostTensor& tensor = value.tensor();
    const TensorStats stats = tensorStats(value.tensor()).value_or(TensorStats{});
    text += fmt::format("  min {:.6g}  max {:.6g}  mean {:.6g}  NaN {}  Inf {}\n{}", stats.min, stats.max, stats.mean,
                        stats.nanCount, stats.infCount, tensorText(value.tensor(), 40));
    made.update({{"shape", tensor.shape()},
                 {"dtype", tensor.dtype().str()},
                 {"min", stats.min},
                 {"max", stats.max},
                 {"mean", stats.mean},
                 {"nan", stats.nanCount},
                 {"inf", stats.infCount}});
  }
  reply.print(text + "\n");
  reply.fields()["results"].push_back(std::move(made));
}

/// True when each result equals its array: `out` for a single one, `out_0`, `out_1`, ... for several.
bool compare(const std::vector<vm::Value>& results, const std::vector<NamedTensor>& expected, Reply& reply) {
  bool same = results.size() == expected.size();
  if (!same) {
    reply.print(fmt::format("the expectation holds {} arrays, the run gives {}\n", expected.size(), results.size()));
    reply.fields()["expected"] = expected.size();
  }
  for (size_t i = 0; same && i < results.size(); ++i) {
    const auto& [name, want] = expected[i];
    if (!results[i].is(vm::ValueKind::Tensor)) continue;
    Result<TensorDifference> difference = compareTensors(results[i].tensor(), *want);
    if (!difference) {
      reply.report(difference.diagnostics());
      return false;
    }
    const double limit = roundingLimit(*want);
    bool close = difference->firstNonFinite < 0 && difference->maxAbsolute <= limit;
    reply.print(fmt::format("{}: largest difference {:.3g} (limit {:.3g}): {}\n", name, difference->maxAbsolute, limit,
                            close ? "equal" : "differs"));
    reply.fields()["comparisons"].push_back(
        {{"name", name}, {"difference", difference->maxAbsolute}, {"limit", limit}, {"equal", close}});
    same &= close;
  }
  return same;
}

/// `--plan`: the rows of the arguments as JSON; no exit code says that they fit, the rows do.
int runPlan(const RunArguments& arguments, const relax::Function& function, Reply& reply) {
  Result<ArgumentSources> sources = sourcesOf(arguments, arguments.input.path);
  if (!sources) return reply.refuse(sources.diagnostics());
  say("{}\n", planJson(function, arguments.function, *sources));
  return kYes;
}

int finish(const RunArguments& arguments, const vm::Value& result, Reply& reply) {
  if (!arguments.out.empty()) {
    Result<Unit> written = writeJsonResult(arguments.out, result);
    if (!written) return reply.refuse(written.diagnostics());
  }
  std::vector<vm::Value> results;
  flatten(result, results);
  if (arguments.json.empty()) {
    for (size_t i = 0; i < results.size(); ++i) describe(fmt::format("out_{}", i), results[i], reply);
  }
  bool defaults = arguments.json.empty() && arguments.inputs.empty() && arguments.params.empty() && !arguments.seed &&
                  arguments.function == "main";
  std::string expect =
      arguments.expect.empty() && defaults ? besideModule(arguments.input.path, "expected") : arguments.expect;
  if (expect.empty()) return kYes;
  Result<std::vector<NamedTensor>> arrays = readArrays(expect);
  if (!arrays) return reply.refuse(arrays.diagnostics());
  return compare(results, *arrays, reply) ? kYes : kNo;
}

/// What runs the kernels of a machine, and the nanoseconds that were spent on making it so far.
struct Kernels {
  std::shared_ptr<vm::KernelProvider> provider;
  std::function<int64_t()> compileTime = [] { return int64_t{0}; };
};

/// By the engine that was asked for.
Result<Kernels> kernelsFor(const RunArguments& arguments, const compile::Program& program, Reply& reply) {
  if (arguments.engine == "interpreted") return Kernels{interpret::makeInterpretedKernels(program.module, {})};
  compile::Control control;
  control.onHost = [&reply](std::string_view kernel, const Diagnostic& why) {
    if (!reply.asJson()) return tell(fmt::format("on the host: {}: {}\n", kernel, why.message));
    reply.fields()["on_host"].push_back({{"kernel", kernel}, {"why", why.message}});
  };
  RX_TRY(compiled, compile::kernelsOf(program, control, storeFor(arguments.compile)));
  // A stepped run compiles what it meets, as the debugger does.
  if (program.request.mode == compile::Mode::Release) compile::compileAhead(*compiled, program, {});
  const auto compileTime = [compiled] { return compiled->tally().nanoseconds; };
  if (!arguments.check) return Kernels{compiled, compileTime};
  auto unchecked = [&reply](std::string_view kernel, const Diagnostic& why) {
    if (!reply.asJson()) return tell(fmt::format("not checked: {}: {}\n", kernel, why.message));
    reply.fields()["unchecked"].push_back({{"kernel", kernel}, {"why", why.message}});
  };
  auto oracle = interpret::makeInterpretedKernels(program.module, {});
  return Kernels{evaluate::makeCheckedKernels(compiled, std::move(oracle), unchecked), compileTime};
}

bool records(const RunArguments& arguments) {
  return arguments.engine == "stepped" || !arguments.trace.empty() || !arguments.record.empty();
}

/// Runs a machine and records it; the run of a debugger, and of --trace, goes into a file that nobody keeps.
Result<Unit> runAndRecord(vm::Machine& machine, const RunArguments& arguments, const compile::Program& program,
                          const Kernels& kernels, Reply& reply) {
  std::optional<TemporaryFolder> folder;
  std::string path = arguments.record;
  if (path.empty()) {
    RX_TRY(made, TemporaryFolder::make("rxs-recording"));
    folder.emplace(std::move(made));
    path = folder->file("run.rxtrace");
  }
  RX_TRY(warnings, runRecorded(machine, program, path, arguments.policy, kernels.compileTime));
  reply.report(warnings);
  return arguments.trace.empty() ? Result<Unit>(Unit{}) : writeTrace(path, arguments.trace);
}

struct Ran {
  vm::Value result;
  int64_t nanoseconds = 0;  ///< of a run, where it was profiled
};

Result<Ran> runMachine(const RunArguments& arguments, const compile::Program& program, std::vector<vm::Value> values,
                       Interrupt& interrupt, Reply& reply) {
  Ran ran;
  std::atomic<bool> stop = false;
  vm::MachineOptions options;
  options.stop = &stop;
  RX_TRY(kernels, kernelsFor(arguments, program, reply));
  options.kernels = kernels.provider;
  RX_TRY(registry, plugin::registryWith(arguments.plugins));
  options.registry = registry;
  std::string printed;
  bool quiet = false;  // what every run of a profile would say again
  options.print = [&](std::string_view text) {
    if (quiet) return;
    if (!reply.asJson()) return say(text);
    printed += text;
  };
  const MemoryLimit memory = memoryLimit();
  options.limits.maxMemory = static_cast<int64_t>(std::min<uint64_t>(memory.bytes, INT64_MAX));
  options.limits.memoryFrom = "the budget is " + memory.why;
  options.record = records(arguments);
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  const Interruptible running(interrupt, [&stop] { stop = true; });
  if (arguments.profile.wanted) {
    quiet = true;
    RX_TRY(wall, profileInto(reply, arguments.profile, *machine, program, arguments.function, values));
    ran.nanoseconds = wall;
    quiet = false;
  }
  RX_CHECK(machine->start(arguments.function, std::move(values)));
  if (records(arguments)) {
    RX_CHECK(runAndRecord(*machine, arguments, program, kernels, reply));
  } else {
    machine->run();
  }
  if (!printed.empty()) reply.fields()["printed"] = std::move(printed);
  if (const vm::Fault* fault = machine->fault()) return fail(fault->diagnostics);
  ran.result = machine->result();
  return ran;
}

/// Exports the program and runs what was exported.
Result<Ran> runExported(const RunArguments& arguments, const compile::Program& program, const relax::Function& function,
                        const std::vector<vm::Value>& values, Interrupt& interrupt) {
  RX_TRY(folder, TemporaryFolder::make("rxs-package"));
  // A folder of its own: a set locks the one that it is in, as the temporary folder does itself.
  const std::string package = folder.file("package");
  exporter::PackageOptions options;
  options.store = storeFor(arguments.compile);
  RX_CHECK(exporter::writePackage(program, options, package));
  RX_TRY(inputs, vm::tensorsOf(values));
  RX_TRY(results, exporter::runPackage(package, arguments.function, inputs, interrupt.listener()));
  std::span<const Ref<HostTensor>> left = results;
  RX_TRY(value, takeValue(function.retSinfo, left));
  return Ran{std::move(value)};
}

/// The module compiled for another target, whose name may be "cpu", or with a library by its name. Fails with library.*
/// where the machine has it not.
Result<compile::Program> compiledFor(const std::string& name, const ir::Module& module, const RunArguments& arguments,
                                     const compile::Control& control) {
  CompileArguments other = arguments.compile;
  if (const library::LibraryRow* row = library::findLibrary(name)) {
    RX_CHECK(row->open());
    other.library = name;
  } else {
    other.target = name == "cpu" ? "llvm" : name;
  }
  RX_TRY(request, requestFor(module, other));
  return compile::compile(request, control);
}

/// `--profile --against`: the profiles of two programs, one after the other, and how their runs compare.
int profileBoth(RunArguments& arguments, const compile::Program& program, const compile::Program& other,
                const std::vector<vm::Value>& values, Interrupt& interrupt, Reply& reply) {
  const auto ours = runMachine(arguments, program, values, interrupt, reply);
  if (!ours) return reply.refuse(interrupt.explained(ours.diagnostics()));
  reply.print(fmt::format("\nagainst {}:\n", arguments.against));
  arguments.profile.field = "profile_against";
  arguments.profile.out.clear();
  arguments.profile.trace.clear();
  const auto theirs = runMachine(arguments, other, values, interrupt, reply);
  if (!theirs) return reply.refuse(interrupt.explained(theirs.diagnostics()));
  const double ratio =
      static_cast<double>(ours->nanoseconds) / static_cast<double>(std::max<int64_t>(theirs->nanoseconds, 1));
  reply.print(fmt::format("\na run takes {:.2f} times as long as against {}\n", ratio, arguments.against));
  reply.fields()["times_against"] = ratio;
  return kYes;
}

/// `--against FILE`: the run beside the values that its bindings are known to have.
int runBesideArrays(const RunArguments& arguments, const compile::Program& program, const ir::Module& module,
                    std::vector<vm::Value> values, Interrupt& interrupt, Reply& reply) {
  if (arguments.profile.wanted)
    return reply.refuse(
        {errorAt({}, "run.profile", "--profile is compared with a target or library, not with arrays")});
  const auto arrays = readArrays(arguments.against);
  if (!arrays) return reply.refuse(arrays.diagnostics());
  const auto registry = plugin::registryWith(arguments.plugins);
  if (!registry) return reply.refuse(registry.diagnostics());
  const AgainstRun run{arguments.function, std::move(values), *registry, {}};
  const Interruptible running(interrupt, [&run] { run.cancel.cancel(); });
  const Result<int> told = runAgainstArrays(program, module, run, *arrays, arguments.against, reply);
  return told ? *told : reply.refuse(interrupt.explained(told.diagnostics()));
}

/// `--against`: the same module for another target or with a library, compared binding by binding or by its profile.
int runBeside(RunArguments& arguments, const compile::Program& program, const ir::Module& module,
              std::vector<vm::Value> values, const compile::Control& control, Interrupt& interrupt, Reply& reply) {
  if (isArrayFile(arguments.against))
    return runBesideArrays(arguments, program, module, std::move(values), interrupt, reply);
  const Result<compile::Program> other = compiledFor(arguments.against, module, arguments, control);
  if (!other) return reply.refuse(other.diagnostics(), *module->sources);
  if (arguments.profile.wanted) return profileBoth(arguments, program, *other, values, interrupt, reply);
  const auto registry = plugin::registryWith(arguments.plugins);
  if (!registry) return reply.refuse(registry.diagnostics());
  const AgainstRun run{arguments.function, std::move(values), *registry, {}};
  const Interruptible running(interrupt, [&run] { run.cancel.cancel(); });
  const Result<int> told = runAgainst(program, *other, run, reply);
  return told ? *told : reply.refuse(interrupt.explained(told.diagnostics()));
}

/// Why options that were given do not go together, beyond what the command line itself knows.
std::optional<Diagnostic> contradiction(const RunArguments& arguments) {
  const bool package = arguments.engine == "package";
  if (package && !arguments.plugins.empty())
    return errorAt({}, "plugin.package", "a package holds no functions of plugins");
  if (package && !arguments.record.empty())
    return errorAt({}, "run.record", "a package runs in a process of its own, which records nothing");
  if (arguments.profile.wanted && (package || arguments.engine == "stepped"))
    return errorAt({}, "run.profile",
                   fmt::format("--profile looks at the program as it runs for its result, which is not what --engine "
                               "{} does",
                               arguments.engine));
  return std::nullopt;
}

int runRun(RunArguments& arguments, Reply& reply) {
  Interrupt interrupt(arguments.timeLimit);
  Result<store::Policy> policy = store::policyNamed(arguments.keep);
  if (!policy) return reply.refuse(policy.diagnostics());
  arguments.policy.keep = policy->keep;
  arguments.policy.steps = policy->steps;
  if (const std::optional<Diagnostic> why = contradiction(arguments)) return reply.refuse({*why});
  ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  Result<ir::Module> compiled = compile::compiledForm(module);
  if (!compiled) return reply.refuse(compiled.diagnostics(), *module->sources);
  auto function = refAs<relax::Function>((*compiled)->find(arguments.function));
  if (!function) {
    std::string names;
    for (const relax::GlobalVarRef& var : module->vars)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", var->name.view());
    Diagnostic missing =
        errorAt({}, "run.no-function", fmt::format("the module has no Relax function \"{}\"", arguments.function));
    missing.fix = "--func with one of: " + names;
    return reply.refuse({missing});
  }
  if (arguments.plan) return runPlan(arguments, *function, reply);
  Result<std::vector<vm::Value>> values = valuesFor(arguments, arguments.input.path, *function);
  if (!values) return reply.refuse(values.diagnostics());
  Result<compile::Request> request = requestFor(module, arguments.compile);
  if (!request) return reply.refuse(request.diagnostics());
  if (arguments.engine == "stepped") request->mode = compile::Mode::Step;
  compile::Control control;
  control.keepStages = records(arguments) || arguments.profile.wanted || !arguments.against.empty();
  Result<compile::Program> program = compile::compile(*request, control);
  if (!program) return reply.refuse(program.diagnostics(), *module->sources);
  if (const auto planned = refAs<relax::Function>(program->module->find(arguments.function))) {
    const Result<Unit> fits = checkPlannedBounds(*function, arguments.function, *values, *planned);
    if (!fits) return reply.refuse(fits.diagnostics());
  }
  reply.report(libraryNotes(*program));
  if (!arguments.against.empty())
    return runBeside(arguments, *program, module, std::move(*values), control, interrupt, reply);
  Result<Ran> ran = arguments.engine == "package"
                        ? runExported(arguments, *program, *function, *values, interrupt)
                        : runMachine(arguments, *program, std::move(*values), interrupt, reply);
  if (!ran) return reply.refuse(interrupt.explained(ran.diagnostics()), *module->sources);
  return finish(arguments, ran->result, reply);
}

void addRecordOptions(CLI::App& command, RunArguments& arguments) {
  CLI::Option* record = command.add_option(
      "--record", arguments.record,
      "file for every step of the run and the values that it had (FILE.rxtrace), for `rxs show`; not with --trace or "
      "--engine package");
  record->excludes("--trace");
  command
      .add_option("--record-keep", arguments.keep,
                  "what of the values: everything; bindings: what bindings got, and no value between; statistics: no "
                  "elements of what the run made; last:N: everything of at least the last N steps")
      ->needs(record);
  command
      .add_option(
          "--record-disk", arguments.policy.diskBudget,
          "bytes of the recording at the most: the oldest steps go first (default: half of what the file system "
          "has free; 0: no limit)")
      ->needs(record);
}

constexpr const char* kFieldsOfRun =
    "\"results\": [{\"name\", \"value\": in words; of a tensor \"shape\", \"dtype\", \"min\", \"max\", "
    "\"mean\", \"nan\", \"inf\"}], \"comparisons\" (with the expectation): [{\"name\", \"difference\", "
    "\"limit\", \"equal\"}], \"expected\": how many arrays, where that is not the number of results, "
    "\"printed\": what the program printed, \"on_host\": [{\"kernel\", \"why\"}] of kernels that the device does not "
    "run, \"unchecked\": [{\"kernel\", \"why\"}] of --check, \"agree\", \"most\": that these "
    "are apart, over 1 + |value|, \"in_one_run\": bindings, \"inherited\": "
    "[{\"function\", \"binding\", \"what\"}], and \"first\": {\"function\", \"binding\", \"callee\", \"what\", "
    "\"own\": true, or null where nobody knows} of --against, \"said\" and \"stages\" of --against FILE: as bisect has "
    "them, with \"own_absolute\": what is off of the values of the file, "
    "\"profile_against\" and \"times_against\" of --profile with --against, \"profile\" (with "
    "--profile): {\"wall_nanoseconds\", \"sum_nanoseconds\", \"kernels\" and \"calls\": [{\"name\", \"calls\", "
    "\"nanoseconds\", \"flops\", \"bytes\", \"occupancy\", \"of_limit\", \"limited_by\", \"from\"}], \"hardware\"}";

/// What runs the program, and beside what.
void addEngineOptions(CLI::App& command, RunArguments& arguments) {
  command
      .add_option("--engine", arguments.engine,
                  "what runs the program: compiled code; the reference interpreter for its kernels; stepped: compiled "
                  "without optimisation, each step recorded; package: exported, and what was exported is run")
      ->check(CLI::IsMember({"compiled", "interpreted", "stepped", "package"}));
  command.add_flag("--check", arguments.check,
                   "repeat every kernel in the reference interpreter; exit code 1 (check.differs) at the first element "
                   "that differs beyond the rounding of its type");
  command
      .add_option(
          "--against", arguments.against,
          "another target, cpu, or a library (see --library): run there too, on the same inputs, and name the first "
          "binding of the module "
          "that gets two values beyond the rounding of their type (2e-2 in half precision and below, 1e-4 in single, "
          "1e-7 in "
          "double, absolute and in proportion; others are equal); exit code 1 where there is one. A value of a kernel "
          "that both runs call is made once more in the other way, from the same inputs: where that is the same, the "
          "difference is inherited, as where a sum of opposite numbers leaves of them what rounding left, and the "
          "comparison goes on; of inputs with 16 bits and fewer it is the same within 2e-2, so that a fault of its own "
          "below that counts as inherited. With --profile: both profiles instead. Or a .npz, .npy or .safetensors "
          "file: values "
          "that bindings are known to have, by their name; each is compared, and one that is off is computed once more "
          "from those of the file: what is off then is its own error, the rest is inherited")
      ->excludes("--record")
      ->excludes("--trace")
      ->excludes("--engine")
      ->excludes("--check");
}

}  // namespace

std::function<int()> setupRun(CLI::App& command) {
  auto arguments = std::make_shared<RunArguments>();
  addInputOptions(command, arguments->input);
  addValueOptions(command, *arguments);
  command.add_flag("--plan", arguments->plan,
                   "say as JSON where each parameter takes its value from and whether it fits; runs nothing");
  command.add_option("--out", arguments->out, "folder for result.json and the tensors of the result");
  command.add_option("--expect", arguments->expect,
                     ".npz, .npy or .safetensors to compare the result with (default: expected.npz or .safetensors "
                     "beside the module)");
  command.add_option("--trace", arguments->trace, "folder for every value that was made, with statistics");
  addRecordOptions(command, *arguments);
  addCompileOptions(command, arguments->compile);
  addPluginOption(command, arguments->plugins);
  addEngineOptions(command, *arguments);
  addProfileOptions(command, arguments->profile);
  addTimeLimitOption(command, arguments->timeLimit);
  addConfineOption(command, arguments->confine);
  addJsonOption(command, arguments->asJson, kFieldsOfRun);
  return [arguments] {
    const auto run = [&] {
      // What --plan answers is JSON of its own.
      Reply reply(arguments->asJson && !arguments->plan);
      return reply.finish(runRun(*arguments, reply));
    };
    return arguments->confine ? runConfined({{arguments->record, arguments->profile.out, arguments->profile.trace},
                                             {arguments->out, arguments->trace, limitsFolder(arguments->profile)},
                                             false,
                                             false},
                                            run)
                              : run();
  };
}

}  // namespace rx::cli
