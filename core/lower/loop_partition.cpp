// LoopPartition: the part of a loop's range where likely conditions are decided becomes a loop without them, what comes
// before and after keeps them.
#include <optional>

#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/partition_finder.h"
#include "core/lower/pass_functions.h"
#include "core/lower/ssa.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

struct PartitionConfig {
  bool constants, keepSingle, unrollHinted;
};

using Conditions = std::unordered_set<const Node*>;

/// Conditions with a known value.
class ConditionEliminator : public Rewriter {
 public:
  ConditionEliminator(const Conditions& conditions, bool value) : conditions_(conditions), value_(value) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    return conditions_.contains(node.get()) ? NodeRef(boolImm(value_)) : nullptr;
  }

 private:
  const Conditions& conditions_;
  const bool value_;
};

/// Puts a branch on `condition` into the innermost launch of a thread.
class ThreadBranch : public Rewriter {
 public:
  ThreadBranch(const Conditions& conditions, const PrimExpr& condition)
      : conditions_(conditions), condition_(condition) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* attribute = as<AttrStmt>(statement);
    if (!attribute || attribute->key != "thread_extent") return parts(statement);
    innermost_ = true;
    Stmt made = parts(statement);
    if (std::exchange(innermost_, false)) {
      const Stmt simple = ConditionEliminator(conditions_, true).rewrite(attribute->body);
      const Stmt body = make<IfThenElse>(condition_, simple, attribute->body);
      made = make<AttrStmt>(attribute->node, attribute->key, attribute->value, body);
    }
    return made;
  }

 private:
  const Conditions& conditions_;
  const PrimExpr condition_;
  bool innermost_ = false;
};

/// The part of the range where conditions are decided, all the same way.
struct Middle {
  arith::IntSet interval;
  Conditions conditions;
  bool value = true;
};

class Partitioner : public Rewriter {
 public:
  explicit Partitioner(PartitionConfig config) : config_(config) {}

  Stmt run(const Stmt& statement) {
    findCandidates(statement, config_.constants, candidates_);
    return rewrite(statement);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) {
      canon_.bind(loop->loopVar, loop->min, loop->extent);
      const arith::IntSet range = arith::IntSet::fromRange(loop->min, loop->extent);
      if (candidates_.statements.contains(statement)) {
        const PrimExpr last = arith::sub(arith::add(loop->min, loop->extent), one(loop->min));
        if (Stmt made = partition(statement, loop->loopVar, loop->min, last, loop->body)) return made;
      }
      return within(hints_, loop->loopVar.get(), range, statement);
    }
    const auto* attribute = as<AttrStmt>(statement);
    const auto* axis = attribute && attribute->key == "thread_extent" ? as<IterVar>(attribute->node) : nullptr;
    if (!axis) return parts(statement);
    const PrimExpr zero = arith::constantInt(attribute->value->dtype, 0);
    if (candidates_.statements.contains(statement)) {
      const PrimExpr last = arith::sub(attribute->value, one(zero));
      if (Stmt made = partition(statement, axis->var, zero, last, attribute->body)) return made;
    }
    // Threads of one block go different ways through a condition.
    const bool thread = !axis->threadTag.view().starts_with("blockIdx");
    return within(thread ? relaxed_ : hints_, axis->var.get(), arith::IntSet::fromRange(zero, attribute->value),
                  statement);
  }

 private:
  static PrimExpr one(const PrimExpr& like) { return arith::constantInt(like->dtype, 1); }
  bool proves(const PrimExpr& condition) { return canon_.canProve(condition); }

  Stmt within(arith::Domains& domains, const Var* var, const arith::IntSet& range, const Stmt& statement) {
    const bool fresh = domains.emplace(var, range).second;
    Stmt made = parts(statement);
    if (fresh) domains.erase(var);
    return made;
  }

  std::optional<Middle> middleOf(const std::vector<DecidedCondition>& decided, const arith::IntSet& range, bool value,
                                 bool hinted);
  Stmt partition(const Stmt& statement, const VarRef& var, const PrimExpr& first, const PrimExpr& last,
                 const Stmt& body);
  Stmt split(const For& loop, const PrimExpr& first, const PrimExpr& last, const Middle& middle);
  Stmt branch(const Stmt& launch, const VarRef& var, const PrimExpr& first, const PrimExpr& last, const Middle& middle);
  Stmt shifted(const For& loop, const Stmt& body, const PrimExpr& begin, const PrimExpr& extent);

  const PartitionConfig config_;
  PartitionCandidates candidates_;
  arith::Domains hints_, relaxed_;
  arith::Canon canon_;
};

