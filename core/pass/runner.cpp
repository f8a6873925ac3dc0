#include "core/pass/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
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

int64_t sizeOf(const ir::BaseFunc& function) {
  int64_t count = 0;
  if (!function) return 0;
  walk(*function, Into::Parts, [&](const Node& node) {
    bool counted = isa<relax::BindingNode>(&node) || (isa<tir::StmtNode>(&node) && !isa<tir::SeqStmt>(&node));
    count += counted ? 1 : 0;
    return !isa<tir::ExprNode>(&node);
  });
  return count;
}

namespace {
template <class Same>
std::vector<FunctionChange> changes(const ir::Module& before, const ir::Module& after, Same same) {
  std::vector<FunctionChange> found;
  using What = FunctionChange::What;
  for (size_t i = 0; i < after->size(); ++i) {
    ir::BaseFunc old = before->find(after->vars[i]->name);
    const ir::BaseFunc& now = after->functions[i];
    if (old && same(old, now)) continue;
    found.push_back({after->vars[i]->name, old ? What::Changed : What::Added, sizeOf(now) - sizeOf(old)});
  }
  for (size_t i = 0; i < before->size(); ++i) {
    if (after->find(before->vars[i]->name)) continue;
    found.push_back({before->vars[i]->name, What::Removed, -sizeOf(before->functions[i])});
  }
  return found;
}
}  // namespace

std::vector<FunctionChange> changedFunctions(const ir::Module& before, const ir::Module& after) {
  return changes(before, after, [](const ir::BaseFunc& a, const ir::BaseFunc& b) { return a == b; });
}

std::vector<FunctionChange> changedByStructure(const ir::Module& before, const ir::Module& after) {
  return changes(before, after,
                 [](const ir::BaseFunc& a, const ir::BaseFunc& b) { return structuralEqual(a, b, FreeVars::ByName); });
}

StepRecord runStep(const ir::Module& module, const PassCall& call, const RunOptions& options) {
  StepRecord record;
  record.name = call.row->name;
  record.call = call.text();
  record.before = module;
  PassContext context = options.context;
  auto start = std::chrono::steady_clock::now();
  Result<ir::Module> result = withDeepStack([&] { return call.row->run(module, call.options, context); });
  record.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  record.messages = std::move(context.messages);
  if (!result) {
    const auto& errors = result.diagnostics();
    record.messages.insert(record.messages.end(), errors.begin(), errors.end());
    return record;
  }
  record.after = *result;
  record.changes = changedFunctions(module, record.after);
  for (const ir::BaseFunc& function : record.after->functions) record.nodesAfter += sizeOf(function);
  if (options.verify) {
    record.verdict = options.verify(record.after);
    record.verified = true;
  }
  return record;
}

History runPipeline(const ir::Module& module, std::span<const PassCall> calls, const RunOptions& options) {
  History history{module, {}};
  ir::Module current = module;
  const auto& disabled = options.context.disabled;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (options.progress) options.progress(i, calls.size());
    if (std::find(disabled.begin(), disabled.end(), calls[i].row->name) != disabled.end()) continue;
    if (options.context.cancel.cancelled()) {
      StepRecord record;
      record.name = calls[i].row->name;
      record.call = calls[i].text();
      record.before = current;
      record.messages.push_back(errorAt({}, "pass.cancelled", fmt::format("cancelled before {}", record.name)));
      history.steps.push_back(std::move(record));
      return history;
    }
    history.steps.push_back(runStep(current, calls[i], options));
    if (history.steps.back().failed()) return history;
    current = history.steps.back().after;
  }
  if (options.progress) options.progress(calls.size(), calls.size());
  return history;
}

}  // namespace rx::pass
