#include "core/lower/one_thread.h"

#include <algorithm>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Memory that one thread may have of its own.
constexpr int64_t kMostOwnBytes = 4096;

bool isLaunch(const Node& node) {
  const auto* attribute = as<AttrStmt>(&node);
  return attribute && attribute->key == "thread_extent";
}

/// Threads of a group where the steps of a loop are dealt out.
constexpr int64_t kLoopThreads = 64;

VarRef axisNumber(const char* tag) { return make<Var>(Str(tag), DataType::Int(32)); }

Stmt underAxis(const VarRef& number, const PrimExpr& extent, const Stmt& body) {
  auto axis = make<IterVar>(make<Range>(int32(0), extent), number, IterType::ThreadIndex, number->name);
  return make<AttrStmt>(axis, Str("thread_extent"), extent, body);
}

Stmt launched(const Stmt& body) {
  return underAxis(axisNumber("blockIdx.x"), int32(1), underAxis(axisNumber("threadIdx.x"), int32(1), body));
}

bool isSmall(const Buffer& buffer) {
  int64_t bytes = std::max<int64_t>(buffer.dtype.bytes(), 1);
  for (const PrimExpr& extent : buffer.shape) {
    const auto size = asInt(extent);
    if (!size || __builtin_mul_overflow(bytes, *size, &bytes)) return false;
  }
  return bytes <= kMostOwnBytes;
}

/// Takes large allocations out of a statement where their sizes are known before it.
class AllocationLifter {
 public:
  std::vector<Stmt> lifted;

  Stmt run(const Stmt& statement) {
    walk(*statement, Into::Parts, [&](const Node& node) {
      if (const auto* loop = as<For>(&node)) defined_.insert(loop->loopVar.get());
      if (const auto* bind = as<Bind>(&node)) defined_.insert(bind->var.get());
      if (const auto* let = as<Let>(&node)) defined_.insert(let->var.get());
      return true;
    });
    return rewriteStatements(statement, [&](const Stmt& part) -> Stmt {
      const auto* allocation = as<AllocBuffer>(part);
      if (!allocation || isSmall(*allocation->buffer) || !sizeIsKnown(*allocation->buffer)) return part;
      lifted.push_back(part);
      return nullptr;
    });
  }

 private:
  bool sizeIsKnown(const Buffer& buffer) const {
    bool known = true;
    for (const PrimExpr& extent : buffer.shape) {
      walk(*extent, Into::Parts, [&](const Node& node) {
        const auto* var = as<Var>(&node);
        known = known && !isa<BufferLoad>(&node) && !(var && defined_.contains(var));
        return known;
      });
    }
    return known;
  }
  std::unordered_set<const Var*> defined_;
};

/// Deals the statements of a body out: launches, what stays on the host, and what one thread runs.
class Dealer {
 public:
  Stmt run(const Stmt& body) {
    take(body);
    flush();
    return inOrder(out_);
  }

 private:
  void take(Stmt statement) {
    while (isOrdered(statement)) statement = as<AttrStmt>(statement)->body;
    if (const auto* list = as<SeqStmt>(statement)) {
      for (const Stmt& part : list->seq) take(part);
    } else if (launchesThreads(statement)) {
      const Stmt plain = asOneThread(statement);
      if (plain && isa<AttrStmt>(statement) && hasParallelLoop(plain)) return take(plain);
      if (plain && !isa<AttrStmt>(statement)) return waiting_.push_back(plain);
      flush();
      out_.push_back(withBodyDealt(statement));
    } else if (const auto* loop = parallelLoop(statement)) {
      flush();
      launchEach(*loop);
    } else if (staysOutside(statement)) {
      out_.push_back(statement);
    } else if (!isNoOp(*statement)) {
      waiting_.push_back(statement);
    }
  }

  /// The mark that statements run one after the other, which they do in any case.
  static bool isOrdered(const Stmt& statement) {
    const auto* attribute = as<AttrStmt>(statement);
    return attribute && attribute->key == "pragma_scope";
  }

