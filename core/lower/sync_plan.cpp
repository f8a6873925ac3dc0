#include "core/lower/sync_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/int_set.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/statements.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// One access of memory of the scope, or a place where threads wait already.
struct Access {
  enum class Kind : uint8_t { Read, Write, Sync };
  Kind kind;
  const Var* memory = nullptr;  ///< null for Sync
  std::vector<arith::IntSet> touched;
  const Var* thread = nullptr;     ///< the innermost thread variable around
  bool doubleBufferWrite = false;  ///< fills the half of a buffer that is not in use
};
using Accesses = std::vector<Access>;

struct Step {
  const StmtNode* statement;
  Accesses accesses;
};

/// Two accesses of one thread at one place that is the thread's own: no other
/// thread comes there.
bool staysWithThread(const Access& earlier, const Access& later) {
  for (size_t i = 0; i < std::min(earlier.touched.size(), later.touched.size()); ++i) {
    const arith::IntSet &a = earlier.touched[i], &b = later.touched[i];
    if (!a.isPoint() || !b.isPoint() || !arith::sameExpr(a.min, b.min)) return false;
    if (later.thread && !(uses(a.min, later.thread) && uses(b.min, later.thread))) return false;
  }
  return true;
}

bool conflicts(const Access& earlier, const Access& later, bool nextRound) {
  if (earlier.memory != later.memory || staysWithThread(earlier, later)) return false;
  return !(earlier.doubleBufferWrite && later.kind == Access::Kind::Read && !nextRound);
}

/// What was accessed since threads last waited.
struct Pending {
  Accesses reads, writes;

  void clear() {
    reads.clear();
    writes.clear();
  }
  bool empty() const { return reads.empty() && writes.empty(); }
  bool needsSync(const Access& access, bool nextRound) const {
    const Accesses& others = access.kind == Access::Kind::Read ? writes : reads;
    return std::any_of(others.begin(), others.end(),
                       [&](const Access& other) { return conflicts(other, access, nextRound); });
  }
  /// Whether threads must wait before the step; its own waiting counts from
  /// where it stands.
  bool needSyncBefore(const Step& step, bool nextRound) {
    for (const Access& access : step.accesses) {
      if (access.kind == Access::Kind::Sync) {
        clear();
      } else if (needsSync(access, nextRound)) {
        return true;
      }
    }
    return false;
  }
  void take(const Step& step) {
    for (const Access& access : step.accesses) {
      if (access.kind == Access::Kind::Sync) {
        clear();
      } else {
        (access.kind == Access::Kind::Read ? reads : writes).push_back(access);
      }
    }
  }
};

class Planner {
 public:
  explicit Planner(std::string_view scope) : scope_(scope), steps_(1) {}

  void visit(const Stmt& statement) {
    if (statement) withStack([&] { dispatch(statement); });
  }

  std::unordered_set<const StmtNode*> syncs;
  std::vector<Diagnostic> errors;

 private:
  void dispatch(const Stmt& statement);
  void attribute(const AttrStmt& attribute);
  void launch(const AttrStmt& attribute, const IterVar& thread);
  void loop(const For& loop);
  void conditional(const StmtNode& statement, const PrimExpr& condition, const Stmt& yes, const Stmt& no);
  void collect(const PrimExpr& root, Accesses& out) const;
  void collectCall(const Call& call, Accesses& out) const;
  void plain(const PrimExpr& expr);
  Access access(Access::Kind kind, const Var* memory) const;
  Access access(Access::Kind kind, const Buffer& buffer, const Array<PrimExpr>& indices) const;

  bool concerns(std::string_view scope) const { return inLaunch_ && scope == scope_; }
  void push(const StmtNode& statement, Accesses accesses) {
    steps_.back().push_back({&statement, std::move(accesses)});
  }
  /// What the body accesses, seen from outside.
  Accesses within(const Stmt& body, bool loops) {
    steps_.emplace_back();
    visit(body);
    std::vector<Step> steps = std::move(steps_.back());
    steps_.pop_back();
    return summary(std::move(steps), loops);
  }
  Accesses summary(std::vector<Step> steps, bool loops);
  void plan(const std::vector<Step>& steps, bool loops);
  void sync(const StmtNode& statement);

  const std::string_view scope_;
  std::vector<std::vector<Step>> steps_;  ///< of each open scope
  std::vector<const Var*> threads_;
  const Var* doubled_ = nullptr;  ///< the memory that a present attribute says is written ahead
  bool inLaunch_ = false;
  int conditions_ = 0;  ///< around the present place, on which threads may differ
};

