#include "core/lower/partition_finder.h"

#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/make_node.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

const IterVar* launchedAxis(const AttrStmt& attribute) {
  return attribute.key == "thread_extent" ? as<IterVar>(attribute.node) : nullptr;
}

/// Hands on the statements and the expressions that a statement is made of, in order; buffers are neither.
template <class OnStmt, class OnExpr>
void eachPart(const Stmt& statement, OnStmt onStmt, OnExpr onExpr) {
  std::vector<const Node*> children;
  appendChildren(*statement, Into::Parts, children);
  for (const Node* child : children) {
    if (const auto* inner = as<StmtNode>(child)) {
      onStmt(Stmt(inner));
    } else if (child && !isa<Buffer>(child)) {
      onExpr(*child);
    }
  }
}

class CandidateFinder {
 public:
  CandidateFinder(bool constants, PartitionCandidates& out) : constants_(constants), out_(out) {}

  void visit(const Stmt& statement) {
    withStack([&] { dispatch(statement); });
  }

 private:
  void dispatch(const Stmt& statement) {
    if (const auto* loop = as<For>(statement)) {
      const bool fixed = isa<IntImm>(loop->min) && isa<IntImm>(loop->extent);
      return scope(statement, loop->loopVar.get(), !fixed || constants_);
    }
    if (const auto* sequence = as<SeqStmt>(statement)) {
      const bool before = unsplittable_;
      bool any = before;
      for (const Stmt& part : sequence->seq) {
        unsplittable_ = before;
        visit(part);
        any = any || unsplittable_;
      }
      unsplittable_ = any;
      return;
    }
    if (const auto* attribute = as<AttrStmt>(statement)) {
      if (const auto* axis = launchedAxis(*attribute)) {
        const bool block = axis->threadTag.view().starts_with("blockIdx");
        return scope(statement, axis->var.get(), block && (!isa<IntImm>(attribute->value) || constants_));
      }
      if (attribute->key == "pragma_loop_partition_hint" && asInt(attribute->value).value_or(0) != 0) {
        const auto* axis = as<IterVar>(attribute->node);
        out_.hinted.insert(axis ? static_cast<const Node*>(axis->var.get()) : attribute->node.get());
      }
    }
    parts(statement);
  }

  /// A statement that defines `var`; a candidate where a likely condition uses it.
  void scope(const Stmt& statement, const Var* var, bool may) {
    if (out_.hinted.contains(var)) {
      out_.statements.insert(statement);
      return parts(statement);
    }
    if (!may) return parts(statement);
    used_[var] = false;
    parts(statement);
    if (used_[var] && !unsplittable_) out_.statements.insert(statement);
    used_.erase(var);
  }

  void parts(const Stmt& statement) {
    eachPart(
        statement, [&](const Stmt& inner) { visit(inner); }, [&](const Node& expr) { expression(expr); });
  }

  void expression(const Node& root) {
    walk(root, Into::Parts, [&](const Node& node) {
      if (arith::asIntrinsic(&node, "tvm_thread_allreduce")) {
        unsplittable_ = true;
        return false;
      }
      const tir::Call* likely = arith::asIntrinsic(&node, "likely");
      if (!likely) return !isa<Buffer>(&node);
      for (const VarRef& var : arith::freeVars(likely->args[0])) {
        if (auto used = used_.find(var.get()); used != used_.end()) used->second = true;
      }
      return false;
    });
  }

  const bool constants_;
  PartitionCandidates& out_;
  bool unsplittable_ = false;
  std::unordered_map<const Node*, bool> used_;
};

class Finder {
 public:
  Finder(const VarRef& var, arith::Domains hints, arith::Domains relaxed, bool allComparisons)
      : var_(var), hints_(std::move(hints)), relaxed_(std::move(relaxed)), allComparisons_(allComparisons) {
    for (const auto& [outer, domain] : hints_) outside_.insert(outer);
    for (const auto& [outer, domain] : relaxed_) outside_.insert(outer);
  }

  void visit(const Stmt& statement) {
    withStack([&] { dispatch(statement); });
  }
  std::vector<DecidedCondition> found;

