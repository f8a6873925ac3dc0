// ApplySchedules: the stages of each kernel that nobody has scheduled, by rules for processors.
#include "core/schedule/apply_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/function_target.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/kernel_blocks.h"
#include "core/schedule/primitives.h"
#include "core/schedule/vector_math.h"

namespace rx::schedule {

using namespace tir;

namespace {

using Rules = std::vector<const HostRuleRow*>;

Result<Rules> rulesOf(const ir::Attrs& options) {
  const NodeRef value = ir::attrOf(options, "rules");
  const auto* list = as<ir::ArrayAttr>(value);
  if (!list) return fail("pass.option-value", "rules is a list of names");
  Rules rules;
  for (const NodeRef& item : list->items) {
    const auto* name = as<ir::StrAttr>(item);
    const HostRuleRow* row = name ? findHostRule(name->value.view()) : nullptr;
    if (!row) {
      std::string known;
      for (const HostRuleRow& other : hostRuleRows())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
      return fail("pass.option-value", fmt::format("there is no rule '{}'; there are {}",
                                                   name ? name->value.view() : std::string_view(), known));
    }
    rules.push_back(row);
  }
  return rules;
}

/// Places of the block, those of axes whose size is not known left out.
int64_t placesOf(const BlockInfo& info) {
  int64_t count = 1;
  for (const AxisInfo& axis : info.axes) {
    if (__builtin_mul_overflow(count, asInt(axis.extent).value_or(1), &count))
      return std::numeric_limits<int64_t>::max();
  }
  return count;
}

/// Whether the block may go into those that read what it makes: they reduce nothing and have no more places than it
/// has, so that nothing is computed again and again.
bool mayInline(Schedule& schedule, const BlockInfo& info, const std::vector<BlockInfo>& all) {
  if (!info.isInjective()) return false;
  const BlockScope scope(*schedule.get(schedule.root()));
  const auto readers = scope.consumers(*schedule.get(info.block));
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
    return std::any_of(all.begin(), all.end(), [&](const BlockInfo& other) {
      return other.isInjective() && schedule.has(other.block) && schedule.get(other.block) == reader->block &&
             placesOf(other) <= placesOf(info);
    });
  });
}

/// The kernel with blocks that reduce nothing inlined into one another.
PrimFuncRef inlined(const PrimFuncRef& function) {
  auto schedule = Schedule::of(function);
  if (!schedule) return function;
  const auto blocks = normalizedBlocks(*schedule);
  if (!blocks) return function;
  for (const BlockInfo& info : *blocks) {
    if (mayInline(*schedule, info, *blocks)) (void)computeInline(*schedule, info.block);
  }
  return schedule->function();
}

bool reads(const Stmt& statement, const Buffer& buffer) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    found = found || (load && load->buffer.get() == &buffer);
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

/// The stages of one kernel, from the first to the last.
class KernelScheduler {
 public:
  KernelScheduler(const PrimFuncRef& function, const Rules& rules, VectorShape vectors)
      : function_(function),
        root_(cast<BlockRealize>(function->body)),
        rules_(rules),
        vectors_(vectors),
        inStages_(BlockScope(*root_->block).whyNoPipeline().empty()) {}

  /// Null where no rule applies to any stage.
  PrimFuncRef run() {
    const std::vector<Stmt> statements = statementsOf(root_->block->body);
    std::vector<std::optional<Stage>> stages;
    for (const Stmt& statement : statements) stages.push_back(stageOf(statement));
    std::vector<Stmt> made(statements.size());
    std::vector<bool> folded(statements.size());
    for (size_t i = 0; i < statements.size(); ++i) {
      if (folded[i]) continue;
      const auto reader = onlyReader(statements, stages, i);
      const StageOutcome outcome = stages[i] ? scheduled(*stages[i], reader ? &*stages[*reader] : nullptr)
                                             : stageStays("it is no stage of one store for each place of its axes");
      if (!outcome.made && !outcome.why.empty()) note(statements[i], outcome.why);
      some_ = some_ || outcome.made;
      // Both run where the reader stands: what it reads beside this one is there by then.
      if (outcome.tookBehind) {
        folded[*reader] = true;
        folded_.push_back(stages[i]->buffer);
      }
      made[outcome.tookBehind ? *reader : i] = outcome.made ? outcome.made : statements[i];
    }
    std::erase_if(made, [](const Stmt& statement) { return !statement; });
    for (Stmt& statement : made) {
      Stmt plain = withVectorMath(statement, vectors_.fused);
      some_ = some_ || plain != statement;
      statement = std::move(plain);
    }
    return some_ ? withStatements(made) : nullptr;
  }
  const std::string& why() const { return why_; }

