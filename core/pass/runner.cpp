#include "core/pass/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/language.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/pass/context_pass.h"
#include "core/pass/only.h"
#include "core/pass/options.h"
#include "core/pass/stage_bytes.h"
#include "core/support/stack.h"

namespace rx::pass {

const ir::Module& History::stage(size_t index) const {
  if (index == 0 || steps.empty()) return imported;
  size_t step = std::min(index, steps.size()) - 1;
  return steps[step].after ? steps[step].after : steps[step].before;
}

size_t History::stageCount() const {
  return 1 + static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [](const auto& s) { return !s.failed(); }));
}

int64_t sizeOf(const ir::BaseFunc& function) { return function ? ir::languageOf(*function).size(*function) : 0; }

namespace {

/// Sizes of functions that were counted before: most of a module stays as it is from step to step.
class Sizes {
 public:
  int64_t of(const ir::BaseFunc& function) {
    if (!function) return 0;
    const auto [entry, isNew] = known_.try_emplace(function, 0);
    if (isNew) entry->second = sizeOf(function);
    return entry->second;
  }
  /// Forgets all but the functions of this module.
  void keep(const ir::Module& module) {
    std::unordered_map<ir::BaseFunc, int64_t> kept;
    for (const ir::BaseFunc& function : module->functions) kept.emplace(function, of(function));
    known_ = std::move(kept);
  }