Access Planner::access(Access::Kind kind, const Var* memory) const {
  Access made{kind, memory, {}, threads_.empty() ? nullptr : threads_.back(), false};
  return made;
}

Access Planner::access(Access::Kind kind, const Buffer& buffer, const Array<PrimExpr>& indices) const {
  Access made = access(kind, buffer.data.get());
  for (const PrimExpr& index : indices) {
    made.touched.push_back(index->dtype.isScalar() ? arith::IntSet::point(index) : arith::evalSet(index, {}));
  }
  return made;
}

void Planner::collectCall(const Call& call, Accesses& out) const {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (!row) return;
  if (row->name == "tvm_storage_sync") {
    const auto* kind = call.args.empty() ? nullptr : as<StringImm>(call.args[0]);
    if (kind && kind->value.view() != "warp") out.push_back(access(Access::Kind::Sync, nullptr));
    return;
  }
  if (row->name != "tvm_access_ptr" || call.args.size() != 5) return;
  const auto* memory = as<Var>(call.args[1]);
  const auto* type = memory ? as<PointerType>(memory->annotation) : nullptr;
  if (!type || !concerns(type->scope.view())) return;
  const int64_t mask = asInt(call.args[4]).value_or(3);
  for (const auto& [bit, kind] : {std::pair{1, Access::Kind::Read}, std::pair{2, Access::Kind::Write}}) {
    if (!(mask & bit)) continue;
    Access made = access(kind, memory);
    made.touched.push_back(arith::IntSet::fromRange(call.args[2], call.args[3]));
    out.push_back(std::move(made));
  }
}

/// What evaluating the expression accesses. An address is taken without reading
/// what is there.
void Planner::collect(const PrimExpr& root, Accesses& out) const {
  std::vector<const ExprNode*> open{root.get()};
  while (!open.empty()) {
    const ExprNode* expr = open.back();
    open.pop_back();
    walk(*expr, Into::Parts, [&](const Node& node) {
      if (isa<Buffer>(&node)) return false;
      if (const auto* load = as<BufferLoad>(&node); load && concerns(load->buffer->scope())) {
        out.push_back(access(Access::Kind::Read, *load->buffer, load->indices));
      }
      const auto* call = as<Call>(&node);
      if (!call) return true;
      collectCall(*call, out);
      const op::TirIntrinsic* row = calledIntrinsic(call);
      const auto* address =
          row && row->name == "address_of" && !call->args.empty() ? as<BufferLoad>(call->args[0]) : nullptr;
      if (!address) return true;
      for (const PrimExpr& index : address->indices) open.push_back(index.get());
      return false;
    });
  }
}

/// An expression that no statement could wait for.
void Planner::plain(const PrimExpr& expr) {
  Accesses found;
  if (expr) collect(expr, found);
  if (found.empty()) return;
  errors.push_back(errorAt(expr->span, "lower.thread-sync",
                           fmt::format("memory of the scope {} is read in the condition of "
                                       "a branch or the range of a "
                                       "loop: bind the value to a variable first",
                                       scope_)));
}

void Planner::dispatch(const Stmt& statement) {
  if (const auto* list = as<SeqStmt>(statement)) {
    for (const Stmt& part : list->seq) visit(part);
  } else if (const auto* store = as<BufferStore>(statement)) {
    Accesses found;
    if (concerns(store->buffer->scope())) found.push_back(access(Access::Kind::Write, *store->buffer, store->indices));
    collect(store->value, found);
    for (const PrimExpr& index : store->indices) collect(index, found);
    push(*store, std::move(found));
  } else if (const auto* evaluate = as<Evaluate>(statement)) {
    Accesses found;
    collect(evaluate->value, found);
    if (!found.empty()) push(*evaluate, std::move(found));
  } else if (const auto* bind = as<Bind>(statement)) {
    Accesses found;
    collect(bind->value, found);
    push(*bind, std::move(found));
  } else if (const auto* node = as<AttrStmt>(statement)) {
    attribute(*node);
  } else if (const auto* node = as<For>(statement)) {
    loop(*node);
  } else if (const auto* branch = as<IfThenElse>(statement)) {
    conditional(*branch, branch->condition, branch->thenCase, branch->elseCase);
  } else if (const auto* repeat = as<While>(statement)) {
    conditional(*repeat, repeat->condition, repeat->body, nullptr);
  }
}

