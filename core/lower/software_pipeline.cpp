#include "core/lower/software_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/arith/int_set.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pipeline_async.h"
#include "core/lower/pointer_calls.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

using Versions = std::unordered_map<const Buffer*, BufferRef>;

/// A pointer into a buffer, with an offset in elements behind it.
constexpr PointerCall kAddress = {"tvm_access_ptr", {1, -1, -1}};

PrimExpr plus(const PrimExpr& a, int64_t b) { return arith::add(a, arith::constantInt(a->dtype, b)); }
PrimExpr minus(const PrimExpr& a, int64_t b) { return arith::sub(a, arith::constantInt(a->dtype, b)); }

/// Leads accesses to the version of a buffer that belongs to a step of the loop.
class Versioner : public CheckedRewriter {
 public:
  Versioner(const For& loop, const Versions& versions, bool allVersions)
      : loop_(loop), versions_(versions), allVersions_(allVersions) {
    for (const auto& [buffer, version] : versions) byPointer_[buffer->data.get()] = {buffer, version};
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* store = as<BufferStore>(statement);
    const auto found = store ? versions_.find(store->buffer.get()) : versions_.end();
    if (found == versions_.end()) return parts(statement);
    auto* made = new BufferStore(*store);
    Stmt result(made);
    made->value = rewrite(store->value);
    made->predicate = rewrite(store->predicate);
    made->indices = versioned(*found->second, rewrite(store->indices));
    made->buffer = found->second;
    return result;
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      const auto found = versions_.find(load->buffer.get());
      if (found == versions_.end()) return nullptr;
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      made->predicate = rewrite(load->predicate);
      made->indices = versioned(*found->second, rewrite(load->indices));
      made->buffer = found->second;
      return result;
    }
    if (const auto* region = as<BufferRegion>(node)) {
      const auto found = versions_.find(region->buffer.get());
      return found == versions_.end() ? nullptr : NodeRef(versionedRegion(*region, found->second));
    }
    for (const PointerCall& row : kPointerCalls) {
      if (const Call* call = asCallOf(node, row.name)) return pointers(*call, row);
    }
    if (const Call* call = asCallOf(node, kAddress.name)) return pointers(*call, kAddress);
    if (const auto* var = as<Var>(node); var && byPointer_.contains(var)) {
      refuse("lower.pipeline",
             fmt::format("the pointer {} is used in a way that says nothing of the version", var->name.view()));
    }
    return nullptr;
  }

 private:
  PrimExpr version(const Buffer& buffer) const {
    return arith::floorMod(arith::sub(loop_.loopVar, loop_.min), arith::cast(loop_.loopVar->dtype, buffer.shape[0]));
  }

  Array<PrimExpr> versioned(const Buffer& buffer, const Array<PrimExpr>& indices) const {
    std::vector<PrimExpr> made{version(buffer)};
    made.insert(made.end(), indices.begin(), indices.end());
    return Array<PrimExpr>(std::move(made));
  }

  Ref<BufferRegion> versionedRegion(const BufferRegion& region, const BufferRef& buffer) {
    std::vector<Ref<Range>> ranges;
    if (allVersions_) {
      ranges.push_back(make<Range>(int32(0), buffer->shape[0]));
    } else {
      ranges.push_back(make<Range>(version(*buffer), int32(1)));
    }
    for (const auto& range : region.region) ranges.push_back(make<Range>(rewrite(range->min), rewrite(range->extent)));
    return make<BufferRegion>(buffer, Array<Ref<Range>>(std::move(ranges)));
  }

  NodeRef pointers(const Call& call, const PointerCall& row) {
    std::vector<PrimExpr> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const bool known = std::find(row.pointers.begin(), row.pointers.end(), static_cast<int>(i)) != row.pointers.end();
      args.push_back(known && isa<Var>(call.args[i]) ? call.args[i] : rewrite(call.args[i]));
    }
    for (const int at : row.pointers) {
      const auto place = static_cast<size_t>(at);
      const auto* data = at >= 0 && place + 1 < args.size() ? as<Var>(call.args[place]) : nullptr;
      const auto found = data ? byPointer_.find(data) : byPointer_.end();
      if (found == byPointer_.end()) continue;
      const auto& [old, fresh] = found->second;
      PrimExpr size = int32(1);
      for (const PrimExpr& extent : old->shape) size = arith::mul(size, extent);
      if (!fresh->strides.empty()) size = fresh->strides[0];
      // The fragments of a warp's lanes: each lane holds its share.
      if (old->scope().starts_with("m16n8k8.matrix") && old->scope() != "m16n8k8.matrixC") {
        size = arith::floorDiv(size, arith::constantInt(size->dtype, 32));
      }
      const PrimExpr step = arith::floorMod(loop_.loopVar, arith::cast(loop_.loopVar->dtype, fresh->shape[0]));
      args[place + 1] = arith::add(args[place + 1], arith::mul(step, size));
    }
    auto* made = new Call(call);
    made->args = Array<PrimExpr>(std::move(args));
    return NodeRef(made);
  }

  const For& loop_;
  const Versions& versions_;
  const bool allVersions_;
  std::unordered_map<const Var*, std::pair<const Buffer*, BufferRef>> byPointer_;
};

