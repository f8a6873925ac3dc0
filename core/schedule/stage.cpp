#include "core/schedule/stage.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/access_regions.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kMostSteps = int64_t{1} << 40;
constexpr int64_t kLeastBits = 128, kWidest = 512;

/// Processors with tiles for products of bfloat16 take for two of them, in vectors, as long as for four of float32.
constexpr std::string_view kBetterHalves = "amx-bf16";

/// With those that are known.
VectorShape withCaches(VectorShape shape, const std::array<int64_t, 2>& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] > 0) shape.cacheBytes[i] = bytes[i];
  return shape;
}

/// Of the processor that runs this; 0 where the system does not say.
std::array<int64_t, 2> cachesHere() {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  return {sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE)};
#else
  return {};
#endif
}

/// What TVM's operators say of a block that is no order of how it is to run: the axis of a softmax; which buffers may
/// be laid out otherwise, as all may whose layout a rule can choose; by which rule TVM's tuning would schedule it.
constexpr std::string_view kHints[] = {"axis", "layout_free_placeholders", "schedule_rule"};

/// Whether the block says nothing of how it is to run.
bool onlyHints(const Block& block) {
  if (!block.annotations) return true;
  const auto& keys = block.annotations->keys;
  return std::all_of(keys.begin(), keys.end(), [](const Str& key) {
    return std::find(std::begin(kHints), std::end(kHints), key.view()) != std::end(kHints);
  });
}

/// The stores of a body that is nothing but names for values and, behind these, stores, with the values for the names
/// and `places` put in; none where it has another form.
std::vector<Ref<BufferStore>> storesOf(const Stmt& body, arith::VarMap places) {
  std::vector<Ref<BufferStore>> stores;
  for (const Stmt& statement : statementsOf(body)) {
    const auto* store = as<BufferStore>(statement);
    if (const auto* bind = as<Bind>(statement); bind && stores.empty()) {
      places[bind->var.get()] = arith::substitute(bind->value, places);
    } else if (store && !store->predicate) {
      std::vector<PrimExpr> indices;
      for (const PrimExpr& index : store->indices) indices.push_back(arith::substitute(index, places));
      const PrimExpr value = arith::substitute(store->value, places);
      stores.push_back(make<BufferStore>(store->buffer, value, Array<PrimExpr>(std::move(indices))));
    } else {
      return {};
    }
  }
  return stores;
}

/// Whether each stores to a buffer that none of the others reads or stores to.
bool areApart(std::span<const Ref<BufferStore>> stores) {
  for (const auto& store : stores) {
    for (const auto& other : stores) {
      bool touches = other != store && other->buffer == store->buffer;
      walk(*other, Into::Parts, [&](const Node& node) {
        const auto* load = as<BufferLoad>(&node);
        touches = touches || (other != store && load && load->buffer == store->buffer);
        return !touches && !isa<Buffer>(&node);
      });
      if (touches) return false;
    }
  }
  return true;
}

/// Whether no store sees what another one has stored: each stores a name for a value.
bool areNamed(const Stmt& body) {
  const std::vector<Stmt> statements = statementsOf(body);
  return std::all_of(statements.begin(), statements.end(), [](const Stmt& statement) {
    const auto* store = as<BufferStore>(statement);
    return !store || isa<Var>(store->value);
  });
}

/// Whether all store at the same indices.
bool areTogether(std::span<const Ref<BufferStore>> stores) {
  return std::all_of(stores.begin(), stores.end(), [&](const Ref<BufferStore>& store) {
    return arith::sameExprs(store->indices.span(), stores.front()->indices.span());
  });
}

/// The axes of a block whose loops are its axes, in their order; nothing where they are not.
std::optional<std::vector<StageAxis>> axesOf(const lower::LoopNest& nest, const BlockRealize& realize,
                                             arith::VarMap& constants) {
  const Block& block = *realize.block;
  std::vector<StageAxis> axes;
  std::unordered_set<const Var*> taken;
  for (size_t i = 0; i < block.iterVars.size(); ++i) {
    const IterVar& axis = *block.iterVars[i];
    if (axis.iterType != IterType::DataPar && axis.iterType != IterType::CommReduce) return std::nullopt;
    if (arith::isOne(axis.dom->extent)) {
      constants[axis.var.get()] = axis.dom->min;
      continue;
    }
    const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(),
                                   [&](const auto& l) { return l->loopVar == realize.iterValues[i]; });
    if (loop == nest.loops.end() || !taken.insert((*loop)->loopVar.get()).second) return std::nullopt;
    if (!arith::sameExpr((*loop)->extent, axis.dom->extent) || !arith::isZero(axis.dom->min)) return std::nullopt;
    axes.push_back({axis.var, axis.dom->extent, axis.iterType == IterType::CommReduce});
  }
  const auto dependsOnLoops = [&](const StageAxis& axis) {
    return std::any_of(nest.loops.begin(), nest.loops.end(),
                       [&](const auto& loop) { return lower::uses(axis.extent, loop->loopVar.get()); });
  };
  if (std::any_of(axes.begin(), axes.end(), dependsOnLoops)) return std::nullopt;
  for (const auto& loop : nest.loops) {
    const bool plain = arith::isZero(loop->min) && loop->forKind == ForKind::Serial && !loop->step;
    if (!plain || (!taken.contains(loop->loopVar.get()) && !arith::isOne(loop->extent))) return std::nullopt;
  }
  return axes;
}

}  // namespace

