#include "core/schedule/block_facts.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/statements.h"

namespace rx::schedule {

using namespace tir;

namespace {

bool meets(const Array<Ref<BufferRegion>>& a, const Array<Ref<BufferRegion>>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& region) { return regionOf(b, *region->buffer); });
}

}  // namespace

BlockScope::BlockScope(const Block& root) : root_(&root), blocks_(blocksBelow(root.body)) {}

std::string_view BlockScope::whyIncomplete(const Block& block) const {
  for (const auto& axis : block.iterVars) {
    if (axis->iterType != IterType::DataPar) return "it has axes that are not data-parallel";
  }
  for (const auto& write : block.writes) {
    if (!onlyWriter(*write->buffer)) return "other blocks write what it writes";
  }
  if (meets(block.reads, block.writes)) return "it reads what it writes";
  return {};
}

std::string_view BlockScope::whyNoReduction(const Schedule& schedule, const Block& block) const {
  if (!block.init) return "it has no init";
  if (!schedule.isAffine(block)) return "the values of its axes are no independent pieces of the loops";
  std::unordered_set<const Var*> reduced;
  for (const auto& axis : block.iterVars) {
    if (axis->iterType == IterType::CommReduce) {
      reduced.insert(axis->var.get());
    } else if (axis->iterType != IterType::DataPar) {
      return "it has axes that are neither data-parallel nor reduced";
    }
  }
  for (const auto& write : block.writes) {
    if (!onlyWriter(*write->buffer)) return "other blocks write what it writes";
  }
  for (const auto& write : block.writes) {
    for (const Var* var : varsOf(write->region)) {
      if (reduced.contains(var)) return "an axis that it reduces tells where it writes";
    }
  }
  return {};
}

bool BlockScope::isOutput(const Block& block) const {
  return std::any_of(block.writes.begin(), block.writes.end(), [&](const auto& write) {
    return std::find(root_->allocBuffers.begin(), root_->allocBuffers.end(), write->buffer) ==
           root_->allocBuffers.end();
  });
}

Ref<BlockRealize> BlockScope::onlyWriter(const Buffer& buffer) const {
  Ref<BlockRealize> found;
  for (const auto& realize : blocks_) {
    if (!regionOf(realize->block->writes, buffer)) continue;
    if (found) return nullptr;
    found = realize;
  }
  return found;
}

std::vector<Ref<BlockRealize>> BlockScope::producers(const Block& block) const {
  std::vector<Ref<BlockRealize>> found;
  for (const auto& other : blocks_) {
    if (other->block.get() == &block) break;
    if (meets(other->block->writes, block.reads) || meets(other->block->writes, block.writes)) found.push_back(other);
  }
  return found;
}

std::vector<Ref<BlockRealize>> BlockScope::consumers(const Block& block) const {
  std::vector<Ref<BlockRealize>> found;
  bool behind = false;
  for (const auto& other : blocks_) {
    if (behind && (meets(block.writes, other->block->reads) || meets(block.writes, other->block->writes))) {
      found.push_back(other);
    }
    behind = behind || other->block.get() == &block;
  }
  return found;
}

std::string_view BlockScope::whyNoPipeline() const {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    for (const auto& read : blocks_[i]->block->reads) {
      for (size_t j = i + 1; j < blocks_.size(); ++j) {
        if (regionOf(blocks_[j]->block->writes, *read->buffer)) {
          return "a block writes what another one before it reads";
        }
      }
    }
  }
  return {};
}

const BufferRegion* regionOf(const Array<Ref<BufferRegion>>& regions, const Buffer& buffer) {
  for (const auto& region : regions) {
    if (region->buffer.get() == &buffer) return region.get();
  }
  return nullptr;
}

arith::VarMap bindings(const BlockRealize& realize) {
  arith::VarMap map;
  for (size_t i = 0; i < realize.iterValues.size(); ++i) {
    map[realize.block->iterVars[i]->var.get()] = realize.iterValues[i];
  }
  return map;
}

