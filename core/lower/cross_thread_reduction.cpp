// LowerCrossThreadReduction: a reduction over loops that are bound to threads becomes a reduction in each thread, an
// exchange among the threads and a store of the result by one of them (by all, where the result is local).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "core/arith/conditions.h"
#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/reducers.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

using Loops = std::vector<Ref<For>>;

bool isThread(const For& loop) { return loop.threadBinding != nullptr; }
bool isThreadIdx(const For& loop) {
  return isThread(loop) && loop.threadBinding->threadTag.view().starts_with("threadIdx.");
}
bool isBlockIdx(const For& loop) {
  return isThread(loop) && loop.threadBinding->threadTag.view().starts_with("blockIdx.");
}

/// Puts one-element buffers in the place of others.
class Scratch : public Rewriter {
 public:
  explicit Scratch(std::unordered_map<const Buffer*, BufferRef> to) : to_(std::move(to)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* store = as<BufferStore>(statement);
    const auto found = store ? to_.find(store->buffer.get()) : to_.end();
    if (found == to_.end()) return parts(statement);
    return make<BufferStore>(found->second, rewrite(store->value), Array<PrimExpr>{intImm(0, DataType::Int(32))});
  }
  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    const auto found = load ? to_.find(load->buffer.get()) : to_.end();
    if (found == to_.end()) return nullptr;
    return make<BufferLoad>(found->second, Array<PrimExpr>{intImm(0, DataType::Int(32))}, load->dtype);
  }

 private:
  std::unordered_map<const Buffer*, BufferRef> to_;
};

bool holdsReduction(const Stmt& statement) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* axis = as<IterVar>(&node);
    found = found || (axis && axis->iterType == IterType::CommReduce);
    return !found;
  });
  return found;
}

/// The loops with the block replaced (removed for null) and without those over threads that held only it; null for
/// nothing left.
Stmt inThread(const Stmt& statement, const BlockRealize* block, const Stmt& replacement) {
  if (statement.get() == block) return replacement;
  if (const auto* list = as<SeqStmt>(statement)) {
    std::vector<Stmt> kept;
    for (const Stmt& part : list->seq) {
      if (Stmt made = inThread(part, block, replacement)) kept.push_back(std::move(made));
    }
    return kept.empty() ? nullptr : inOrder(kept);
  }
  const auto* loop = as<For>(statement);
  if (!loop) return statement;
  Stmt body = withStack([&] { return inThread(loop->body, block, replacement); });
  if (!body) return nullptr;
  auto* copy = new For(*loop);
  copy->body = body;
  const Stmt made(copy);
  return isThread(*loop) && holdsReduction(made) ? body : made;
}

Array<Ref<BufferRegion>> firstElements(const std::vector<BufferRef>& buffers) {
  std::vector<Ref<BufferRegion>> regions;
  const auto range = make<Range>(intImm(0, DataType::Int(32)), intImm(1, DataType::Int(32)));
  for (const BufferRef& buffer : buffers) regions.push_back(make<BufferRegion>(buffer, Array<Ref<Range>>{range}));
  return Array<Ref<BufferRegion>>(std::move(regions));
}
PrimExpr firstOf(const BufferRef& buffer) {
  return make<BufferLoad>(buffer, Array<PrimExpr>{intImm(0, DataType::Int(32))}, buffer->dtype);
}

/// The four steps that a reduction across threads becomes.
class Steps {
 public:
  Steps(const BlockRealize& realize, const BlockReduction& reduction, const Loops& loops)
      : realize_(realize), block_(*realize.block), reduction_(reduction), loops_(loops) {
    size_t bound = 0;
    for (const Ref<For>& loop : loops) bound += isThread(*loop) ? 1 : 0;
    cross_ = scratch("cross_thread_");
    if (bound < loops.size() || !arith::isOne(realize.predicate)) inThread_ = scratch("in_thread_");
  }

  std::vector<BufferRef> buffers() const {
    std::vector<BufferRef> all = cross_;
    all.insert(all.end(), inThread_.begin(), inThread_.end());
    return all;
  }