  /// A loop whose steps may run side by side, are known to be so many before it, and need little memory each.
  static const For* parallelLoop(const Stmt& statement) {
    const auto* loop = as<For>(statement);
    bool dealt = loop && loop->forKind == ForKind::Parallel && asInt(loop->min) == 0 &&
                 effectOf(loop->extent) == op::TirEffect::Pure;
    if (!dealt) return nullptr;
    walk(*loop->body, Into::Parts, [&](const Node& node) {
      const auto* allocation = as<AllocBuffer>(&node);
      dealt = dealt && !(allocation && !isSmall(*allocation->buffer));
      return dealt;
    });
    return dealt ? loop : nullptr;
  }

  static bool hasParallelLoop(const Stmt& statement) {
    bool found = false;
    walk(*statement, Into::Parts, [&](const Node& node) {
      if (!isa<StmtNode>(&node)) return false;
      const Stmt part(static_cast<const StmtNode*>(&node));
      found = found || parallelLoop(part) != nullptr;
      return !found && (isa<SeqStmt>(part) || isOrdered(part));
    });
    return found;
  }

  /// A thread for each step.
  void launchEach(const For& loop) {
    const DataType type = loop.loopVar->dtype;
    const VarRef group = axisNumber("blockIdx.x"), thread = axisNumber("threadIdx.x");
    const PrimExpr threads = intImm(kLoopThreads, type);
    const PrimExpr step = arith::add(arith::mul(arith::cast(type, group), threads), arith::cast(type, thread));
    const Stmt body =
        make<IfThenElse>(arith::lt(step, loop.extent), substitute(loop.body, {{loop.loopVar.get(), step}}), Stmt());
    const PrimExpr groups = arith::floorDiv(arith::add(loop.extent, intImm(kLoopThreads - 1, type)), threads);
    out_.push_back(
        underAxis(group, arith::cast(DataType::Int(32), groups), underAxis(thread, int32(kLoopThreads), body)));
  }

  /// What launches a single thread each time around, as code of one; null where more are launched.
  static Stmt asOneThread(const Stmt& statement) {
    bool alone = true;
    const Stmt made = rewriteStatements(statement, [&](const Stmt& part) -> Stmt {
      const auto* attribute = as<AttrStmt>(part);
      const auto* axis = attribute && isLaunch(*part) ? as<IterVar>(attribute->node) : nullptr;
      if (!axis) return part;
      alone = alone && asInt(attribute->value) == 1;
      return substitute(attribute->body, {{axis->var.get(), intImm(0, axis->var->dtype)}});
    });
    return alone ? made : nullptr;
  }

  static bool staysOutside(const Stmt& statement) {
    if (isa<AllocBuffer>(statement) || isa<Allocate>(statement) || isa<DeclBuffer>(statement)) return true;
    const auto* bind = as<Bind>(statement);
    return bind && effectOf(bind->value) == op::TirEffect::Pure;
  }

  /// Around a launch: marks of other kinds keep it inside.
  static Stmt withBodyDealt(const Stmt& statement) {
    const auto* attribute = as<AttrStmt>(statement);
    if (!attribute || isLaunch(*statement)) return statement;
    auto* made = new AttrStmt(*attribute);
    made->body = Dealer().run(attribute->body);
    return Stmt(made);
  }

  void flush() {
    if (waiting_.empty()) return;
    AllocationLifter lifter;
    const Stmt body = lifter.run(inOrder(waiting_));
    waiting_.clear();
    out_.insert(out_.end(), lifter.lifted.begin(), lifter.lifted.end());
    out_.push_back(launched(body));
  }

  std::vector<Stmt> out_, waiting_;
};

}  // namespace

bool launchesThreads(const Stmt& statement) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    found = found || isLaunch(node);
    return !found && isa<StmtNode>(&node);
  });
  return found;
}

PrimFuncRef withRemainsOnOneThread(const PrimFuncRef& function) {
  return withBody(function, Dealer().run(function->body));
}

}  // namespace rx::lower
