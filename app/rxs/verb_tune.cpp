// rxs tune: variants of kernels that rules offer, measured; what was quickest is kept for later builds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "app/rxs/compile_options.h"
#include "app/rxs/input.h"
#include "app/rxs/kernel_call.h"
#include "app/rxs/kernel_module.h"
#include "app/rxs/reply.h"
#include "app/rxs/run_values.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/tuned_kernels.h"
#include "app/rxs/verbs.h"
#include "core/arith/equal.h"
#include "core/compile/request/passes.h"
#include "core/ir/all_nodes.h"
#include "core/ir/structural_equal.h"
#include "core/pass/options.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/kernel_schedule.h"
#include "core/script/print.h"

namespace rx::cli {

namespace {

using schedule::ChoiceRow;
using schedule::Choices;

struct TuneArguments {
  InputOptions input;
  std::string function, passes, database, pipeline = "optimized";
  std::vector<std::string> symbols;
  size_t trials = 16;
  bool asJson = false;
};

constexpr const char* kRule = "tune.kernel";
constexpr std::string_view kNotKept = "file.write";  ///< the rule by which TunedKernels::add fails
/// Calls before the clock starts, rounds of which the quickest counts, since what else the machine does can only make
/// them slower, and how long one of them is at least.
constexpr int kWarmUp = 2, kRounds = 9;
constexpr double kRoundMicroseconds = 2000;

double microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Microseconds of one call.
Result<double> measured(const KernelCall& call) {
  double once = 0;
  for (int i = 0; i < kWarmUp; ++i) {
    const auto start = std::chrono::steady_clock::now();
    RX_CHECK(call.run());
    once = microsecondsSince(start);
  }
  const auto calls = static_cast<int>(std::clamp(kRoundMicroseconds / std::max(once, 0.05), 1.0, 20000.0));
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) RX_CHECK(call.run());
    least = std::min(least, microsecondsSince(start) / calls);
  }
  return least;
}

/// Tries the variants of the kernels of one module.
class Tuning {
 public:
  Tuning(const TuneArguments& arguments, SizesByName sizes, target::TargetRef target, TunedKernels& kept)
      : arguments_(arguments), given_(std::move(sizes)), target_(std::move(target)), kept_(kept) {}

  /// One number changed at a time, from the best so far.
  Result<Unit> kernel(const std::string& name, const tir::PrimFuncRef& function) {
    name_ = name;
    function_ = function;
    key_ = schedule::kernelKey(function);
    sizes_ = sizesIn(*function);
    variants_.clear();
    left_ = arguments_.trials;
    RX_TRY(untuned, trial({}));
    if (!untuned) return Unit{};
    Choices best;
    double quickest = *untuned;
    for (const ChoiceRow& row : schedule::choiceRows()) {
      if (!isOfRules(row)) continue;
      for (const int64_t other : row.others) {
        Choices changed = best;
        changed.*row.field = other;
        RX_TRY(time, trial(changed));
        if (!time || *time >= quickest) continue;
        quickest = *time;
        best = changed;
      }
    }
    const Trial* found = kept_.best(key_);
    tell(fmt::format("{}: {:.2f} us as it is{}\n", name, kept_.find(key_, sizes_, {})->microseconds,
                     found ? fmt::format(", {:.2f} us with {}", found->microseconds,
                                         script::printNode(*schedule::asAttribute(found->choices)))
                           : std::string(", and no variant is quicker")));
    return Unit{};
  }

 private:
  /// Those of the given sizes that the kernel's signature speaks of: what else was given says nothing of it.
  SizesByName sizesIn(const tir::PrimFunc& function) const {
    SizesByName sizes;
    const auto add = [&](const tir::Var& var) {
      if (const auto found = given_.find(var.name.string()); found != given_.end()) sizes.insert(*found);
    };
    for (size_t i = 0; i < function.params.size(); ++i) {
      add(*function.params[i]);
      if (!function.buffers[i]) continue;
      for (const tir::PrimExpr& extent : function.buffers[i]->shape)
        for (const tir::VarRef& var : arith::freeVars(extent)) add(*var);
    }
    return sizes;
  }

  /// Whether a rule that made a part of the kernel has this choice.
  bool isOfRules(const ChoiceRow& row) const { return row.isOfAll() || schedule::namesRule(rules_, row.rule()); }

  /// Microseconds of a variant, measured unless that was done before; nothing where no rule takes the kernel, or
  /// another variant is the same, or as many were measured as are wanted.
  Result<std::optional<double>> trial(const Choices& choices) {
    RX_TRY(variant, scheduled(choices));
    if (!variant) return std::optional<double>();
    if (variants_.empty()) rules_ = schedule::rulesThatMade(*variant);
    const auto plain = cast<tir::PrimFunc>(ir::withFunctionAttr(variant, Str(schedule::kRules), ir::nullAttr()));
    const bool again = std::any_of(variants_.begin(), variants_.end(),
                                   [&](const tir::PrimFuncRef& other) { return structuralEqual(other, plain); });
    variants_.push_back(plain);
    if (again) return std::optional<double>();
    if (const Trial* known = kept_.find(key_, sizes_, choices)) return std::optional(known->microseconds);
    if (left_ == 0) return std::optional<double>();
    --left_;
    RX_TRY(time, timeOf(variant));
    RX_CHECK(kept_.add(arguments_.database, *target_, {name_, key_, sizes_, choices, time}));
    tell(fmt::format("{}: {:.2f} us {}\n", name_, time, script::printNode(*schedule::asAttribute(choices))));
    return std::optional(time);
  }