  Stmt made() const {
    std::vector<Stmt> all;
    if (!inThread_.empty()) all.push_back(init());
    if (Stmt own = inThread(loops_[0], &realize_, inThread_.empty() ? nullptr : update())) all.push_back(own);
    all.push_back(exchange());
    all.push_back(writeBack());
    Stmt whole = inOrder(all);
    for (size_t i = loops_.size(); i-- > 0;) {
      if (!isThread(*loops_[i])) continue;
      auto* loop = new For(*loops_[i]);
      loop->body = whole;
      whole = Stmt(loop);
    }
    return whole;
  }

 private:
  std::vector<BufferRef> scratch(std::string_view prefix) const {
    std::vector<BufferRef> made;
    for (const auto& update : reduction_.updates) {
      auto* buffer = new Buffer();
      buffer->name = Str(std::string(prefix) + update->buffer->name.string());
      buffer->dtype = update->buffer->dtype;
      buffer->data = bufferPointer(buffer->dtype, buffer->name, Str("local"));
      buffer->shape = {intImm(1, DataType::Int(32))};
      buffer->strides = buffer->shape;
      made.push_back(BufferRef(buffer));
    }
    return made;
  }

  Stmt plain(std::string_view suffix, Array<Ref<BufferRegion>> reads, Array<Ref<BufferRegion>> writes,
             Stmt body) const {
    auto* block = new Block();
    const Ref<Block> made(block);
    block->name = Str(block_.name.string() + std::string(suffix));
    block->reads = std::move(reads);
    block->writes = std::move(writes);
    block->body = std::move(body);
    return make<BlockRealize>(Array<PrimExpr>(), boolImm(true), made);
  }

  Stmt init() const {
    std::vector<Stmt> stores;
    for (size_t i = 0; i < inThread_.size(); ++i) {
      stores.push_back(make<BufferStore>(inThread_[i], reduction_.reducer->identity[i],
                                         Array<PrimExpr>{intImm(0, DataType::Int(32))}));
    }
    return plain("_in_thread_init", {}, firstElements(inThread_), inOrder(stores));
  }

  /// The block itself, over the buffers of each thread.
  Stmt update() const {
    std::unordered_map<const Buffer*, BufferRef> to;
    for (size_t i = 0; i < inThread_.size(); ++i) to[reduction_.updates[i]->buffer.get()] = inThread_[i];
    auto* block = new Block(block_);
    const Ref<Block> made(block);
    block->writes = firstElements(inThread_);
    block->name = Str(block_.name.string() + "_in_thread");
    block->body = Scratch(std::move(to)).rewrite(block_.body);
    block->init = nullptr;
    auto* realize = new BlockRealize(realize_);
    realize->block = made;
    return Stmt(realize);
  }

  Stmt exchange() const {
    std::vector<PrimExpr> args{intImm(static_cast<int64_t>(cross_.size()), DataType::UInt(32))};
    if (inThread_.empty()) {
      args.insert(args.end(), reduction_.operands.begin(), reduction_.operands.end());
    } else {
      for (const BufferRef& buffer : inThread_) args.push_back(firstOf(buffer));
    }
    args.push_back(boolImm(true));
    for (const BufferRef& buffer : cross_) args.push_back(firstOf(buffer));
    for (const Ref<For>& loop : loops_) {
      if (isThread(*loop)) args.push_back(loop->loopVar);
    }
    const PrimExpr nothing = intrinsic(DataType::Handle(), "reinterpret", {intImm(0, DataType::UInt(64))});
    const Stmt call =
        make<Evaluate>(intrinsic(DataType::Handle(), "tvm_thread_allreduce", Array<PrimExpr>(std::move(args))));
    auto* block = new Block();
    const Ref<Block> made(block);
    block->name = Str(block_.name.string() + "_cross_thread");
    block->reads = inThread_.empty() ? block_.reads : firstElements(inThread_);
    block->writes = firstElements(cross_);
    block->body = make<AttrStmt>(reduction_.reducer, Str("reduce_scope"), nothing, call);
    if (inThread_.empty()) block->iterVars = block_.iterVars;
    return make<BlockRealize>(inThread_.empty() ? realize_.iterValues : Array<PrimExpr>(), boolImm(true), made);
  }

