#include "core/schedule/stage_insert.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"

namespace rx::schedule {

using namespace tir;

namespace {

const Stmt& bodyOf(const Stmt& holder) {
  const auto* loop = as<For>(holder);
  return loop ? loop->body : as<Block>(holder)->body;
}

/// The first statement that holds one of the blocks; the number of statements where none does.
size_t firstWith(const std::vector<Stmt>& statements, std::span<const Ref<BlockRealize>> blocks) {
  for (size_t i = 0; i < statements.size(); ++i) {
    for (const auto& found : blocksBelow(statements[i])) {
      if (std::find(blocks.begin(), blocks.end(), found) != blocks.end()) return i;
    }
  }
  return statements.size();
}

class CopyUser : public lower::Rewriter {
 public:
  CopyUser(const Block& scope, const BufferCopy& copy, const std::unordered_set<const Block*>& uses)
      : scope_(&scope), copy_(copy), uses_(uses) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* block = as<Block>(statement)) {
      if (block == scope_) return parts(statement);
      if (depth_ == 0 && !uses_.contains(block)) return statement;
      ++depth_;
      Stmt made = parts(statement);
      --depth_;
      return made;
    }
    const Stmt made = parts(statement);
    const auto* store = as<BufferStore>(made);
    if (!store || depth_ == 0 || store->buffer != copy_.from) return made;
    return changed(*store, [&](BufferStore& other) {
      other.buffer = copy_.copy;
      other.indices = moved(store->indices);
    });
  }

  NodeRef enter(const NodeRef& node) override {
    if (depth_ == 0) return nullptr;
    if (node == copy_.from->data) return copy_.copy->data;
    const auto* region = as<BufferRegion>(node);
    if (!region || region->buffer != copy_.from) return nullptr;
    std::vector<Ref<Range>> ranges;
    for (size_t i = 0; i < region->region.size(); ++i) {
      ranges.push_back(make<Range>(moved(region->region[i]->min, i), region->region[i]->extent));
    }
    return make<BufferRegion>(copy_.copy, Array<Ref<Range>>(std::move(ranges)));
  }

  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load || depth_ == 0 || load->buffer != copy_.from) return node;
    return changed(*load, [&](BufferLoad& other) {
      other.buffer = copy_.copy;
      other.indices = moved(load->indices);
    });
  }

 private:
  PrimExpr moved(const PrimExpr& index, size_t dimension) {
    if (copy_.region.empty()) return index;
    return canon_.simplify(arith::sub(index, copy_.region[dimension]->min));
  }
  Array<PrimExpr> moved(const Array<PrimExpr>& indices) {
    std::vector<PrimExpr> made;
    for (size_t i = 0; i < indices.size(); ++i) made.push_back(moved(indices[i], i));
    return Array<PrimExpr>(std::move(made));
  }

  const Block* scope_;
  const BufferCopy& copy_;
  const std::unordered_set<const Block*>& uses_;
  size_t depth_ = 0;  ///< blocks around that use the copy
  arith::Canon canon_;
};

}  // namespace

StagePlace placeBetween(const Ref<Block>& scope, const BlockRealize& block, std::span<const Ref<BlockRealize>> others) {
  const Ref<BlockRealize> own(&block);
  if (others.empty()) return {scope, statementsOf(scope->body).size()};
  StagePlace place{scope, 0};
  Stmt body = scope->body;
  for (;;) {
    if (const auto loop = refAs<For>(body)) {
      place.holder = loop;
      body = loop->body;
      continue;
    }
    const std::vector<Stmt> statements = statementsOf(body);
    const size_t first = firstWith(statements, {&own, 1}), second = firstWith(statements, others);
    place.index = second;
    if (first != second || first == statements.size() || statements[first] == body) return place;
    body = statements[first];
  }
}

Stmt withStage(const StagePlace& place, const Stmt& stage) {
  std::vector<Stmt> statements = statementsOf(bodyOf(place.holder));
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(place.index), stage);
  const Stmt body = lower::inOrder(statements);
  if (const auto* loop = as<For>(place.holder)) return lower::withLoopBody(*loop, body);
  return changed(*as<Block>(place.holder), [&](Block& copy) { copy.body = body; });
}

Stmt usingCopy(const Block& scope, const BufferCopy& copy, const std::unordered_set<const Block*>& uses) {
  return CopyUser(scope, copy, uses).rewrite(Stmt(&scope));
}

}  // namespace rx::schedule
