#include "core/transform/local_kernel.h"

#include <fmt/format.h>

#include <map>

#include "core/analysis/buffer_axes.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/fresh.h"

namespace rx::transform {

using analysis::BufferAxis;
using tir::PrimExpr;

namespace {

/// The operation of a reduction by the node that joins its old value with a new one.
struct ReductionName {
  Kind kind;
  const char* name;
};
constexpr ReductionName kReductions[] = {
    {Kind::tir_Add, "sum"}, {Kind::tir_Mul, "prod"}, {Kind::tir_Min, "min"}, {Kind::tir_Max, "max"}};

class Divider {
 public:
  explicit Divider(const tir::PrimFuncRef& kernel) : kernel_(kernel), axes_(*kernel) {}

  Result<LocalKernel> run(std::span<const relax::DTensorStructInfo* const> placed) {
    for (size_t i = 0; i < placed.size() && i < kernel_->buffers.size(); ++i) {
      if (placed[i] && kernel_->buffers[i]) divideBuffers(*kernel_->buffers[i], *placed[i]);
    }
    walk(*kernel_->body, Into::Parts, [&](const Node& node) {
      if (const auto* realize = as<tir::BlockRealize>(&node)) divideBlock(*realize);
      return !isa<tir::ExprNode>(&node);
    });
    if (!problems_.empty()) return fail(std::move(problems_));
    NodeRef made = rewriteNodes(
        kernel_, Into::Parts, [](const NodeRef& node) { return isa<relax::GlobalVar>(node) ? node : NodeRef(); },
        [&](const NodeRef& node) { return divided(node); });
    if (!problems_.empty()) return fail(std::move(problems_));
    const auto local = cast<tir::PrimFunc>(made);
    // Made anew, so that its signature is that of its buffers now.
    return LocalKernel{make<tir::PrimFunc>(local->params, local->buffers, local->body, local->retType, local->attrs),
                       std::move(allReduce_)};
  }

 private:
  void refuse(Span span, std::string why) {
    problems_.push_back(errorAt(span.known() ? span : kernel_->span, "pass.sharding", std::move(why)));
  }

  void divideBuffers(const tir::Buffer& buffer, const relax::DTensorStructInfo& placed) {
    for (size_t m = 0; m < placed.placement->dimSpecs.size(); ++m) {
      const int64_t axis = placed.placement->dimSpecs[m]->axis;
      if (axis < 0 || static_cast<size_t>(axis) >= buffer.shape.size()) continue;
      for (const BufferAxis& other : axes_.together({&buffer, static_cast<size_t>(axis)})) {
        shards_[other.buffer][other.dim] = placed.deviceMesh->shape[m];
      }
    }
  }

  /// The iterators that walk over divided axes, and the loops behind them, take the part of one device.
  void divideBlock(const tir::BlockRealize& realize) {
    const tir::Block& block = *realize.block;
    arith::Analyzer analyzer;
    for (const Ref<tir::IterVar>& iter : block.iterVars) analyzer.bind(iter->var, *iter->dom);
    for (const analysis::BufferAccess& access : analysis::accessesOf(block)) {
      const auto shards = shards_.find(access.buffer);
      if (shards == shards_.end()) continue;
      for (const auto& [dim, count] : shards->second) {
        const tir::VarRef iter = analysis::outermostIter(access.indices[dim], block, analyzer);
        if (!iter) {
          return refuse(block.body->span, fmt::format("block {} reads dimension {} of {} otherwise than in order",
                                                      block.name.view(), dim, access.buffer->name.view()));
        }
        const auto [at, fresh] = iters_.emplace(iter.get(), count);
        if (!fresh && at->second != count) {
          return refuse(block.body->span, fmt::format("{} of block {} would be divided in {} and in {} parts",
                                                      iter->name.view(), block.name.view(), at->second, count));
        }
      }
    }
    for (size_t i = 0; i < block.iterVars.size(); ++i) divideLoop(realize, i);
  }