  Stmt writeBack() const {
    auto* block = new Block();
    const Ref<Block> made(block);
    std::vector<Ref<IterVar>> axes;
    std::vector<PrimExpr> values;
    arith::VarMap own;
    for (size_t i = 0; i < block_.iterVars.size(); ++i) {
      const Ref<IterVar>& axis = block_.iterVars[i];
      if (axis->iterType == IterType::CommReduce) continue;
      auto* copy = new IterVar(*axis);
      copy->var = make<Var>(axis->var->name, axis->var->dtype);
      own[axis->var.get()] = copy->var;
      axes.push_back(Ref<IterVar>(copy));
      values.push_back(realize_.iterValues[i]);
    }
    std::vector<PrimExpr> indices;
    for (const PrimExpr& index : reduction_.updates[0]->indices) indices.push_back(arith::substitute(index, own));
    std::vector<Ref<Range>> region;
    for (const auto& range : block_.writes[0]->region) {
      region.push_back(make<Range>(arith::substitute(range->min, own), arith::substitute(range->extent, own)));
    }
    std::vector<Stmt> stores;
    std::vector<Ref<BufferRegion>> writes;
    for (size_t i = 0; i < cross_.size(); ++i) {
      const BufferRef& result = reduction_.updates[i]->buffer;
      stores.push_back(make<BufferStore>(result, firstOf(cross_[i]), Array<PrimExpr>(indices)));
      writes.push_back(make<BufferRegion>(result, Array<Ref<Range>>(region)));
    }
    block->name = Str(block_.name.string() + "_write_back");
    block->iterVars = Array<Ref<IterVar>>(std::move(axes));
    block->reads = firstElements(cross_);
    block->writes = Array<Ref<BufferRegion>>(std::move(writes));
    block->body = inOrder(stores);
    return make<BlockRealize>(Array<PrimExpr>(std::move(values)), writePredicate(), made);
  }

  /// The parts of the block's predicate that no reduction loop takes part in; one thread writes what others see.
  PrimExpr writePredicate() const {
    PrimExpr predicate = boolImm(true);
    for (const PrimExpr& part : arith::conjuncts(realize_.predicate)) {
      if (!arith::isOne(part) && !usesLoop(part)) predicate = arith::logicalAnd(predicate, part);
    }
    if (reduction_.updates[0]->buffer->scope() == "local") return predicate;
    for (const Ref<For>& loop : loops_) {
      if (!isThread(*loop)) continue;
      predicate = arith::logicalAnd(predicate, arith::eq(loop->loopVar, arith::constantInt(loop->loopVar->dtype, 0)));
    }
    return predicate;
  }

  bool usesLoop(const PrimExpr& expr) const {
    const auto used = arith::freeVars(expr);
    return std::any_of(loops_.begin(), loops_.end(), [&](const Ref<For>& loop) {
      return std::find(used.begin(), used.end(), loop->loopVar) != used.end();
    });
  }

  const BlockRealize& realize_;
  const Block& block_;
  const BlockReduction& reduction_;
  const Loops& loops_;
  std::vector<BufferRef> cross_, inThread_;
};