  /// Null where no rule takes the kernel.
  Result<tir::PrimFuncRef> scheduled(const Choices& choices) const {
    const pass::PassRow* row = compile::passTable().find(schedule::kHostScheduler.pass);
    const ir::Attrs tuned = ir::withAttr(nullptr, Str(key_), schedule::asAttribute(choices));
    const ir::Attrs options = pass::withFallbacks(row->options, ir::withAttr(nullptr, Str("tuned"), tuned));
    RX_TRY(outcome, schedule::scheduleKernel(schedule::kHostScheduler, function_, target_, options, {}));
    return outcome.kernel;
  }

  Result<double> timeOf(const tir::PrimFuncRef& variant) const {
    compile::Request request;
    const auto var = make<relax::GlobalVar>(Str(name_));
    request.module =
        make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{var, variant}}, nullptr, nullptr, SourceList());
    request.target = target_;
    RX_TRY(program, compile::compile(request, {}));
    RX_TRY(call, KernelCall::of(program, name_, given_, kRule, {}));
    return measured(call);
  }

  const TuneArguments& arguments_;
  const SizesByName given_;
  const target::TargetRef target_;
  TunedKernels& kept_;
  std::string name_, key_;
  SizesByName sizes_;
  tir::PrimFuncRef function_;
  std::vector<std::string> rules_;          ///< that made the kernel
  std::vector<tir::PrimFuncRef> variants_;  ///< so far, without what is said of them
  size_t left_ = 0;
};

/// The pipeline with what is quickest by now, which needs no database any more.
int sayPipeline(const TuneArguments& arguments, const ir::Module& module, Reply& reply) {
  if (!reply.asJson()) return kYes;
  CompileArguments compiled;
  compiled.passes = arguments.pipeline;
  compiled.tuned = arguments.database;
  const auto request = requestFor(module, compiled);
  if (!request) return reply.refuse(request.diagnostics(), *module->sources);
  reply.fields()["pipeline"] = request->passes;
  return kYes;
}

int runTune(const TuneArguments& arguments, Reply& reply) {
  const ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  const auto target = target::parseTarget("llvm");
  if (!target) return reply.refuse(target.diagnostics());
  const auto ready = kernelModule(module, {arguments.passes, arguments.function}, *target, reply);
  if (!ready) return reply.refuse(ready.diagnostics(), *module->sources);
  auto kept = TunedKernels::read(arguments.database, **target);
  if (!kept) return reply.refuse(kept.diagnostics());
  reply.report(kept->notes());
  const auto sizes = sizesOf(arguments.symbols);
  if (!sizes) return reply.refuse(sizes.diagnostics());
  Tuning tuning(arguments, *sizes, *target, *kept);
  Reply::Json& kernels = reply.fields()["kernels"] = Reply::Json::array();
  for (size_t i = 0; i < (*ready)->size(); ++i) {
    const auto kernel = refAs<tir::PrimFunc>((*ready)->functions[i]);
    const std::string name = (*ready)->vars[i]->name.string();
    if (!kernel || (!arguments.function.empty() && name != arguments.function)) continue;
    if (const auto done = tuning.kernel(name, kernel); !done) {
      // A variant that is measured and not kept is measured in vain, and so are all behind it.
      if (done.diagnostics().front().rule == kNotKept) return reply.refuse(done.diagnostics());
      // What has no code of its own, or whose sizes only a run knows, is left to the rules.
      for (Diagnostic said : done.diagnostics()) {
        said.severity = Severity::Note;
        said.message = fmt::format("{}: {}", name, said.message);
        reply.report({said}, *module->sources);
      }
      continue;
    }
    const std::string key = schedule::kernelKey(kernel);
    const Trial *untuned = kept->untuned(key), *best = kept->best(key);
    if (!untuned) continue;
    kernels.push_back({{"name", name},
                       {"key", key},
                       {"untuned", untuned->microseconds},
                       {"best", best ? best->microseconds : untuned->microseconds}});
  }
  return sayPipeline(arguments, module, reply);
}

}  // namespace

std::function<int()> setupTune(CLI::App& command) {
  auto arguments = std::make_shared<TuneArguments>();
  addInputOptions(command, arguments->input);
  command.add_option("--function,--func", arguments->function, "the kernel, by its name (default: all)");
  command.add_option("--passes", arguments->passes,
                     "passes to run first (default: none; the pipeline fused where the module has no kernels yet)");
  command
      .add_option("--symbol", arguments->symbols,
                  "NAME=SIZE of a symbolic variable of kernels: what they are measured with")
      ->allow_extra_args(false);
  command.add_option("--trials", arguments->trials, "variants to measure of each kernel, at most (default 16)")
      ->check(CLI::Range(0, 1000));
  command.add_option("--pipeline", arguments->pipeline,
                     "with --json: passes to be written with what is quickest (default optimized)");
  command
      .add_option("--database", arguments->database,
                  "file that gets a line of JSON for each variant as soon as it is measured; what it holds already is "
                  "not measured again")
      ->required();
  addJsonOption(
      command, arguments->asJson,
      "\"kernels\": [{\"name\", \"key\", \"untuned\", \"best\": microseconds of a call}], \"pipeline\": passes with "
      "what is quickest");
  return [arguments] {
    Reply reply(arguments->asJson);
    return reply.finish(runTune(*arguments, reply));
  };
}

}  // namespace rx::cli