 private:
  void dispatch(const Stmt& statement) {
    if (const auto* loop = as<For>(statement)) {
      const auto outer = [&](const PrimExpr& e) {
        const auto free = arith::freeVars(e);
        return std::ranges::any_of(free, [&](const VarRef& v) { return outside_.contains(v.get()); });
      };
      if (outer(loop->min) || outer(loop->extent)) return;
      return within(loop->loopVar.get(), arith::IntSet::fromRange(loop->min, loop->extent), statement);
    }
    const auto* attribute = as<AttrStmt>(statement);
    if (const auto* axis = attribute ? launchedAxis(*attribute) : nullptr) {
      const auto zero = arith::constantInt(attribute->value->dtype, 0);
      return within(axis->var.get(), arith::IntSet::fromRange(zero, attribute->value), statement);
    }
    parts(statement);
  }

  void within(const Var* var, const arith::IntSet& domain, const Stmt& statement) {
    const bool hinted = hints_.emplace(var, domain).second, relaxed = relaxed_.emplace(var, domain).second;
    parts(statement);
    if (hinted) hints_.erase(var);
    if (relaxed) relaxed_.erase(var);
  }

  void parts(const Stmt& statement) {
    eachPart(
        statement, [&](const Stmt& inner) { visit(inner); }, [&](const Node& expr) { expression(expr); });
  }

  void expression(const Node& root) {
    walk(root, Into::Parts, [&](const Node& node) {
      if (const tir::Call* likely = arith::asIntrinsic(&node, "likely")) {
        decide(likely->args[0]);
        return false;
      }
      if (arith::asIntrinsic(&node, "ignore_loop_partition") || isa<Buffer>(&node)) return false;
      const bool compares = node.kind() >= Kind::tir_EQ && node.kind() <= Kind::tir_GE;
      if (!allComparisons_ || !compares) return true;
      decide(PrimExpr(as<ExprNode>(&node)));
      return false;
    });
  }

  void note(const PrimExpr& condition, bool value, const arith::IntSet& interval) {
    for (DecidedCondition& known : found) {
      if (known.condition != condition || known.value != value) continue;
      known.interval = interval;
      return;
    }
    found.push_back({condition, value, interval});
  }

  void decide(const PrimExpr& condition) {
    const auto free = arith::freeVars(condition);
    if (std::ranges::find(free, var_) == free.end()) return;
    if (auto interval = arith::deduceBound(var_, condition, hints_, relaxed_)) {
      note(condition, true, *interval);
    } else if (const auto* equal = as<EQ>(condition)) {
      // Both of >= and <=.
      const auto low = arith::deduceBound(var_, make<GE>(equal->a, equal->b), hints_, relaxed_);
      const auto high = arith::deduceBound(var_, make<LE>(equal->a, equal->b), hints_, relaxed_);
      arith::Canon canon;
      if (low && high) {
        if (auto both = arith::intersection(canon, *low, *high); !both.nothing) return note(condition, true, both);
      }
    }
    constexpr Kind kInverse[] = {Kind::tir_NE, Kind::tir_EQ, Kind::tir_GE, Kind::tir_GT, Kind::tir_LE, Kind::tir_LT};
    const Kind kind = condition->kind();
    if (kind < Kind::tir_EQ || kind > Kind::tir_GE) return;
    const auto* compare = as<BinaryNode>(condition);
    const Kind inverse = kInverse[static_cast<size_t>(kind) - static_cast<size_t>(Kind::tir_EQ)];
    const PrimExpr opposite = arith::makeNode(inverse, compare->a, compare->b);
    if (auto interval = arith::deduceBound(var_, opposite, hints_, relaxed_)) note(condition, false, *interval);
  }

  const VarRef var_;
  arith::Domains hints_, relaxed_;
  const bool allComparisons_;
  std::unordered_set<const Node*> outside_;
};

}  // namespace

void findCandidates(const Stmt& statement, bool constants, PartitionCandidates& candidates) {
  CandidateFinder(constants, candidates).visit(statement);
}

std::vector<DecidedCondition> findPartitions(const VarRef& var, const Stmt& body, arith::Domains hints,
                                             arith::Domains relaxed, bool allComparisons) {
  Finder finder(var, std::move(hints), std::move(relaxed), allComparisons);
  finder.visit(body);
  std::ranges::reverse(finder.found);
  return std::move(finder.found);
}

}  // namespace rx::lower