 private:
  std::unordered_map<ir::BaseFunc, int64_t> known_;
};

template <class Same>
std::vector<FunctionChange> changes(const ir::Module& before, const ir::Module& after, Sizes& sizes, Same same) {
  std::vector<FunctionChange> found;
  using What = FunctionChange::What;
  for (size_t i = 0; i < after->size(); ++i) {
    ir::BaseFunc old = before->find(after->vars[i]->name);
    const ir::BaseFunc& now = after->functions[i];
    if (old && same(old, now)) continue;
    found.push_back({after->vars[i]->name, old ? What::Changed : What::Added, sizes.of(now) - sizes.of(old)});
  }
  for (size_t i = 0; i < before->size(); ++i) {
    if (after->find(before->vars[i]->name)) continue;
    found.push_back({before->vars[i]->name, What::Removed, -sizes.of(before->functions[i])});
  }
  return found;
}

std::vector<FunctionChange> changedNodes(const ir::Module& before, const ir::Module& after, Sizes& sizes) {
  return changes(before, after, sizes, [](const ir::BaseFunc& a, const ir::BaseFunc& b) { return a == b; });
}

/// The first function with a dataflow block; empty where there is none.
std::string_view functionWithDataflow(const ir::Module& module) {
  for (size_t i = 0; i < module->size(); ++i) {
    if (!isa<relax::Function>(module->functions[i])) continue;
    bool found = false;
    walk(*module->functions[i], Into::Parts, [&](const Node& node) {
      found |= isa<relax::DataflowBlock>(&node);
      return !found && !isa<relax::Call>(&node);
    });
    if (found) return module->vars[i]->name.view();
  }
  return {};
}

/// Says where a module is not of the form that the pass is written for. It runs all the same: TVM's does.
void checkContract(const PassRow& row, const ir::Module& module, PassContext& context) {
  if (row.contract != Contract::NeedsNoDataflow) return;
  const std::string_view function = functionWithDataflow(module);
  if (function.empty()) return;
  sayWay(context, 0, {.before = "ToNonDataflow()"});
  context.messages.push_back(warningAt(
      {}, "pass.contract",
      fmt::format("{} is written for functions without dataflow blocks, as ToNonDataflow leaves them; {} has one",
                  row.name, function)));
}

/// The remarks in the order of the text, with the functions that they are about.
std::vector<Remark> inOrder(std::vector<Remark> remarks, const ir::IRModule& module) {
  if (remarks.empty()) return remarks;
  struct Where {
    size_t at;
    Str function;
    int64_t ordinal;
  };
  std::unordered_map<const Node*, Where> places;
  for (size_t i = 0; i < module.size(); ++i) {
    int64_t ordinal = 0;
    walkOnce(*module.functions[i], Into::Parts, [&](const Node& node) {
      const auto* binding = isa<relax::BindingNode>(&node) ? static_cast<const relax::BindingNode*>(&node) : nullptr;
      if (binding) places.emplace(binding->var.get(), Where{places.size(), module.vars[i]->name, ordinal++});
      return !isa<tir::ExprNode>(&node) && !isa<tir::PrimFunc>(&node);
    });
  }
  // What is said of parameters is for no one: they are not computed.
  std::erase_if(remarks, [&](const Remark& remark) { return !places.contains(remark.binding.get()); });
  std::sort(remarks.begin(), remarks.end(), [&](const Remark& a, const Remark& b) {
    return places.at(a.binding.get()).at < places.at(b.binding.get()).at;
  });
  for (Remark& remark : remarks) {
    const Where& where = places.at(remark.binding.get());
    remark.function = where.function;
    remark.ordinal = where.ordinal;
  }
  return remarks;
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The module as the pass leaves it: all of it, or the function that the call is for.
Result<ir::Module> applied(const ir::Module& module, const PassCall& call, const ir::Attrs& options,
                           PassContext& context) {
  RX_TRY(only, onlyFunction(call.options, *module));
  RX_TRY(made, withDeepStack([&] { return call.row->run(module, options, context); }));
  if (only.empty()) return made;
  if (context.remarks) {
    std::unordered_set<const Node*> kept;
    walkOnce(*module->find(Str(only)), Into::Parts, [&](const Node& node) { return kept.insert(&node).second; });
    std::erase_if(*context.remarks, [&](const Remark& remark) { return !kept.contains(remark.binding.get()); });
  }
  return onlyOn(module, made, only);
}

StepRecord step(const ir::Module& module, const PassCall& call, const RunOptions& options, Sizes& sizes) {
  StepRecord record;
  record.name = call.row->name;
  record.call = call.text();
  record.before = module;
  PassContext context = options.context;
  if (options.remarks) context.remarks = &record.remarks;
  const std::string why = whyLeftOut(*call.row, context);
  record.leftOut = !why.empty();
  if (record.leftOut) context.messages.push_back({Severity::Note, "pass.left-out", why});
  if (!record.leftOut) checkContract(*call.row, module, context);
  const ir::Attrs given = withFallbacks(call.row->options, call.options);
  auto start = Clock::now();
  Result<ir::Module> result = record.leftOut ? Result<ir::Module>(module) : applied(module, call, given, context);
  record.milliseconds = since(start);
  record.messages = std::move(context.messages);
  record.remarks = inOrder(std::move(record.remarks), *module);
  if (!result) {
    const auto& errors = result.diagnostics();
    record.messages.insert(record.messages.end(), errors.begin(), errors.end());
    return record;
  }
  record.after = *result;
  if (options.made && record.after != module) options.made(record.after);
  record.changes = changedNodes(module, record.after, sizes);
  for (const ir::BaseFunc& function : record.after->functions) record.nodesAfter += sizes.of(function);
  sizes.keep(record.after);
  if (options.measure) record.bytesAdded = bytesAdded(module, record.after);
  if (options.compare && record.after != module && call.row->contract != Contract::LowersForVm)
    record.lost = options.compare(module, record.after);
  if (options.verify) {
    start = Clock::now();
    record.verdict = options.verify(record.after);
    record.verifyMilliseconds = since(start);
    record.verified = true;
  }
  return record;
}

}  // namespace

std::vector<FunctionChange> changedFunctions(const ir::Module& before, const ir::Module& after) {
  Sizes sizes;
  return changedNodes(before, after, sizes);
}

std::vector<FunctionChange> changedByStructure(const ir::Module& before, const ir::Module& after) {
  Sizes sizes;
  return changes(before, after, sizes,
                 [](const ir::BaseFunc& a, const ir::BaseFunc& b) { return structuralEqual(a, b, FreeVars::ByName); });
}

StepRecord runStep(const ir::Module& module, const PassCall& call, const RunOptions& options) {
  Sizes sizes;
  return step(module, call, options, sizes);
}

History runPipeline(const ir::Module& module, std::span<const PassCall> calls, const RunOptions& options) {
  History history{module, {}};
  ir::Module current = module;
  Sizes sizes;
  RunOptions under = options;  // as far as the calls themselves say
  for (size_t i = 0; i < calls.size(); ++i) {
    if (options.progress) options.progress(i, calls.size());
    if (options.context.cancel.cancelled()) {
      StepRecord record;
      record.name = calls[i].row->name;
      record.call = calls[i].text();
      record.before = current;
      record.messages.push_back(errorAt({}, "pass.cancelled", fmt::format("cancelled before {}", record.name)));
      history.steps.push_back(std::move(record));
      return history;
    }
    history.steps.push_back(step(current, calls[i], under, sizes));
    if (options.finished) options.finished(history.steps.back());
    if (history.steps.back().failed()) return history;
    (void)enter(calls[i], under.context);  // a call that is wrong has failed
    current = history.steps.back().after;
    if (options.keepStages) continue;
    history.steps[i].before = nullptr;
    if (i == 0) continue;
    history.steps[i - 1].after = nullptr;
    history.steps[i - 1].kept = false;
  }
  if (options.progress) options.progress(calls.size(), calls.size());
  return history;
}

}  // namespace rx::pass
