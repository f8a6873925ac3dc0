// InjectDoubleBuffer: a buffer that is filled and used in each round of a loop gets two halves, so that the next round
// can be filled while the present one is used. Buffers are flat here.
#include <fmt/format.h>

#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/pass_functions.h"
#include "core/lower/ssa.h"
#include "core/lower/statements.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kScope = "double_buffer_scope", kWrite = "double_buffer_write";

/// The pointers that attributes mark to be doubled and that no expression takes as a whole.
std::unordered_set<const Node*> doubledPointers(const Stmt& body) {
  std::unordered_set<const Node*> found;
  const Node* subject = nullptr;
  walk(*body, Into::Parts, [&](const Node& node) {
    if (isa<Buffer>(&node)) return false;
    if (const auto* attribute = as<AttrStmt>(&node)) {
      subject = attribute->node.get();
      if (attribute->key.view() == kScope && isa<Var>(attribute->node)) found.insert(subject);
    } else if (&node == subject) {
      subject = nullptr;
    } else if (isa<Var>(&node)) {
      found.erase(&node);
    }
    return true;
  });
  return found;
}

class DoubleBuffering : public CheckedRewriter {
 public:
  DoubleBuffering(const std::unordered_set<const Node*>& pointers, int64_t split) : split_(split) {
    for (const Node* pointer : pointers) doubled_[pointer] = {};
  }

 protected:
  Stmt visit(const Stmt& statement) override;
  NodeRef leave(const NodeRef& node) override;

 private:
  /// A doubled buffer: its size, the loop whose rounds alternate, which half is written and read.
  struct Doubled {
    PrimExpr stride;
    const For* loop = nullptr;
    VarRef writes;
    PrimExpr reads;
  };
  Doubled* doubledOf(const BufferRef& buffer) {
    auto found = doubled_.find(buffer->data.get());
    return found == doubled_.end() ? nullptr : &found->second;
  }
  Stmt allocation(const AllocBuffer& allocation);
  Stmt producer(const AttrStmt& attribute);
  Stmt loop(const Ref<For>& loop);
  Stmt unrolled(const For& loop);
  BufferRef twice(const BufferRef& buffer, const PrimExpr& stride);
  bool flat(const Buffer& buffer, size_t rank);

  int64_t split_;
  std::unordered_map<const Node*, Doubled> doubled_;
  std::unordered_map<const Node*, BufferRef> twice_;
  std::vector<Ref<AllocBuffer>> pending_;  ///< allocations whose loop is not known yet
  std::vector<const For*> loops_;
  std::unordered_map<const Node*, std::vector<Stmt>> before_;  ///< by loop: the first filling
};

bool DoubleBuffering::flat(const Buffer& buffer, size_t rank) {
  if (rank == 1 && buffer.shape.size() == 1) return true;
  refuse("lower.not-flat", fmt::format("{} has more than one dimension; FlattenBuffer comes first", buffer.name.view()),
         buffer.span);
  return false;
}

BufferRef DoubleBuffering::twice(const BufferRef& buffer, const PrimExpr& stride) {
  BufferRef& known = twice_[buffer.get()];
  if (!known) {
    auto* copy = new Buffer(*buffer);
    copy->shape = {arith::add(buffer->shape[0], stride)};
    known = BufferRef(copy);
  }
  return known;
}

NodeRef DoubleBuffering::leave(const NodeRef& node) {
  const auto* load = as<BufferLoad>(node);
  const Doubled* doubled = load ? doubledOf(load->buffer) : nullptr;
  if (!doubled || !flat(*load->buffer, load->indices.size())) return node;
  if (!doubled->reads || !doubled->stride) {
    refuse("lower.double-buffer", fmt::format("{} is read before it is filled", load->buffer->name.view()), load->span);
    return node;
  }
  auto* copy = new BufferLoad(*load);
  copy->buffer = twice(load->buffer, doubled->stride);
  copy->indices = {arith::add(arith::mul(doubled->reads, doubled->stride), load->indices[0])};
  return NodeRef(copy);
}

Stmt DoubleBuffering::allocation(const AllocBuffer& allocation) {
  Doubled* doubled = doubledOf(allocation.buffer);
  if (!doubled) return parts(Stmt(&allocation));
  if (!flat(*allocation.buffer, 1)) return Stmt(&allocation);
  doubled->stride = allocation.buffer->shape[0];
  pending_.push_back(Ref<AllocBuffer>(&allocation));
  return seq({});
}