  void divideLoop(const tir::BlockRealize& realize, size_t i) {
    const tir::IterVar& iter = *realize.block->iterVars[i];
    const auto count = iters_.find(iter.var.get());
    if (count == iters_.end()) return;
    const auto* loop = as<tir::Var>(realize.iterValues[i]);
    if (!loop) {
      return refuse(realize.span,
                    fmt::format("{} of block {} is no loop", iter.var->name.view(), realize.block->name.view()));
    }
    loops_[loop] = count->second;
    if (iter.iterType == tir::IterType::CommReduce) joinResults(*realize.block);
  }

  void joinResults(const tir::Block& block) {
    if (!allReduce_.empty()) return refuse(block.body->span, "two reductions of the kernel would be divided");
    const tir::Buffer* target = block.writes.size() == 1 ? block.writes[0]->buffer.get() : nullptr;
    auto reads = [&](const PrimExpr& expr) {
      const auto* load = as<tir::BufferLoad>(expr);
      return load && load->buffer.get() == target;
    };
    walk(*block.body, Into::Parts, [&](const Node& node) {
      const auto* binary = as<tir::BinaryNode>(&node);
      for (const ReductionName& row : kReductions) {
        if (binary && binary->kind() == row.kind && (reads(binary->a) || reads(binary->b))) allReduce_ = row.name;
      }
      return true;
    });
    if (allReduce_.empty()) refuse(block.body->span, fmt::format("{} does not say how it reduces", block.name.view()));
  }

  PrimExpr part(const PrimExpr& whole, int64_t count, Span span) {
    arith::Analyzer analyzer;
    const PrimExpr by = tir::intImm(count, whole->dtype);
    if (!analyzer.canProve(arith::eq(arith::floorMod(whole, by), tir::intImm(0, whole->dtype)))) {
      refuse(span, fmt::format("a dimension is not divisible by {} devices", count));
    }
    return analyzer.simplify(arith::floorDiv(whole, by));
  }

  NodeRef divided(const NodeRef& node) {
    if (const auto* buffer = as<tir::Buffer>(node)) {
      const auto shards = shards_.find(buffer);
      if (shards == shards_.end()) return node;
      auto* made = new tir::Buffer(*buffer);
      std::vector<PrimExpr> shape = buffer->shape.vector();
      for (const auto& [dim, count] : shards->second) shape[dim] = part(shape[dim], count, buffer->span);
      made->shape = Array<PrimExpr>(std::move(shape));
      return NodeRef(made);
    }
    if (const auto* iter = as<tir::IterVar>(node)) {
      const auto count = iters_.find(iter->var.get());
      if (count == iters_.end()) return node;
      auto* made = new tir::IterVar(*iter);
      made->dom = make<tir::Range>(iter->dom->min, part(iter->dom->extent, count->second, {}));
      return NodeRef(made);
    }
    if (const auto* loop = as<tir::For>(node)) {
      const auto count = loops_.find(loop->loopVar.get());
      if (count == loops_.end()) return node;
      auto* made = new tir::For(*loop);
      made->extent = part(loop->extent, count->second, loop->span);
      return NodeRef(made);
    }
    return node;
  }

  tir::PrimFuncRef kernel_;
  analysis::BufferAxes axes_;
  std::unordered_map<const Node*, std::map<size_t, int64_t>> shards_;  ///< of buffers, by dimension
  std::unordered_map<const tir::Var*, int64_t> iters_, loops_;
  std::string allReduce_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

Result<LocalKernel> localKernel(const tir::PrimFuncRef& kernel,
                                std::span<const relax::DTensorStructInfo* const> placed) {
  RX_TRY(local, Divider(kernel).run(placed));
  // It stands beside the kernel in the module.
  local.function = lower::freshCopy(local.function);
  return std::move(local);
}

}  // namespace rx::transform