class Transformer : public CheckedRewriter {
 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    around_.push_back(statement);
    Stmt made;
    if (auto loop = refAs<For>(statement)) {
      made = ofLoop(loop);
    } else if (auto realize = refAs<BlockRealize>(statement)) {
      made = ofRealize(realize);
    } else if (auto block = refAs<Block>(statement)) {
      made = ofBlock(block);
    } else {
      made = parts(statement);
    }
    around_.pop_back();
    return made;
  }

 private:
  Stmt ofLoop(const Ref<For>& loop) {
    loops_.push_back(loop);
    if (isThreadIdx(*loop)) ++threads_;
    if (isBlockIdx(*loop)) ++blocks_;
    Stmt made = parts(loop);
    loops_.pop_back();
    if (isThreadIdx(*loop)) --threads_;
    if (isBlockIdx(*loop)) --blocks_;
    if (isBlockIdx(*loop) || (isThreadIdx(*loop) && threads_ == 0 && blocks_ == 0)) producers_.clear();
    const auto replaced = replaced_.find(loop.get());
    return replaced == replaced_.end() ? made : replaced->second;
  }

  Stmt ofBlock(const Ref<Block>& block) {
    const size_t before = std::exchange(firstLoop_, loops_.size());
    scopes_.push_back(block.get());
    Stmt made = parts(block);
    scopes_.pop_back();
    firstLoop_ = before;
    const auto fresh = allocated_.find(block.get());
    if (fresh == allocated_.end()) return made;
    auto* copy = new Block(*as<Block>(made));
    std::vector<BufferRef> all = copy->allocBuffers.vector();
    all.insert(all.end(), fresh->second.begin(), fresh->second.end());
    copy->allocBuffers = Array<BufferRef>(std::move(all));
    return Stmt(copy);
  }

  Stmt ofRealize(const Ref<BlockRealize>& realize) {
    if (const Loops loops = reductionLoops(*realize); !loops.empty()) {
      reduce(*realize, loops);
      // What stands for it is put in the place of the first loop.
      return make<Evaluate>(intImm(0, DataType::Int(32)));
    }
    const auto free = found_ ? freeThreads(*realize) : std::map<std::string, Ref<Range>>();
    return free.empty() ? parts(realize) : oneThread(*realize, free);
  }

  /// The loops that run over reduced axes, where threads are among them.
  Loops reductionLoops(const BlockRealize& realize) {
    if (scopes_.empty() || !isReduction(realize)) return {};
    std::unordered_set<const Var*> vars;
    for (size_t i = 0; i < realize.iterValues.size(); ++i) {
      if (realize.block->iterVars[i]->iterType != IterType::CommReduce) continue;
      for (const VarRef& var : arith::freeVars(realize.iterValues[i])) vars.insert(var.get());
    }
    Loops loops;
    bool bound = false;
    for (const Ref<For>& loop : loops_) {
      if (!vars.contains(loop->loopVar.get())) continue;
      loops.push_back(loop);
      bound |= isThread(*loop);
    }
    return bound ? loops : Loops();
  }

  bool isReduction(const BlockRealize& realize) {
    const Block& block = *realize.block;
    if (!block.init) return false;
    std::unordered_set<const Node*> reduced;
    for (const Ref<IterVar>& axis : block.iterVars) {
      if (axis->iterType != IterType::DataPar && axis->iterType != IterType::CommReduce) return false;
      if (axis->iterType == IterType::CommReduce) reduced.insert(axis->var.get());
    }
    return isAffine(realize) && writesAlone(block) && !indexesWith(block.body, reduced);
  }

  bool isAffine(const BlockRealize& realize) {
    std::vector<arith::IterRange> ranges;
    for (size_t i = firstLoop_; i < loops_.size(); ++i)
      ranges.push_back({loops_[i]->loopVar, loops_[i]->min, loops_[i]->extent});
    if (ranges.empty()) return true;
    const auto sums = arith::detectIterMap(
        {realize.iterValues, ranges, realize.predicate, arith::IterMapLevel::Surjective, false}, analyzer_);
    return sums && std::all_of(sums->begin(), sums->end(), [](const arith::IterSum& sum) {
             return sum.args.empty() || arith::isOne(sum.args[0].scale);
           });
  }

  /// No other block in the scope writes what this one writes.
  bool writesAlone(const Block& block) {
    std::unordered_map<const Buffer*, int> writers;
    walk(*scopes_.back()->body, Into::Parts, [&](const Node& node) {
      const auto* other = as<Block>(&node);
      if (!other) return isa<StmtNode>(&node);
      for (const auto& write : other->writes) ++writers[write->buffer.get()];
      return false;
    });
    return std::all_of(block.writes.begin(), block.writes.end(),
                       [&](const auto& write) { return writers[write->buffer.get()] == 1; });
  }

  static bool indexesWith(const Stmt& body, const std::unordered_set<const Node*>& vars) {
    bool found = false;
    walk(*body, Into::Parts, [&](const Node& node) {
      const auto* store = as<BufferStore>(&node);
      for (size_t i = 0; store && i < store->indices.size(); ++i) {
        for (const VarRef& var : arith::freeVars(store->indices[i])) found |= vars.contains(var.get());
      }
      return !found && !store;
    });
    return found;
  }

  void reduce(const BlockRealize& realize, const Loops& loops) {
    const Block& block = *realize.block;
    const auto reduction = reductionOf(block);
    if (!reduction) {
      return refuse("lower.reduction",
                    fmt::format("the reduction of the block {} has no known reducer", block.name.view()), block.span);
    }
    if (!check(realize, *reduction, loops)) return;
    const Steps steps(realize, *reduction, loops);
    auto& fresh = allocated_[scopes_.back()];
    const auto buffers = steps.buffers();
    fresh.insert(fresh.end(), buffers.begin(), buffers.end());
    replaced_[loops[0].get()] = steps.made();
    found_ = true;
    std::map<std::string, Ref<Range>> threads;
    for (const Ref<For>& loop : loops) {
      if (isThread(*loop)) threads[loop->threadBinding->threadTag.string()] = make<Range>(loop->min, loop->extent);
    }
    for (const auto& update : reduction->updates) producers_[update->buffer.get()] = threads;
  }

  bool check(const BlockRealize& realize, const BlockReduction& reduction, const Loops& loops) {
    const Block& block = *realize.block;
    auto refused = [&](std::string message) {
      refuse("lower.reduction", fmt::format("{} (block {})", message, block.name.view()), block.span);
      return false;
    };
    size_t deepest = 0;
    for (size_t i = around_.size() - 1; i-- > 0;) {
      if (isa<SeqStmt>(around_[i])) continue;
      if (std::none_of(loops.begin(), loops.end(), [&](const Ref<For>& loop) { return loop == around_[i]; })) break;
      ++deepest;
    }
    if (deepest != loops.size()) return refused("the loops of a reduction across threads are the innermost around it");
    for (const Ref<For>& loop : loops) {
      if (!isThread(*loop) || isThreadIdx(*loop)) continue;
      return refused("loops of a reduction across threads are bound to threadIdx.x, y or z only");
    }
    const bool local = reduction.updates[0]->buffer->scope() == "local";
    for (const auto& update : reduction.updates) {
      if ((update->buffer->scope() == "local") != local)
        return refused("results of one reduction are all local or none is");
    }
    bool seen = false, last = true;
    walk(*loops[0], Into::Parts, [&](const Node& node) {
      const auto* other = as<BlockRealize>(&node);
      if (!other) return isa<StmtNode>(&node);
      last = last && !seen;
      seen = seen || other->block.get() == &block;
      return false;
    });
    return last || refused("a reduction across threads is the last block in its first loop");
  }

  /// Threads that reduced what the block reads and that nothing around it binds, where others see what it writes.
  std::map<std::string, Ref<Range>> freeThreads(const BlockRealize& realize) const {
    std::map<std::string, Ref<Range>> free;
    for (const auto& write : realize.block->writes) {
      if (write->buffer->scope() == "local") return {};
    }
    for (const auto& read : realize.block->reads) {
      const auto producer = producers_.find(read->buffer.get());
      if (producer != producers_.end()) free.insert(producer->second.begin(), producer->second.end());
    }
    for (const Ref<For>& loop : loops_) {
      if (isThread(*loop)) free.erase(loop->threadBinding->threadTag.string());
    }
    return free;
  }

  /// The block for one of the threads.
  static Stmt oneThread(const BlockRealize& realize, const std::map<std::string, Ref<Range>>& free) {
    auto* inner = new BlockRealize(realize);
    Stmt made(inner);
    for (const auto& [tag, range] : free) {
      const auto var = make<Var>(Str("t" + tag.substr(tag.size() - 1)), range->min->dtype);
      inner->predicate = arith::logicalAnd(arith::eq(var, range->min), inner->predicate);
      const auto thread = make<IterVar>(nullptr, make<Var>(Str(), var->dtype), IterType::ThreadIndex, Str(tag));
      made = make<For>(var, range->min, range->extent, ForKind::ThreadBinding, made, thread);
    }
    return made;
  }

  std::vector<Stmt> around_;
  Loops loops_;
  size_t firstLoop_ = 0;  ///< of the innermost block
  std::vector<const Block*> scopes_;
  std::unordered_map<const Block*, std::vector<BufferRef>> allocated_;
  std::unordered_map<const For*, Stmt> replaced_;
  std::unordered_map<const Buffer*, std::map<std::string, Ref<Range>>> producers_;  ///< in the present launch
  arith::Analyzer analyzer_;
  int threads_ = 0, blocks_ = 0;
  bool found_ = false;
};

}  // namespace

Result<PrimFuncRef> lowerCrossThreadReduction(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Transformer().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
