// LowerThreadAllreduce: a reduction over threads becomes shuffles or shared memory, and its result the buffer that
// these leave it in.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/thread_reduction.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A thread axis around the present place: x, y, z as 0, 1, 2.
struct ThreadAxis {
  int dim;
  VarRef var;
  int64_t extent;
  bool reduces = false;
};

class AllreduceLowering : public CheckedRewriter {
 public:
  explicit AllreduceLowering(const WarpFacts& facts) : reducer_(facts) {}
  /// Results by the pointers that they were meant for.
  std::unordered_map<const Node*, Ref<BufferLoad>> results;

 protected:
  Stmt visit(const Stmt& statement) override;
  NodeRef leave(const NodeRef& node) override;

 private:
  Stmt attribute(const Ref<AttrStmt>& attribute);
  Stmt reduction(const tir::Call& call);
  bool threadsOf(const tir::Call& call, size_t first, ThreadReduction& reduction);
  const BufferLoad* resultOf(const BufferRef& buffer, std::span<const PrimExpr> indices, Span span);

  ThreadReducer reducer_;
  std::vector<const AttrStmt*> launches_;
  std::vector<const CommReducer*> combiners_;
};

/// The result that took the place of the buffer; it had one element.
const BufferLoad* AllreduceLowering::resultOf(const BufferRef& buffer, std::span<const PrimExpr> indices, Span span) {
  auto found = results.find(buffer->data.get());
  if (found == results.end()) return nullptr;
  if (std::any_of(indices.begin(), indices.end(), [](const PrimExpr& index) { return asInt(index) != 0; })) {
    refuse("lower.reduction", fmt::format("{} holds one result of a reduction", buffer->name.view()), span);
  }
  return found->second.get();
}

NodeRef AllreduceLowering::leave(const NodeRef& node) {
  const auto* load = as<BufferLoad>(node);
  const BufferLoad* result = load ? resultOf(load->buffer, load->indices, load->span) : nullptr;
  return result ? NodeRef(result) : node;
}

Stmt AllreduceLowering::attribute(const Ref<AttrStmt>& attribute) {
  const auto* combiner = attribute->key.view() == "reduce_scope" ? as<CommReducer>(attribute->node) : nullptr;
  const bool launch = attribute->key.view() == "thread_extent" && isa<IterVar>(attribute->node);
  if (launch) launches_.push_back(attribute.get());
  if (combiner) combiners_.push_back(combiner);
  Stmt made = parts(attribute);
  if (launch) launches_.pop_back();
  if (combiner) combiners_.pop_back();
  return made;
}

/// The threads around that reduce, and those that make groups, flattened by x, y, z. False where something is refused.
bool AllreduceLowering::threadsOf(const tir::Call& call, size_t first, ThreadReduction& reduction) {
  constexpr std::string_view kPrefix = "threadIdx.";
  std::unordered_set<const Node*> named;
  for (const PrimExpr& arg : call.args.span().subspan(first)) {
    if (isa<Var>(arg)) named.insert(arg.get());
  }
  std::vector<ThreadAxis> axes;
  for (const AttrStmt* launch : launches_) {
    const auto& iter = *as<IterVar>(launch->node);
    const std::string_view tag = iter.threadTag.view();
    const bool reduces = named.erase(iter.var.get()) > 0;
    if (tag.starts_with("vthread")) {
      refuse("lower.reduction", "virtual threads can not reduce together", launch->span);
      return false;
    }
    if (!tag.starts_with(kPrefix)) continue;
    const auto extent = asInt(launch->value);
    if (!extent) {
      refuse("lower.reduction", fmt::format("the extent of {} has to be constant for a reduction", tag), launch->span);
      return false;
    }
    if (*extent != 1) axes.push_back({tag[kPrefix.size()] - 'x', iter.var, *extent, reduces});
  }
  if (!named.empty()) {
    refuse("lower.reduction", "not all threads that reduce are launched around the reduction", call.span);
    return false;
  }
  std::sort(axes.begin(), axes.end(), [](const ThreadAxis& a, const ThreadAxis& b) { return a.dim < b.dim; });
  reduction.thread = reduction.group = intImm(0, DataType::Int(32));
  bool inRow = true;
  for (const ThreadAxis& axis : axes) {
    PrimExpr& index = axis.reduces ? reduction.thread : reduction.group;
    int64_t& count = axis.reduces ? reduction.threads : reduction.groups;
    index = count == 1 ? PrimExpr(axis.var) : arith::add(index, arith::mul(axis.var, intImm(count, DataType::Int(32))));
    count *= axis.extent;
    inRow = inRow && axis.reduces;
    if (inRow) reduction.neighbours *= axis.extent;
  }
  return true;
}

