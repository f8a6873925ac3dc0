#include <algorithm>

#include "checks.h"
#include "core/analysis/well_formed.h"
#include "core/compile/compile.h"
#include "core/evaluate/evaluate.h"
#include "core/script/print.h"
#include "core/tensor/stats.h"
#include "core/transform/passes.h"
#include "random_module.h"

namespace rx::fuzz {

namespace {

struct Excuse {
  std::string_view pass, reason;
};
constexpr Excuse kNotHere[] = {
    {"Gradient", "needs the name of a function"},  {"LazyGetInput", "changes the parameters"},
    {"LazySetOutput", "changes the parameters"},   {"ToMixedPrecision", "rounds to another type"},
    {"RunCodegen", "needs another compiler"},      {"RewriteCUDAGraph", "is for a GPU"},
    {"AnnotateCustomMemoryScope", "is for a GPU"}, {"RealizeVDevice", "is for several devices"},
    {"UpdateVDevice", "is for several devices"},   {"MetaScheduleApplyDatabase", "is TVM's own"},
    {"MetaScheduleTuneTIR", "is TVM's own"},       {"MetaScheduleTuneIRMod", "is TVM's own"},
};

/// Passes from Relax to Relax that need no option and keep what the function is.
const std::vector<const pass::PassRow*>& passes() {
  static const std::vector<const pass::PassRow*> kRows = [] {
    std::vector<const pass::PassRow*> rows;
    for (const pass::PassRow& row : transform::passRows()) {
      const bool excused =
          std::any_of(std::begin(kNotHere), std::end(kNotHere), [&](const Excuse& e) { return e.pass == row.name; });
      if (!excused && row.contract == pass::Contract::KeepsNormalForm) rows.push_back(&row);
    }
    return rows;
  }();
  return kRows;
}

std::string said(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += d.rule + ": " + d.message + "\n";
  return text;
}

/// The result's tensors, in order; or why there are none.
struct Outcome {
  std::vector<Ref<HostTensor>> tensors;
  std::vector<Diagnostic> refused;
};

void collect(const vm::Value& value, Outcome& out) {
  if (value.is(vm::ValueKind::Tensor)) out.tensors.push_back(value.asTensor());
  if (!value.is(vm::ValueKind::Tuple)) return;
  for (const vm::Value& item : value.asTuple()) collect(item, out);
}

Outcome outcomeOf(const Result<vm::Value>& result) {
  Outcome out;
  if (result) {
    collect(*result, out);
  } else {
    out.refused = result.diagnostics();
  }
  return out;
}

Result<vm::Value> runCompiled(const compile::Program& program, std::vector<vm::Value> arguments) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  vm::MachineOptions options;
  options.kernels = kernels;
  return evaluate::resultOf(program.executable, std::move(options), "main", std::move(arguments));
}

Result<vm::Value> runInterpreted(const RandomModule& made) {
  return evaluate::valueOf(made.module, "main", made.arguments);
}

std::string differs(const Outcome& got, const Outcome& wanted) {
  if (got.refused.empty() != wanted.refused.empty())
    return "one ends, the other is refused: " + said(got.refused) + said(wanted.refused);
  if (got.tensors.size() != wanted.tensors.size()) return "another number of results";
  for (size_t i = 0; i < got.tensors.size(); ++i) {
    const HostTensor &a = *got.tensors[i], &b = *wanted.tensors[i];
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return fmt::format("result {} is of another form", i);
    if (const int64_t at = firstBeyondRounding(a, b); at >= 0)
      return fmt::format("result {}, element {}: {} and {}", i, at, a.at(at), b.at(at));
  }
  return {};
}

}  // namespace

std::string checkPasses(std::string_view bytes) {
  Choices choices(bytes);
  const bool release = choices.below(2) != 0;
  std::vector<pass::PassCall> calls;
  for (size_t left = choices.below(6); left > 0; --left)
    calls.push_back({passes()[choices.below(passes().size())], nullptr});
  const RandomModule made = randomModule(choices);
  auto problem = [&](const std::string& what, const ir::Module& now) {
    std::string text = what + "\n" + script::printModule(made.module).text + "\n";
    for (const pass::PassCall& call : calls) text += call.text() + ", ";
    return text + "\n" + script::printModule(now).text;
  };
  if (auto found = analysis::wellFormed(made.module); hasErrors(found))
    return problem("the module is not well formed: " + said(found), made.module);
  const Outcome wanted = outcomeOf(runInterpreted(made));
  // What no kernel can be made for has nothing to be compared with.
  compile::Request request;
  request.module = made.module;
  request.mode = release ? compile::Mode::Release : compile::Mode::Step;
  if (!wanted.refused.empty() || !compile::compile(request, {})) return {};

  pass::RunOptions options;
  options.verify = [](const ir::Module& module) { return analysis::wellFormed(module); };
  const pass::History history = pass::runPipeline(made.module, calls, options);
  for (const pass::StepRecord& step : history.steps) {
    if (step.failed()) return problem(step.name + " fails: " + said(step.messages), step.before);
    if (hasErrors(step.verdict)) return problem(step.name + " leaves: " + said(step.verdict), step.after);
  }
  request.module = history.stage(history.steps.size());
  const auto program = compile::compile(request, {});
  if (!program) return problem("no longer compiles: " + said(program.diagnostics()), request.module);
  const std::string bad = differs(outcomeOf(runCompiled(*program, made.arguments)), wanted);
  return bad.empty() ? "" : problem(bad, request.module);
}

}  // namespace rx::fuzz