const BufferRegion* regionOf(const Array<Ref<BufferRegion>>& regions, const BufferRef& buffer) {
  for (const auto& region : regions) {
    if (region->buffer == buffer) return region.get();
  }
  return nullptr;
}

bool mayOverlap(const BufferRegion& a, const BufferRegion& b) {
  for (size_t i = 0; i < a.region.size() && i < b.region.size(); ++i) {
    const auto common =
        arith::intersect(arith::IntSet::fromRange(*a.region[i]), arith::IntSet::fromRange(*b.region[i]));
    if (common.nothing) return false;
  }
  return true;
}

class Builder {
 public:
  Builder(const SoftwarePipeline& pipeline, const BufferByPointer& known)
      : pipeline_(pipeline), loop_(*pipeline.loop), known_(known), order_(pipeline.steps) {
    std::sort(order_.begin(), order_.end(),
              [](const PipelineStep& a, const PipelineStep& b) { return a.order < b.order; });
    for (const PipelineStep& step : pipeline.steps) last_ = std::max(last_, step.stage);
  }

  Result<Stmt> build() {
    std::vector<BufferRef> allocated;
    for (const BufferRef& buffer : pipeline_.allocations) {
      const int64_t count = versionsOf(buffer);
      if (count > 1) versions_[buffer.get()] = withVersions(*buffer, count);
      allocated.push_back(count > 1 ? versions_[buffer.get()] : buffer);
    }
    const PrimExpr& min = loop_.min;
    const PrimExpr end = arith::add(min, loop_.extent);
    PrimExpr epilogue = end, bound;
    if (last_ > 1 && !canon_.isAtLeast(loop_.extent, last_)) {
      // A loop shorter than its stages: the epilogue begins where the prologue ends.
      if (isa<IntImm>(end)) {
        epilogue = arith::max(end, plus(min, last_));
      } else {
        bound = plus(min, last_);
      }
    }
    RX_TRY(head, emitted(min, plus(min, last_), true, nullptr));
    RX_TRY(body, emitted(plus(min, last_), end, false, nullptr));
    RX_TRY(tail, emitted(epilogue, plus(end, last_), true, bound));
    for (const BufferRef& buffer : pipeline_.allocations) known_.erase(buffer->data.get());
    const Stmt all[] = {head, body, tail};
    auto* block = new Block(*blockOf(make<SeqStmt>(Array<Stmt>(std::begin(all), std::end(all))), known_));
    const Ref<Block> whole(block);
    block->allocBuffers = Array<BufferRef>(std::move(allocated));
    return Stmt(make<BlockRealize>(Array<PrimExpr>(), boolImm(true), whole));
  }

 private:
  /// How many steps' values of a buffer are in use at one time.
  int64_t versionsOf(const BufferRef& buffer) const {
    int64_t def = -1, use = -1;
    for (const PipelineStep& step : pipeline_.steps) {
      if (regionOf(step.block->writes, buffer)) def = def < 0 ? step.stage : std::min(def, step.stage);
      if (regionOf(step.block->reads, buffer)) use = std::max(use, step.stage);
    }
    if (def < 0) return 1;
    int64_t count = use - def + 1;
    if (count == 2 && !outlives(buffer)) count = 1;
    const bool doubled =
        std::find(pipeline_.doubled.begin(), pipeline_.doubled.end(), buffer) != pipeline_.doubled.end();
    return count == 1 && doubled ? 2 : count;
  }

  /// Whether a step writes the next value before the last one was read.
  bool outlives(const BufferRef& buffer) const {
    for (const PipelineStep& writer : pipeline_.steps) {
      const BufferRegion* written = regionOf(writer.block->writes, buffer);
      for (const PipelineStep& reader : pipeline_.steps) {
        const BufferRegion* read = written ? regionOf(reader.block->reads, buffer) : nullptr;
        if (read && writer.order < reader.order && writer.stage < reader.stage && mayOverlap(*written, *read))
          return true;
      }
    }
    return false;
  }