int64_t Stage::usualSteps(bool reducing) const {
  int64_t count = 1;
  for (const StageAxis& axis : axes) {
    if (axis.reduces != reducing) continue;
    if (__builtin_mul_overflow(count, std::max<int64_t>(axis.usualSteps(), 1), &count)) return kMostSteps;
    count = std::min(count, kMostSteps);
  }
  return count;
}

const StageAxis* axisOf(std::span<const StageAxis> axes, const PrimExpr& expr) {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const StageAxis& axis) { return PrimExpr(axis.var) == expr; });
  return found == axes.end() ? nullptr : &*found;
}

bool Stage::isCountable() const {
  return std::all_of(axes.begin(), axes.end(), [&](const StageAxis& axis) {
    return axis.usualSteps() > 0 && axis.var->dtype == axes.front().var->dtype;
  });
}

namespace {

/// The value with sizes put into what it asks. Buffers whose shapes ask something stay what they are.
PrimExpr askingAtSize(const PrimExpr& value, const arith::VarMap& sizes) {
  const auto asks = [&](const NodeRef& node) -> NodeRef {
    const auto* choice = lower::asCallOf(node, "if_then_else");
    if (!choice) return node;
    std::vector<PrimExpr> args = choice->args.vector();
    args[0] = arith::substitute(args[0], sizes);
    return lower::intrinsic(choice->dtype, "if_then_else", std::move(args));
  };
  const auto stays = [](const NodeRef& node) -> NodeRef { return isa<Buffer>(node) ? node : nullptr; };
  return refAs<ExprNode>(rewriteNodes(value, Into::Parts, stays, asks));
}

}  // namespace

Stage atSize(const Stage& stage, const VarRef& size, int64_t number) {
  const arith::VarMap sizes{{size.get(), arith::constantInt(size->dtype, number)}};
  // Indices keep the size: it is part of the shapes of buffers, which stay what they are.
  arith::VarMap places;
  Stage made{stage.name, {}, stage.buffer, {}, nullptr, nullptr};
  for (StageAxis axis : stage.axes) {
    axis.extent = arith::Canon().simplify(arith::substitute(axis.extent, sizes));
    if (!arith::isOne(axis.extent)) {
      made.axes.push_back(axis);
    } else {
      places[axis.var.get()] = arith::constantInt(axis.var->dtype, 0);
    }
  }
  for (const PrimExpr& index : stage.indices) made.indices.push_back(arith::substitute(index, places));
  made.value = askingAtSize(arith::substitute(stage.value, places), sizes);
  if (stage.init) made.init = arith::substitute(stage.init, places);
  const bool sums = std::any_of(made.axes.begin(), made.axes.end(), [](const StageAxis& axis) { return axis.reduces; });
  if (!made.init || sums) return made;
  // A single step of what is reduced begins with the init.
  made.value = withLoads(made.value, *made.buffer, [&](const BufferLoad&) { return made.init; });
  made.init = nullptr;
  return made;
}

std::optional<StageReduction> reductionOf(const Stage& stage) {
  const auto* both = as<BinaryNode>(stage.value);
  if (!stage.reduces() || !both) return std::nullopt;
  for (const auto& [mine, other] : {std::pair(both->a, both->b), std::pair(both->b, both->a)}) {
    const auto* load = as<BufferLoad>(mine);
    if (load && load->buffer == stage.buffer && arith::sameExprs(load->indices.span(), stage.indices)) {
      return StageReduction{both->kind(), other};
    }
  }
  return std::nullopt;
}

namespace {

/// A stage for each store, where these are alone in their block and `fit`.
std::vector<Stage> stagesWhere(const Stmt& statement,
                               bool (*fit)(const Stmt& body, std::span<const Ref<BufferStore>>)) {
  const lower::LoopNest nest = lower::loopNest(statement);
  const auto* realize = as<BlockRealize>(nest.body);
  if (!realize || !arith::isOne(realize->predicate)) return {};
  const Block& block = *realize->block;
  if (!block.allocBuffers.empty() || !block.matchBuffers.empty() || !onlyHints(block)) return {};
  arith::VarMap constants;
  const auto axes = axesOf(nest, *realize, constants);
  const auto stores = storesOf(block.body, constants), inits = block.init ? storesOf(block.init, constants) : stores;
  if (!axes || stores.empty() || inits.size() != stores.size() || !fit(block.body, stores)) return {};
  std::vector<Stage> stages;
  for (size_t i = 0; i < stores.size(); ++i) {
    const BufferStore &store = *stores[i], &init = *inits[i];
    if (init.buffer != store.buffer || !arith::sameExprs(init.indices, store.indices)) return {};
    const Str& name = stores.size() > 1 ? store.buffer->name : block.name;
    stages.push_back(
        {name, *axes, store.buffer, store.indices.vector(), store.value, block.init ? init.value : nullptr});
  }
  return stages;
}

}  // namespace