std::optional<Middle> Partitioner::middleOf(const std::vector<DecidedCondition>& decided, const arith::IntSet& range,
                                            bool value, bool hinted) {
  Middle middle;
  middle.value = value;
  std::optional<arith::IntSet> common;
  size_t count = 0;
  for (const DecidedCondition& one : decided) {
    if (one.value != value || arith::intersection(canon_, one.interval, range).nothing) continue;
    common = common ? arith::intersection(canon_, *common, one.interval) : one.interval;
    middle.conditions.insert(one.condition.get());
    ++count;
  }
  const auto simple = [&](const PrimExpr& e) { return e ? canon_.simplify(e) : nullptr; };
  if (common && !common->nothing) {
    middle.interval = count == 1 ? *common : arith::IntSet{simple(common->min), simple(common->max)};
    return middle;
  }
  if (!hinted) return std::nullopt;
  // As many conditions, in their order, as have a part in common.
  arith::IntSet rest;
  middle.conditions.clear();
  for (const DecidedCondition& one : decided) {
    if (one.value != value || arith::intersection(canon_, one.interval, range).nothing) continue;
    rest = arith::intersection(canon_, rest, one.interval);
    if (rest.nothing) break;
    middle.conditions.insert(one.condition.get());
    middle.interval = {simple(rest.min), simple(rest.max)};
  }
  return middle.conditions.empty() ? std::nullopt : std::optional(middle);
}

Stmt Partitioner::partition(const Stmt& statement, const VarRef& var, const PrimExpr& first, const PrimExpr& last,
                            const Stmt& body) {
  const bool hinted = candidates_.hinted.contains(var.get());
  const arith::IntSet range{first, last};
  arith::Domains hints = hints_;
  hints.emplace(var.get(), range);
  const auto decided = findPartitions(var, body, std::move(hints), relaxed_, hinted);
  if (decided.empty()) return nullptr;
  auto middle = middleOf(decided, range, true, hinted);
  if (!middle) middle = middleOf(decided, range, false, hinted);
  const auto* loop = as<For>(statement);
  if (middle) return loop ? split(*loop, first, last, *middle) : branch(statement, var, first, last, *middle);
  const bool several = proves(arith::gt(arith::sub(last, first), arith::constantInt(first->dtype, 0)));
  if (!hinted || !config_.unrollHinted || !several) return nullptr;
  const Stmt inside = run(body);
  return make<For>(var, first, arith::add(arith::sub(last, first), one(first)), ForKind::Unrolled, inside);
}

/// A loop from 0 whose variable stands for itself plus `begin`; the body alone where it runs once.
Stmt Partitioner::shifted(const For& loop, const Stmt& body, const PrimExpr& begin, const PrimExpr& extent) {
  const Stmt moved = substitute(body, {{loop.loopVar.get(), arith::add(loop.loopVar, begin)}});
  const bool plain = !loop.annotations || loop.annotations->size() == 0;
  if (!config_.keepSingle && plain && proves(arith::eq(extent, one(extent)))) {
    return substitute(moved, {{loop.loopVar.get(), arith::constantInt(loop.loopVar->dtype, 0)}});
  }
  auto* copy = new For(loop);
  copy->min = arith::constantInt(loop.min->dtype, 0);
  copy->extent = extent;
  copy->body = moved;
  return Stmt(copy);
}