  static BufferRef withVersions(const Buffer& buffer, int64_t count) {
    auto* copy = new Buffer(buffer);
    const BufferRef made(copy);
    std::vector<PrimExpr> shape{int32(count)};
    shape.insert(shape.end(), buffer.shape.begin(), buffer.shape.end());
    if (!buffer.strides.empty()) {
      std::vector<PrimExpr> strides{arith::mul(buffer.strides[0], buffer.shape[0])};
      strides.insert(strides.end(), buffer.strides.begin(), buffer.strides.end());
      copy->strides = Array<PrimExpr>(std::move(strides));
    }
    copy->shape = Array<PrimExpr>(std::move(shape));
    return made;
  }

  Stmt realized(const Stmt& body) const {
    return make<BlockRealize>(Array<PrimExpr>(), boolImm(true), blockOf(body, known_));
  }

  /// The steps from `start` to `end` (not included); `bound`, where it is given, is the first that counts.
  Result<Stmt> emitted(const PrimExpr& start, const PrimExpr& end, bool unrolled, const PrimExpr& bound) {
    const PrimExpr extent = arith::sub(end, start);
    if (canon_.canProve(arith::le(extent, arith::constantInt(extent->dtype, 0)))) return realized(nothing());
    const bool once = canon_.canProveEqual(extent, arith::constantInt(extent->dtype, 1));
    const auto var = make<Var>(loop_.loopVar->name, loop_.loopVar->dtype);
    PipelinePart part(async_, canon_);
    if (!once) {
      canon_.bind(var, start, extent);
      part.own.bind(var, loop_.min, extent);
    }
    for (const PipelineStep& step : order_) {
      RX_TRY(block, moved(step, once ? start : PrimExpr(var), once ? nullptr : var, start, bound));
      if (block) part.add(std::move(*block));
    }
    if (part.empty()) return realized(nothing());
    RX_TRY(made, part.statements(known_));
    Stmt whole = inOrder(made);
    if (!once) {
      whole = make<For>(var, loop_.min, extent, unrolled ? ForKind::Unrolled : loop_.forKind, whole, nullptr,
                        pipeline_.annotations);
    }
    part.finish(extent);
    return realized(whole);
  }

  static Stmt nothing() { return make<Evaluate>(int32(0)); }

  /// A statement in a part whose variable is `var` (null: the part is one step, `at`); nothing where it never runs.
  Result<std::optional<PartBlock>> moved(const PipelineStep& step, const PrimExpr& at, const VarRef& var,
                                         const PrimExpr& start, const PrimExpr& bound) {
    const PrimExpr skewed = minus(at, step.stage);
    PrimExpr inside = arith::logicalAnd(canon_.simplify(arith::le(loop_.min, skewed)),
                                        arith::lt(skewed, arith::add(loop_.min, loop_.extent)));
    if (bound) inside = canon_.simplify(arith::logicalAnd(inside, arith::ge(at, bound)));
    if (canon_.canProve(arith::logicalNot(inside))) return std::optional<PartBlock>();
    RX_TRY(body, Versioner(loop_, versions_, last_ != 1).run(step.block));
    // The loop runs from its old beginning.
    const PrimExpr delta = arith::sub(start, loop_.min);
    const PrimExpr place = var ? arith::add(skewed, delta) : skewed;
    if (var) inside = arith::substitute(inside, {{var.get(), arith::add(var, delta)}});
    const Stmt block = substitute(body, {{loop_.loopVar.get(), place}});
    return std::optional(PartBlock{step.stage, inside, cast<Block>(block), place, step.async});
  }

  const SoftwarePipeline& pipeline_;
  const For& loop_;
  BufferByPointer known_;
  std::vector<PipelineStep> order_;
  int64_t last_ = 0;  ///< stage
  Versions versions_;
  AsyncStages async_;
  arith::Canon canon_;
};

}  // namespace

Ref<Block> blockOf(const Stmt& statement, const BufferByPointer& known) {
  const auto* realize = as<BlockRealize>(statement);
  if (realize && arith::isOne(realize->predicate)) return realize->block;
  auto* block = new Block();
  const Ref<Block> made(block);
  block->body = statement;
  const AccessRegions regions = accessRegions(*block, known);
  block->reads = regions.reads;
  block->writes = regions.writes;
  return made;
}

Result<Stmt> pipelined(const SoftwarePipeline& pipeline, const BufferByPointer& known) {
  return Builder(pipeline, known).build();
}

}  // namespace rx::lower
