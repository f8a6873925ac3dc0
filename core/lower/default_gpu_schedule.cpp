// DefaultGPUSchedule: kernels for a GPU that nobody has scheduled run their places on blocks of threads.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/function_target.h"
#include "core/lower/loop_bindings.h"
#include "core/lower/pass_functions.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kScheduled = "tirx.is_scheduled";
constexpr int64_t kMostBlocks = 256;

bool hasBlocks(const Stmt& statement) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    found = found || isa<Block>(&node);
    return !found && isa<StmtNode>(&node);
  });
  return found;
}

/// A function whose body is one block without loops gets a loop of one step and a root block around it.
Stmt withLoop(const Stmt& body) {
  const auto* realize = as<BlockRealize>(body);
  if (!realize || !realize->block->iterVars.empty()) return body;
  if (isa<For>(realize->block->body) || hasBlocks(realize->block->body)) return body;
  const DataType type = DataType::Int(32);
  const PrimExpr zero = intImm(0, type), one = intImm(1, type);
  const auto var = make<Var>(Str("u"), type), axis = make<Var>(Str("vu"), type);
  auto* inner = new Block(*realize->block);
  const Ref<Block> block(inner);
  inner->iterVars = {make<IterVar>(make<Range>(zero, one), axis, IterType::DataPar)};
  auto* root = new Block();
  const Ref<Block> whole(root);
  root->name = Str("root");
  root->body = loopOver(var, one, ForKind::Serial,
                        make<BlockRealize>(Array<PrimExpr>{PrimExpr(var)}, realize->predicate, block));
  return make<BlockRealize>(Array<PrimExpr>(), boolImm(true), whole);
}

/// Deals the places of each innermost block out to threads.
class ThreadBinder : public CheckedRewriter {
 public:
  explicit ThreadBinder(int64_t mostThreads) : mostThreads_(mostThreads) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const LoopNest nest = loopNest(statement);
    const auto* leaf = as<BlockRealize>(nest.body);
    // The block of the function itself is no place to bind.
    const bool root = !inFunction_ && isa<BlockRealize>(statement);
    if (leaf && !root && !hasBlocks(leaf->block->body)) return bound(statement, nest, *leaf);
    if (const auto loop = refAs<For>(statement)) {
      around_.push_back(loop);
      Stmt made = parts(statement);
      around_.pop_back();
      return made;
    }
    if (!isa<BlockRealize>(statement)) return parts(statement);
    // Loops outside of a block are no concern of those in it.
    std::vector<Ref<For>> around;
    std::swap(around, around_);
    inFunction_ = true;
    Stmt made = parts(statement);
    std::swap(around, around_);
    return made;
  }

 private:
  Stmt bound(const Stmt& statement, const LoopNest& nest, const BlockRealize& leaf) {
    std::vector<Ref<For>> loops = around_;
    loops.insert(loops.end(), nest.loops.begin(), nest.loops.end());
    if (std::any_of(loops.begin(), loops.end(), [](const Ref<For>& loop) { return loop->threadBinding != nullptr; })) {
      return statement;
    }
    const auto& axes = leaf.block->iterVars;
    if (loops.size() != axes.size() && !(loops.empty() && axes.size() == 1)) {
      return refused(leaf, "a block has as many axes as loops around it");
    }
    // Loops that share a body with other blocks stay as they are.
    const size_t skipped = around_.size();
    size_t first = nest.loops.size(), count = 0;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (axes[skipped + i]->iterType != IterType::DataPar) continue;
      first = std::min(first, i);
      if (first + count++ != i) return refused(leaf, "loops of axes that reduce stand inside of all others");
    }
    for (size_t i = 0; i < skipped; ++i) {
      if (axes[i]->iterType == IterType::DataPar) {
        return refused(leaf, "blocks share a loop over places, which can not be one with their own loops");
      }
    }
    return threads(statement, nest, first, count);
  }

  Stmt threads(const Stmt& statement, const LoopNest& nest, size_t first, size_t count) {
    const std::span<const Ref<For>> loops(nest.loops);
    std::vector<Ref<For>> outer = around_, single;
    std::span<const Ref<For>> parallel = loops.subspan(std::min(first, loops.size()), count);
    if (count == 0) {  // one thread runs it all
      const auto unit = make<Var>(Str("u"), DataType::Int(32));
      single.push_back(cast<For>(loopOver(unit, intImm(1, DataType::Int(32)), ForKind::Serial, statement)));
      parallel = single;
      first = 0;
    }
    outer.insert(outer.end(), loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(first));
    const Ref<For> fused = fusedLoop(parallel, outer, UnitIters::Drop);
    const auto places = asInt(fused->extent);
    auto number = [&](int64_t value) { return arith::constantInt(fused->loopVar->dtype, value); };
    Stmt made;
    if (places && *places <= mostThreads_ * kMostBlocks) {
      const PrimExpr factors[] = {nullptr, number(std::max<int64_t>(1, std::min(*places, mostThreads_)))};
      const LoopNest split = splitLoop(*fused, factors, outer, UnitIters::Keep);
      const Ref<For> order[] = {boundTo(*split.loops[0], "blockIdx.x"), boundTo(*split.loops[1], "threadIdx.x")};
      made = inLoops(order, split.body);
    } else {
      const PrimExpr factors[] = {nullptr, number(kMostBlocks), number(mostThreads_)};
      const LoopNest split = splitLoop(*fused, factors, outer, UnitIters::Keep);
      const Ref<For> order[] = {boundTo(*split.loops[1], "blockIdx.x"), boundTo(*split.loops[2], "threadIdx.x"),
                                split.loops[0]};
      made = inLoops(order, split.body);
    }
    return inLoops(loops.first(first), made);
  }

  Stmt refused(const BlockRealize& leaf, std::string message) {
    refuse("lower.gpu-schedule", std::move(message), leaf.block->span);
    return Stmt(&leaf);
  }

  const int64_t mostThreads_;
  std::vector<Ref<For>> around_;  ///< loops around the present place that hold several blocks
  bool inFunction_ = false;       ///< inside of its own block
};

Result<PrimFuncRef> scheduled(const PrimFuncRef& function, const pass::PassContext& context) {
  RX_TRY(own, targetOf(*function));
  const target::TargetRef target = own ? own : context.target;
  if (!target) return withoutTarget("a kernel is scheduled for a target");
  if (!target::runsThreads(target->deviceType())) return function;
  const auto most = target->number("max_num_threads");
  if (!most || *most <= 0) return fail("lower.no-target", "the target does not say max_num_threads");
  RX_TRY(body, ThreadBinder(*most).run(withLoop(function->body)));
  return withBody(function, body);
}

}  // namespace

Result<PrimFuncRef> defaultGpuSchedule(const PrimFuncRef& func, Scope& scope) {
  PrimFuncRef made = func;
  if (!ir::boolAttrOf(func->attrs, kScheduled, false)) {
    RX_TRY(bound, scheduled(func, scope.context));
    made = std::move(bound);
  }
  return cast<PrimFunc>(ir::withFunctionAttr(made, Str(kScheduled), ir::boolAttr(true)));
}

}  // namespace rx::lower