void Planner::attribute(const AttrStmt& attribute) {
  if (attribute.key == "hand_threaded") return;  // it brings its own waiting
  const auto* thread = as<IterVar>(attribute.node);
  if (attribute.key == "thread_extent" && thread) return launch(attribute, *thread);
  if (attribute.key != "double_buffer_write") return visit(attribute.body);
  const Var* outer = doubled_;
  doubled_ = as<Var>(attribute.node);
  Accesses found = within(attribute.body, false);
  for (Access& access : found) {
    if (access.kind == Access::Kind::Write && access.memory == doubled_) access.doubleBufferWrite = true;
  }
  doubled_ = outer;
  if (!found.empty()) push(attribute, std::move(found));
}

void Planner::launch(const AttrStmt& attribute, const IterVar& thread) {
  threads_.push_back(thread.var.get());
  if (inLaunch_) {
    visit(attribute.body);
  } else {
    inLaunch_ = true;
    within(attribute.body, false);  // its end is one of all threads
    inLaunch_ = false;
  }
  threads_.pop_back();
}

void Planner::loop(const For& loop) {
  plain(loop.min);
  plain(loop.extent);
  Accesses found = within(loop.body, true);
  const arith::Domains rounds{{loop.loopVar.get(), arith::IntSet::fromRange(loop.min, loop.extent)}};
  for (Access& access : found) {
    for (arith::IntSet& set : access.touched) set = arith::evalSet(set, rounds);
  }
  if (!found.empty()) push(loop, std::move(found));
}

void Planner::conditional(const StmtNode& statement, const PrimExpr& condition, const Stmt& yes, const Stmt& no) {
  const bool differs = !asCallOf(condition, "tvm_thread_invariant");
  conditions_ += differs;
  plain(condition);
  Accesses found = within(yes, false);
  if (no) {
    Accesses other = within(no, false);
    found.insert(found.end(), other.begin(), other.end());
  }
  push(statement, std::move(found));
  conditions_ -= differs;
}

void Planner::sync(const StmtNode& statement) {
  syncs.insert(&statement);
  if (conditions_ == 0) return;
  errors.push_back(errorAt(statement.span, "lower.thread-sync",
                           "threads would have to wait for each other under a "
                           "condition that may not hold for all"));
}

void Planner::plan(const std::vector<Step>& steps, bool loops) {
  Pending pending;
  for (const Step& step : steps) {
    bool before = syncs.contains(step.statement);
    if (before) pending.clear();
    before = pending.needSyncBefore(step, false) || before;
    if (before) pending.clear();
    pending.take(step);
    if (before) sync(*step.statement);
  }
  if (!loops) return;
  // A round of the loop follows on the one before.
  for (const Step& step : steps) {
    if (syncs.contains(step.statement) || pending.empty()) return;
    if (pending.needSyncBefore(step, true)) return sync(*step.statement);
  }
}

Accesses Planner::summary(std::vector<Step> steps, bool loops) {
  // Dynamic shared memory is one piece, however many buffers lie in it.
  const Var* dynamic = nullptr;
  for (Step& step : steps) {
    for (Access& access : step.accesses) {
      if (scope_ != "shared.dyn" || !access.memory) continue;
      if (!dynamic) dynamic = access.memory;
      access.memory = dynamic;
    }
  }
  plan(steps, loops);
  // Of all steps, those before the first waiting and those after the last can
  // meet what is around.
  bool waited = false;
  Accesses head, tail;
  auto wait = [&] {
    if (waited) {
      tail.clear();
    } else {
      head.push_back(access(Access::Kind::Sync, nullptr));
    }
    waited = true;
  };
  for (Step& step : steps) {
    if (syncs.contains(step.statement)) wait();
    for (Access& access : step.accesses) {
      if (access.kind == Access::Kind::Sync) {
        wait();
      } else {
        (waited ? tail : head).push_back(std::move(access));
      }
    }
  }
  head.insert(head.end(), std::make_move_iterator(tail.begin()), std::make_move_iterator(tail.end()));
  if (loops) {
    for (Access& access : head) access.doubleBufferWrite = false;
  }
  return head;
}

}  // namespace

Result<std::unordered_set<const StmtNode*>> syncPlan(const Stmt& body, std::string_view scope) {
  Planner planner(scope);
  planner.visit(body);
  if (!planner.errors.empty()) return fail(std::move(planner.errors));
  return std::move(planner.syncs);
}

}  // namespace rx::lower
