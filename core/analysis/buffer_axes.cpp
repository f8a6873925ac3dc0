#include "core/analysis/buffer_axes.h"

#include <unordered_set>

#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/reflect.h"

namespace rx::analysis {

using tir::PrimExpr;

namespace {

const tir::IterVar* iterOf(const tir::Block& block, const PrimExpr& index) {
  const auto* var = as<tir::Var>(index);
  for (const Ref<tir::IterVar>& iter : block.iterVars) {
    if (var && iter->var.get() == var) return iter.get();
  }
  return nullptr;
}

/// The index as a sum of pieces of the iterators of the block, all of them fused to one.
std::optional<arith::IterSum> sumOf(const PrimExpr& index, const tir::Block& block, arith::IterMapLevel level,
                                    arith::Analyzer& analyzer) {
  std::vector<arith::IterRange> iters;
  for (const Ref<tir::IterVar>& iter : block.iterVars) iters.push_back({iter->var, iter->dom->min, iter->dom->extent});
  const arith::IterMapQuery query{
      .indices = std::span(&index, 1), .iters = iters, .predicate = nullptr, .level = level};
  auto sums = arith::detectIterMap(query, analyzer);
  if (!sums || (*sums)[0].args.size() != 1 || tir::asInt((*sums)[0].base) != 0) return std::nullopt;
  return std::move((*sums)[0]);
}

/// The index takes every value from 0 to size - 1.
bool covers(const PrimExpr& index, const PrimExpr& size, const tir::Block& block, arith::Analyzer& analyzer) {
  const auto sum = sumOf(index, block, arith::IterMapLevel::Surjective, analyzer);
  return sum && tir::asInt(sum->args[0].scale) == 1 && analyzer.canProveEqual(sum->args[0].extent, size);
}

/// One index is an iterator over the whole of its axis, and the other runs over the whole of its own by the same.
bool runTogether(const PrimExpr& a, const PrimExpr& sizeA, const PrimExpr& b, const PrimExpr& sizeB,
                 const tir::Block& block, arith::Analyzer& analyzer) {
  const tir::IterVar* iter = iterOf(block, a);
  if (!iter) return iterOf(block, b) && runTogether(b, sizeB, a, sizeA, block, analyzer);
  return analyzer.canProveEqual(sizeA, iter->dom->extent) && outermostIter(b, block, analyzer) == iter->var &&
         covers(b, sizeB, block, analyzer);
}

}  // namespace

std::vector<BufferAccess> accessesOf(const tir::Block& block) {
  std::vector<BufferAccess> accesses;
  auto visit = [&](const Node& node) {
    if (isa<tir::Block>(&node)) return false;
    if (const auto* load = as<tir::BufferLoad>(&node)) accesses.push_back({load->buffer.get(), load->indices});
    if (const auto* store = as<tir::BufferStore>(&node)) accesses.push_back({store->buffer.get(), store->indices});
    return true;
  };
  if (block.init) walk(*block.init, Into::Parts, visit);
  walk(*block.body, Into::Parts, visit);
  return accesses;
}

tir::VarRef outermostIter(const PrimExpr& index, const tir::Block& block, arith::Analyzer& analyzer) {
  if (const tir::IterVar* iter = iterOf(block, index)) return iter->var;
  const auto sum = sumOf(index, block, arith::IterMapLevel::NoCheck, analyzer);
  if (!sum) return nullptr;
  // Of a sum that acts as one iterator, the first piece has the largest scale.
  const arith::IterSplit* split = &sum->args[0];
  while (true) {
    const arith::IterMark& source = *split->source;
    if (!analyzer.canProve(arith::le(arith::floorDiv(source.extent, split->lower), split->extent))) return nullptr;
    if (source.plain) {
      const tir::IterVar* iter = iterOf(block, source.plain);
      return iter ? iter->var : nullptr;
    }
    if (source.sum.args.empty()) return nullptr;
    split = &source.sum.args[0];
  }
}

BufferAxes::BufferAxes(const tir::PrimFunc& function) {
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* block = as<tir::Block>(&node);
    if (block && !block->iterVars.empty()) visitBlock(*block);
    return !isa<tir::ExprNode>(&node);
  });
}

void BufferAxes::visitBlock(const tir::Block& block) {
  arith::Analyzer analyzer;
  for (const Ref<tir::IterVar>& iter : block.iterVars) analyzer.bind(iter->var, *iter->dom);
  const std::vector<BufferAccess> accesses = accessesOf(block);
  for (size_t x = 0; x < accesses.size(); ++x) {
    for (size_t y = x + 1; y < accesses.size(); ++y) {
      const BufferAccess &one = accesses[x], &other = accesses[y];
      if (one.buffer == other.buffer) continue;
      for (size_t i = 0; i < one.indices.size(); ++i) {
        for (size_t j = 0; j < other.indices.size(); ++j) {
          if (!runTogether(one.indices[i], one.buffer->shape[i], other.indices[j], other.buffer->shape[j], block,
                           analyzer)) {
            continue;
          }
          joined_[{one.buffer, i}].push_back({other.buffer, j});
          joined_[{other.buffer, j}].push_back({one.buffer, i});
        }
      }
    }
  }
}

std::vector<BufferAxis> BufferAxes::together(const BufferAxis& axis) const {
  std::vector<BufferAxis> group{axis};
  std::unordered_set<BufferAxis, Hash> seen{axis};
  for (size_t at = 0; at < group.size(); ++at) {
    const auto next = joined_.find(group[at]);
    if (next == joined_.end()) continue;
    for (const BufferAxis& other : next->second) {
      if (seen.insert(other).second) group.push_back(other);
    }
  }
  return group;
}

}  // namespace rx::analysis
