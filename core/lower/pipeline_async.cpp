#include "core/lower/pipeline_async.h"

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/software_pipeline.h"

namespace rx::lower {

using namespace tir;

namespace {

Stmt marked(std::string_view key, PrimExpr value, Stmt body) {
  return make<AttrStmt>(int32(0), Str(key), std::move(value), std::move(body));
}

Ref<Block> withBody(const Block& block, Stmt body) {
  auto* copy = new Block(block);
  copy->body = std::move(body);
  return Ref<Block>(copy);
}

}  // namespace

void PipelinePart::add(PartBlock block) {
  if (block.async) {
    produce(block);
    block.block = withBody(*block.block, marked("async_scope", int32(1), block.block->body));
  }
  for (const auto& read : block.block->reads) {
    for (const auto& [stage, known] : stages_) {
      if (stage <= block.stage && known.written.contains(read->buffer.get())) states_[stage].consumed = true;
    }
  }
  blocks_.push_back(std::move(block));
}

void PipelinePart::produce(const PartBlock& block) {
  State& state = states_[block.stage];
  // Copies that go out together are one group, until one of them was waited for.
  if (state.groups.empty() || state.consumed) state.groups.emplace_back();
  state.groups.back().push_back(blocks_.size());
  for (const auto& write : block.block->writes) {
    stages_[block.stage].written.insert(write->buffer.get());
    groups_[write->buffer.get()] = state.groups.size() - 1;
  }
  state.head = block.step;
  if (!state.predicate || own.canProve(state.predicate)) {
    state.predicate = block.predicate;
  } else {
    state.predicate = own.simplify(arith::logicalAnd(state.predicate, block.predicate));
  }
}

std::optional<int64_t> PipelinePart::producerOf(const PartBlock& consumer, bool& several) const {
  std::optional<int64_t> found;
  for (const auto& read : consumer.block->reads) {
    for (const auto& [stage, known] : stages_) {
      if (stage > consumer.stage || !known.written.contains(read->buffer.get())) continue;
      several = several || (found && *found != stage);
      found = stage;
    }
  }
  return found;
}

/// How many groups of the producer may be on their way when the consumer runs; 0 where that is not known.
PrimExpr PipelinePart::inFlight(const PartBlock& consumer, int64_t producer) {
  const State& state = states_[producer];
  std::vector<PrimExpr> heads;
  if (state.groups.empty()) {
    heads.push_back(stages_[producer].head);  // it has started all before this part
  } else {
    std::vector<bool> counted(state.groups.size(), false);
    for (const auto& read : consumer.block->reads) {
      const Buffer* buffer = read->buffer.get();
      if (!stages_[producer].written.contains(buffer)) continue;
      const size_t group = groups_.at(buffer);
      if (counted[group]) continue;
      counted[group] = true;
      // What this round has not started yet was started in the one before.
      heads.push_back(state.seen.contains(buffer) ? state.head : arith::sub(state.head, int32(1)));
    }
  }
  PrimExpr sum = int32(0);
  for (const PrimExpr& head : heads) {
    if (!head || !own.canProve(arith::ge(head, arith::constantInt(head->dtype, 0)))) return int32(0);
    sum = arith::add(sum, canon_.simplify(arith::sub(head, consumer.step)));
  }
  return sum;
}

Result<Unit> PipelinePart::placeWaits() {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const PartBlock& block = blocks_[i];
    if (block.async) {
      for (const auto& write : block.block->writes) states_[block.stage].seen.insert(write->buffer.get());
    }
    bool several = false;
    const auto producer = producerOf(block, several);
    if (several) {
      return fail(errorAt(block.block->span, "lower.pipeline",
                          "a statement of a software pipeline uses what two asynchronous stages bring"));
    }
    if (!producer) continue;
    const PrimExpr count = inFlight(block, *producer);
    State& state = states_[*producer];
    if (!state.waitBefore) {
      state.waitBefore = i;
      state.waitCount = count;
    } else if (canon_.canProve(arith::lt(count, state.waitCount))) {
      state.waitCount = count;  // one waiting for both
    }
  }
  return Unit{};
}

void PipelinePart::attachWaits() {
  for (const auto& [stage, state] : states_) {
    if (!state.waitBefore) continue;
    PrimExpr count = state.waitCount;
    if (state.predicate && !own.canProve(state.predicate)) {
      count = intrinsic(DataType::Int(32), "if_then_else", {state.predicate, count, int32(0)});
    }
    Ref<Block>& block = blocks_[*state.waitBefore].block;
    block = withBody(*block, marked("async_wait_queue_scope", int32(stage),
                                    marked("async_wait_inflight_count", count, block->body)));
  }
}

Result<std::vector<Stmt>> PipelinePart::statements(const BufferByPointer& known) {
  RX_CHECK(placeWaits());
  attachWaits();
  std::vector<std::optional<int64_t>> commits(blocks_.size());
  for (const auto& [stage, state] : states_) {
    for (const std::vector<size_t>& group : state.groups) {
      for (size_t j = 0; j < group.size(); ++j) commits[group[0] + j] = stage;
    }
  }
  std::vector<Stmt> made;
  for (size_t i = 0; i < blocks_.size();) {
    const PartBlock& first = blocks_[i];
    if (!commits[i]) {
      made.push_back(make<BlockRealize>(Array<PrimExpr>(), first.predicate, first.block));
      ++i;
      continue;
    }
    const auto stage = commits[i];
    std::vector<Stmt> bodies;
    for (; i < blocks_.size() && commits[i] == stage; ++i) {
      if (!arith::sameExpr(blocks_[i].predicate, first.predicate)) {
        return fail(
            errorAt(first.block->span, "lower.pipeline", "statements that are committed together run together"));
      }
      bodies.push_back(blocks_[i].block->body);
    }
    const Stmt group = marked("async_commit_queue_scope", int32(*stage), seq(bodies));
    made.push_back(make<BlockRealize>(Array<PrimExpr>(), first.predicate, blockOf(group, known)));
  }
  return made;
}

void PipelinePart::finish(const PrimExpr& extent) {
  for (const auto& [stage, state] : states_) {
    PrimExpr& head = stages_[stage].head;
    const bool each = state.predicate && head && own.canProve(state.predicate);
    head = each ? arith::add(head, extent) : nullptr;
  }
}

}  // namespace rx::lower