/// tvm_thread_allreduce(count, values..., condition, results..., threads...)
Stmt AllreduceLowering::reduction(const tir::Call& call) {
  const Stmt same = make<Evaluate>(PrimExpr(&call));
  const auto count = call.args.empty() ? std::nullopt : asInt(call.args[0]);
  const size_t size = combiners_.empty() ? 0 : combiners_.back()->result.size();
  if (size == 0 || !count || static_cast<size_t>(*count) != size || call.args.size() < 2 + 2 * size) {
    refuse("lower.reduction", "a reduction over threads stands in a reduce_scope with as many values", call.span);
    return same;
  }
  ThreadReduction reduction;
  reduction.combiner = combiners_.back();
  const PrimExpr& condition = call.args[size + 1];
  std::vector<BufferRef> targets;
  for (size_t i = 0; i < size; ++i) {
    PrimExpr value = call.args[1 + i];
    if (asInt(condition) != 1) value = make<Select>(condition, value, reduction.combiner->identity[i]);
    reduction.types.push_back(value->dtype);
    reduction.values.push_back(std::move(value));
    const PrimExpr& target = call.args[2 + size + i];
    const auto* convert = as<tir::Cast>(target);  // of a truth value
    const auto* load = as<BufferLoad>(convert ? convert->value : target);
    if (!load) {
      refuse("lower.reduction", "the result of a reduction goes to an element of a buffer", call.span);
      return same;
    }
    targets.push_back(load->buffer);
  }
  if (!threadsOf(call, 2 + 2 * size, reduction)) return same;
  if (reduction.threads == 1) {
    std::vector<Stmt> stores;
    for (size_t i = 0; i < size; ++i) {
      stores.push_back(
          make<BufferStore>(targets[i], reduction.values[i], Array<PrimExpr>{intImm(0, DataType::Int(32))}));
    }
    return seq(stores);
  }
  LoweredReduction lowered = reducer_.lower(reduction);
  for (size_t i = 0; i < size; ++i) results[targets[i]->data.get()] = lowered.results[i];
  return lowered.body;
}

Stmt AllreduceLowering::visit(const Stmt& statement) {
  if (auto one = refAs<AttrStmt>(statement)) return attribute(one);
  Stmt made = parts(statement);
  if (const auto* evaluate = as<Evaluate>(made)) {
    const auto* call = asCallOf(evaluate->value, "tvm_thread_allreduce");
    return call ? reduction(*call) : made;
  }
  const auto* store = as<BufferStore>(made);
  const BufferLoad* result = store ? resultOf(store->buffer, store->indices, store->span) : nullptr;
  if (!result) return made;
  auto* copy = new BufferStore(*store);
  copy->buffer = result->buffer;
  copy->indices = result->indices;
  return Stmt(copy);
}

/// Allocations of results become those of the buffers that took their place; other views of them go.
class ResultAllocator : public Rewriter {
 public:
  explicit ResultAllocator(const std::unordered_map<const Node*, Ref<BufferLoad>>& results) : results_(results) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* declared = as<DeclBuffer>(statement);
    if (declared && results_.contains(declared->buffer->data.get())) return seq({});
    const auto* allocation = as<AllocBuffer>(statement);
    auto found = allocation ? results_.find(allocation->buffer->data.get()) : results_.end();
    if (found == results_.end()) return parts(statement);
    auto* copy = new AllocBuffer(*allocation);
    copy->buffer = found->second->buffer;
    if (copy->buffer->scope() == "shared") {
      copy->annotations = ir::withAttr(copy->annotations, Str("tirx.volatile"), ir::boolAttr(true));
    }
    return Stmt(copy);
  }

 private:
  const std::unordered_map<const Node*, Ref<BufferLoad>>& results_;
};

}  // namespace

Result<PrimFuncRef> lowerThreadAllreduce(const PrimFuncRef& func, Scope&) {
  const std::optional<WarpFacts> facts = warpFactsOf(*func);
  if (!facts) return withoutTarget("reductions are lowered for a target");
  AllreduceLowering lowering(*facts);
  Result<Stmt> body = lowering.run(func->body);
  if (!body) return body.failure();
  if (lowering.results.empty()) return withBody(func, *body);
  return withBody(func, ResultAllocator(lowering.results).rewrite(*body));
}

}  // namespace rx::lower