/// The filling of a round becomes that of the next one; the first stands before the loop.
Stmt DoubleBuffering::producer(const AttrStmt& attribute) {
  auto found = doubled_.find(attribute.node.get());
  if (found == doubled_.end()) return rewrite(attribute.body);
  Doubled& doubled = found->second;
  if (loops_.empty() || !doubled.stride) {
    refuse("lower.double-buffer", "a doubled buffer is allocated before and filled inside of a loop", attribute.span);
    return Stmt(&attribute);
  }
  doubled.loop = loops_.back();
  const VarRef& round = doubled.loop->loopVar;
  const PrimExpr two = intImm(2, round->dtype), next = arith::add(round, intImm(1, round->dtype));
  doubled.writes = make<Var>(Str(fmt::format("{}.db", round->name.view())), round->dtype);
  doubled.reads = arith::floorMod(round, two);
  Stmt body = rewrite(attribute.body);
  const PrimExpr zero = intImm(0, round->dtype);
  before_[doubled.loop].push_back(substitute(body, {{doubled.writes.get(), zero}, {round.get(), zero}}));
  body = substitute(body, {{doubled.writes.get(), arith::floorMod(next, two)}, {round.get(), next}});
  body = make<AttrStmt>(attribute.node, Str(kWrite), intImm(1, DataType::Int(32)), body);
  return make<IfThenElse>(arith::lt(next, doubled.loop->extent), body);
}

/// All rounds but those of the last group as a loop over groups, then the last ones one by one.
Stmt DoubleBuffering::unrolled(const For& loop) {
  if (split_ == 0) return Stmt(&loop);
  const DataType type = loop.loopVar->dtype;
  const PrimExpr factor = intImm(split_, type);
  const PrimExpr groups = arith::div(arith::sub(loop.extent, intImm(1, type)), factor);
  const PrimExpr tail = arith::mul(groups, factor);
  auto group = make<Var>(Str(fmt::format("{}.outer", loop.loopVar->name.view())), type);
  std::vector<Stmt> rounds, result;
  for (int64_t i = 0; i < split_; ++i) {
    const PrimExpr round = arith::add(arith::mul(group, factor), intImm(i, type));
    rounds.push_back(substitute(loop.body, {{loop.loopVar.get(), round}}));
  }
  result.push_back(make<For>(group, loop.min, groups, loop.forKind, seq(rounds)));
  const Stmt last = rewriteStatements(loop.body, [](const Stmt& statement) {
    const auto* attribute = as<AttrStmt>(statement);
    return attribute && attribute->key.view() == kWrite ? attribute->body : statement;
  });
  for (int64_t i = 0; i < split_; ++i) {
    const PrimExpr round = arith::add(tail, intImm(i, type));
    result.push_back(make<IfThenElse>(arith::lt(round, loop.extent), substitute(last, {{loop.loopVar.get(), round}})));
  }
  return seq(result);
}

Stmt DoubleBuffering::loop(const Ref<For>& loop) {
  loops_.push_back(loop.get());
  Stmt changed = parts(loop);
  loops_.pop_back();
  std::vector<Stmt> list;
  std::vector<Ref<AllocBuffer>> later;
  for (const auto& allocation : pending_) {
    const Doubled& doubled = *doubledOf(allocation->buffer);
    if (doubled.loop != loop.get()) {
      later.push_back(allocation);
      continue;
    }
    auto* copy = new AllocBuffer(*allocation);
    copy->buffer = twice(allocation->buffer, doubled.stride);
    list.push_back(Stmt(copy));
  }
  pending_ = std::move(later);
  auto first = before_.find(loop.get());
  if (first == before_.end()) return changed;
  if (asInt(loop->min) != 0) refuse("lower.double-buffer", "the loop has to begin at 0", loop->span);
  list.insert(list.end(), first->second.begin(), first->second.end());
  list.push_back(unrolled(*as<For>(changed)));
  return seq(list);
}

Stmt DoubleBuffering::visit(const Stmt& statement) {
  if (auto one = refAs<For>(statement)) return loop(one);
  if (const auto* one = as<AllocBuffer>(statement)) return allocation(*one);
  if (const auto* one = as<AttrStmt>(statement); one && one->key.view() == kScope) return producer(*one);
  Stmt changed = parts(statement);
  const auto* store = as<BufferStore>(changed);
  const Doubled* doubled = store ? doubledOf(store->buffer) : nullptr;
  if (!doubled || !flat(*store->buffer, store->indices.size())) return changed;
  if (!doubled->writes) {
    refuse("lower.double-buffer", fmt::format("{} is written outside of its filling", store->buffer->name.view()),
           store->span);
    return changed;
  }
  auto* copy = new BufferStore(*store);
  copy->buffer = twice(store->buffer, doubled->stride);
  copy->indices = {arith::add(arith::mul(doubled->writes, doubled->stride), store->indices[0])};
  return Stmt(copy);
}

}  // namespace

Result<PrimFuncRef> injectDoubleBuffer(const PrimFuncRef& func, Scope& scope) {
  const auto pointers = doubledPointers(func->body);
  if (pointers.empty()) return func;
  const int64_t split = pass::configNumber(scope.context, "s_tir.InjectDoubleBuffer", "split_loop");
  if (split < 0 || (split % 2 != 0 && split != 1)) {
    return fail("pass.config", "split_loop of s_tir.InjectDoubleBuffer is 0, 1 or even");
  }
  Result<Stmt> body = DoubleBuffering(pointers, split).run(func->body);
  if (!body) return body.failure();
  return withBody(func, toSsa(*body));
}

}  // namespace rx::lower