 private:
  StageOutcome scheduled(const Stage& stage, const Stage* behind) {
    std::string why;
    for (const HostRuleRow* rule : rules_) {
      StageOutcome outcome = rule->apply({stage, behind, vectors_});
      if (outcome.made) return outcome;
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", rule->name, outcome.why);
    }
    return stageStays(std::move(why));
  }

  /// The stage behind that alone reads what this one writes, where nobody outside of the kernel does.
  std::optional<size_t> onlyReader(const std::vector<Stmt>& statements, const std::vector<std::optional<Stage>>& stages,
                                   size_t i) const {
    if (!stages[i] || !inStages_) return std::nullopt;
    const BufferRef& buffer = stages[i]->buffer;
    const auto& own = root_->block->allocBuffers;
    if (std::find(own.begin(), own.end(), buffer) == own.end()) return std::nullopt;
    std::optional<size_t> found;
    for (size_t other = 0; other < statements.size(); ++other) {
      if (other == i || !reads(statements[other], *buffer)) continue;
      if (found || other < i || !stages[other]) return std::nullopt;
      found = other;
    }
    return found;
  }

  void note(const Stmt& statement, const std::string& why) {
    const auto blocks = blocksBelow(statement);
    why_ += fmt::format("{}{}: {}", why_.empty() ? "" : ". ",
                        blocks.empty() ? std::string_view("a statement") : blocks.front()->block->name.view(), why);
  }

  PrimFuncRef withStatements(const std::vector<Stmt>& statements) const {
    auto* block = new tir::Block(*root_->block);
    const Ref<tir::Block> made(block);
    block->body = seq(statements);
    std::vector<BufferRef> left;
    for (const BufferRef& buffer : root_->block->allocBuffers) {
      if (std::find(folded_.begin(), folded_.end(), buffer) == folded_.end()) left.push_back(buffer);
    }
    block->allocBuffers = Array<BufferRef>(std::move(left));
    return lower::withBody(function_, make<BlockRealize>(root_->iterValues, root_->predicate, made));
  }

  const PrimFuncRef& function_;
  Ref<BlockRealize> root_;
  const Rules& rules_;
  VectorShape vectors_;
  bool inStages_;  ///< nothing is written that was read before
  std::vector<BufferRef> folded_;
  bool some_ = false;
  std::string why_;
};

void tell(lower::Scope& scope, const std::string& why) {
  Diagnostic told = warningAt({}, "schedule.no-rule", fmt::format("{}: {}", scope.name->name.view(), why));
  told.severity = Severity::Note;
  scope.context.messages.push_back(std::move(told));
}

Result<PrimFuncRef> scheduled(const PrimFuncRef& function, lower::Scope& scope) {
  if (ir::boolAttrOf(function->attrs, kScheduled, false)) return function;
  RX_TRY(own, lower::targetOf(*function));
  const target::TargetRef target = own ? own : scope.context.target;
  if (!target) return fail("lower.no-target", "a kernel is scheduled for a target, and the function names none");
  RX_TRY(rules, rulesOf(scope.options));
  if (target->kind() != "llvm") return function;
  if (!isa<BlockRealize>(function->body)) {
    tell(scope, "the body of the function is no block");
    return function;
  }
  const PrimFuncRef whole = inlined(function);
  KernelScheduler scheduler(whole, rules, vectorShapeOf(*target));
  const PrimFuncRef made = scheduler.run();
  if (!scheduler.why().empty()) tell(scope, scheduler.why());
  if (!made) return function;
  return cast<PrimFunc>(ir::withFunctionAttr(made, Str(kScheduled), ir::boolAttr(true)));
}

}  // namespace

Result<ir::Module> applySchedules(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  RX_CHECK(rulesOf(options));
  return lower::overPrimFuncs(module, options, context, scheduled);
}

}  // namespace rx::schedule