std::vector<Stage> stagesOf(const Stmt& statement) {
  return stagesWhere(statement, [](const Stmt&, std::span<const Ref<BufferStore>> stores) { return areApart(stores); });
}

std::vector<Stage> coupledStagesOf(const Stmt& statement) {
  std::vector<Stage> stages = stagesWhere(statement, [](const Stmt& body, std::span<const Ref<BufferStore>> stores) {
    return stores.size() > 1 && areNamed(body) && areTogether(stores);
  });
  if (stages.empty() || !stages.front().reduces()) return {};
  return stages;
}

std::optional<Stage> stageOf(const Stmt& statement) {
  std::vector<Stage> stages = stagesOf(statement);
  if (stages.size() != 1) return std::nullopt;
  return std::move(stages.front());
}

VectorShape vectorShapeOf(const target::Target& target) {
  const target::Processor& processor = target.processor();
  const bool x86 = processor.architecture == target::Architecture::X86_64;
  const int64_t bits = std::max<int64_t>(target.vectorBits(), kLeastBits);
  const bool widest = bits >= kWidest;
  VectorShape shape{bits, !x86 || widest ? 32 : 16, !x86 || target.has("fma")};
  shape.byteDots = target.multipliesBytes();
  shape.halfDots = x86 && widest && target.has("avx512bf16") && !target.has(kBetterHalves);
  shape.byteTiles = x86 && widest && target.has("amx-int8");
  shape.halfTiles = x86 && widest && target.has("amx-bf16");
  return withCaches(
      shape, target.isThisMachine() ? cachesHere() : std::array{processor.cacheBytes[0], processor.cacheBytes[1]});
}

bool isUnitStride(std::span<const PrimExpr> indices, const Var& axis) {
  if (indices.empty() || !lower::uses(indices.back(), &axis)) return false;
  for (size_t i = 0; i + 1 < indices.size(); ++i) {
    if (lower::uses(indices[i], &axis)) return false;
  }
  const arith::VarMap next{{&axis, arith::add(PrimExpr(&axis), arith::constantInt(axis.dtype, 1))}};
  arith::Canon canon;
  return canon.canProve(arith::eq(arith::sub(arith::substitute(indices.back(), next), indices.back()),
                                  arith::constantInt(indices.back()->dtype, 1)));
}

bool goAlong(std::span<const PrimExpr> indices, const Var& axis) {
  return std::any_of(indices.begin(), indices.end(), [&](const PrimExpr& index) { return lower::uses(index, &axis); });
}

double elementsOf(const Stage& stage, std::span<const PrimExpr> indices) {
  double count = 1;
  for (const StageAxis& axis : stage.axes) {
    if (goAlong(indices, *axis.var)) count *= static_cast<double>(axis.usualSteps());
  }
  return count;
}

bool fillsLast(std::span<const StageAxis> axes, std::span<const PrimExpr> indices, const Buffer& buffer) {
  if (indices.size() < axes.size() || !buffer.strides.empty()) return false;
  const size_t around = indices.size() - axes.size();
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i >= around) {
      const StageAxis& axis = axes[i - around];
      if (indices[i] != PrimExpr(axis.var) || !arith::sameExpr(buffer.shape[i], axis.extent)) return false;
      continue;
    }
    for (const StageAxis& axis : axes) {
      if (lower::uses(indices[i], axis.var.get())) return false;
    }
  }
  return true;
}

Stmt inBlock(Str name, Stmt body) {
  std::vector<Ref<BufferRegion>> reads, writes;
  std::unordered_set<const Node*> own;
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* alloc = as<AllocBuffer>(&node)) own.insert(alloc->buffer.get());
    return true;
  });
  auto note = [&](std::vector<Ref<BufferRegion>>& list, const BufferRef& buffer) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const auto& r) { return r->buffer == buffer; });
    if (!own.contains(buffer.get()) && !known) list.push_back(make<BufferRegion>(buffer, lower::wholeRegion(*buffer)));
  };
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) note(reads, load->buffer);
    if (const auto* store = as<BufferStore>(&node)) note(writes, store->buffer);
    return true;
  });
  auto* block = new Block;
  Ref<Block> made(block);
  block->name = std::move(name);
  block->reads = Array<Ref<BufferRegion>>(std::move(reads));
  block->writes = Array<Ref<BufferRegion>>(std::move(writes));
  block->body = std::move(body);
  return make<BlockRealize>(Array<PrimExpr>(), boolImm(true), made);
}

}  // namespace rx::schedule