std::vector<Ref<For>> loopsOf(const Path& path, size_t first) {
  std::vector<Ref<For>> loops;
  for (size_t i = first; i < path.size(); ++i) {
    if (auto loop = refAs<For>(path[i])) loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<Ref<For>> loopsInScope(const Path& path) {
  size_t first = path.size() - 1;
  while (first > 0 && !isa<Block>(path[first - 1])) --first;
  return loopsOf(path, first);
}

Ref<Block> allocatorIn(const Path& path, const BufferRef& buffer) {
  for (const Stmt& statement : path) {
    auto block = refAs<Block>(statement);
    if (!block) continue;
    const auto& own = block->allocBuffers;
    if (std::find(own.begin(), own.end(), buffer) != own.end()) return block;
  }
  return nullptr;
}

std::vector<Stmt> statementsOf(const Stmt& body) {
  const auto* list = as<SeqStmt>(body);
  return list ? list->seq.vector() : std::vector<Stmt>{body};
}

arith::Domains domainsOf(std::span<const Ref<For>> loops) {
  arith::Domains domains;
  for (const auto& loop : loops) {
    domains[loop->loopVar.get()] = arith::IntSet::fromRange(loop->min, loop->extent);
  }
  return domains;
}

bool isAffine(const BlockRealize& realize, std::span<const Ref<For>> loops) {
  if (loops.empty()) return true;
  arith::Analyzer analyzer;
  std::vector<arith::IterRange> ranges;
  for (const auto& loop : loops) ranges.push_back({loop->loopVar, loop->min, loop->extent});
  const auto sums = arith::detectIterMap(
      {realize.iterValues.span(), ranges, realize.predicate, arith::IterMapLevel::Surjective, false}, analyzer);
  return sums && std::all_of(sums->begin(), sums->end(), [](const arith::IterSum& sum) {
           return sum.args.empty() || arith::isOne(sum.args.front().scale);
         });
}

bool usesAny(const PrimExpr& expr, std::span<const Ref<For>> loops) {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const auto& loop) { return lower::uses(expr, loop->loopVar.get()); });
}

PrimExpr withoutLoops(const PrimExpr& predicate, std::span<const Ref<For>> loops) {
  PrimExpr made = boolImm(true);
  for (PrimExpr rest = predicate; !arith::isOne(rest);) {
    const auto* both = as<And>(rest);
    const PrimExpr last = both ? both->b : rest;
    if (!isa<LT>(last)) return nullptr;
    if (!usesAny(last, loops)) made = arith::logicalAnd(made, last);
    rest = both ? both->a : boolImm(true);
  }
  return made;
}

std::unordered_set<const Var*> varsOf(const Array<Ref<Range>>& region) {
  std::unordered_set<const Var*> vars;
  for (const auto& range : region) {
    for (const PrimExpr& part : {range->min, range->extent}) {
      for (const VarRef& var : arith::freeVars(part)) vars.insert(var.get());
    }
  }
  return vars;
}

Array<Ref<Range>> substituted(const Array<Ref<Range>>& region, const arith::VarMap& map) {
  std::vector<Ref<Range>> made;
  for (const auto& range : region) {
    made.push_back(make<Range>(arith::substitute(range->min, map), arith::substitute(range->extent, map)));
  }
  return Array<Ref<Range>>(std::move(made));
}

Array<Ref<BufferRegion>> substituted(const Array<Ref<BufferRegion>>& regions, const arith::VarMap& map) {
  std::vector<Ref<BufferRegion>> made;
  for (const auto& region : regions) {
    made.push_back(make<BufferRegion>(region->buffer, substituted(region->region, map)));
  }
  return Array<Ref<BufferRegion>>(std::move(made));
}

bool hasOpaqueAccess(const Stmt& statement, const Buffer& buffer) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* match = as<MatchBufferRegion>(&node);
    found = found || &node == buffer.data.get() || (match && match->source->buffer.get() == &buffer);
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

}  // namespace rx::schedule