Stmt Partitioner::split(const For& loop, const PrimExpr& first, const PrimExpr& last, const Middle& middle) {
  const PrimExpr zero = arith::constantInt(first->dtype, 0), end = arith::add(last, one(last));
  PrimExpr begin = first, rest = end;
  Stmt before, after, during;
  bool againBefore = true, againAfter = true;
  if (middle.interval.min) {
    begin = canon_.simplify(middle.interval.min);
    if (!proves(arith::eq(begin, first))) {
      const PrimExpr extent = canon_.simplify(arith::sub(begin, first));
      if (!proves(arith::gt(extent, zero))) {
        begin = arith::max(begin, first);
        againBefore = false;
      }
      if (!proves(arith::le(extent, zero))) before = shifted(loop, loop.body, first, arith::sub(begin, first));
    }
  }
  if (middle.interval.max) {
    rest = canon_.simplify(arith::add(middle.interval.max, one(last)));
    if (!proves(arith::eq(middle.interval.max, last))) {
      const PrimExpr extent = canon_.simplify(arith::add(arith::sub(last, rest), one(last)));
      if (!proves(arith::gt(extent, zero))) {
        rest = arith::min(rest, end);
        againAfter = false;
      }
      if (!proves(arith::le(extent, zero))) after = shifted(loop, loop.body, rest, extent);
    }
  }
  if (!proves(arith::ge(begin, rest))) {
    const Stmt simple = ConditionEliminator(middle.conditions, middle.value).rewrite(loop.body);
    during = run(shifted(loop, simple, begin, arith::sub(rest, begin)));
    if (before && againBefore) before = run(before);
    if (after && againAfter) after = run(after);
  }
  std::vector<Stmt> made;
  for (const Stmt& part : {before, during, after}) {
    if (part) made.push_back(part);
  }
  return toSsa(seq(made));
}

Stmt Partitioner::branch(const Stmt& launch, const VarRef& var, const PrimExpr& first, const PrimExpr& last,
                         const Middle& middle) {
  PrimExpr condition = boolImm(true);
  const PrimExpr end = arith::add(last, one(last));
  if (middle.interval.min) {
    const PrimExpr begin = canon_.simplify(middle.interval.min);
    if (!proves(arith::eq(begin, first))) {
      const bool inside = proves(arith::gt(arith::sub(begin, first), arith::constantInt(first->dtype, 0)));
      condition = arith::logicalAnd(condition, arith::ge(var, inside ? begin : arith::max(begin, first)));
    }
  }
  if (middle.interval.max) {
    const PrimExpr rest = canon_.simplify(arith::add(middle.interval.max, one(last)));
    if (!proves(arith::eq(rest, end))) {
      const bool inside = proves(arith::gt(arith::sub(end, rest), arith::constantInt(first->dtype, 0)));
      condition = arith::logicalAnd(condition, arith::lt(var, inside ? rest : arith::min(rest, end)));
    }
  }
  return toSsa(ThreadBranch(middle.conditions, condition).rewrite(launch));
}

/// Without the marks that this pass goes by.
class MarkRemover : public Rewriter {
 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* attribute = as<AttrStmt>(statement);
    return attribute && attribute->key == "pragma_loop_partition_hint" ? rewrite(attribute->body) : parts(statement);
  }
  NodeRef leave(const NodeRef& node) override {
    for (const std::string_view mark : {"likely", "ignore_loop_partition"}) {
      if (const tir::Call* call = arith::asIntrinsic(node, mark)) return call->args[0];
    }
    return node;
  }
};

}  // namespace

Result<PrimFuncRef> loopPartition(const PrimFuncRef& func, Scope& scope) {
  const auto flag = [&](std::string_view field) {
    return pass::configFlag(scope.context, "s_tir.LoopPartition", field);
  };
  Partitioner partitioner({flag("partition_const_loop"), flag("no_unroll_loop_with_extent_one"),
                           flag("unroll_loop_with_partition_hint_no_interval")});
  return withBody(func, MarkRemover().rewrite(partitioner.run(func->body)));
}

}  // namespace rx::lower
