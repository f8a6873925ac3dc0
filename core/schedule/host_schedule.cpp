#include "core/schedule/host_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/contraction.h"
#include "core/schedule/kernel_blocks.h"
#include "core/schedule/primitives.h"
#include "core/schedule/schedule_stages.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Places of a block: those of the axes whose size is known, and the sizes of the others.
struct Places {
  int64_t known = 1;
  std::vector<PrimExpr> unknown;
};

Places placesOf(const BlockInfo& info) {
  Places places;
  for (const AxisInfo& axis : info.axes) {
    const auto known = asInt(axis.extent);
    if (!known) places.unknown.push_back(axis.extent);
    if (__builtin_mul_overflow(places.known, known.value_or(1), &places.known))
      places.known = std::numeric_limits<int64_t>::max();
  }
  return places;
}

/// Whether these are no more than those, whatever sizes are that only a run knows.
bool areNoMore(const Places& these, Places those) {
  for (const PrimExpr& size : these.unknown) {
    const auto same =
        std::ranges::find_if(those.unknown, [&](const auto& other) { return arith::sameExpr(size, other); });
    if (same == those.unknown.end()) return false;
    those.unknown.erase(same);
  }
  return these.known <= those.known;
}

/// Whether the block does no more than to hold what another buffer has at the same places, as padding by nothing does.
bool isCopy(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  const auto* load = store && !store->predicate ? as<BufferLoad>(store->value) : nullptr;
  return load && !load->predicate && load->buffer->dtype == store->buffer->dtype &&
         arith::sameExprs(load->indices, store->indices);
}

/// Whether the block may go into those that read what it makes: it computes nothing, or they reduce nothing and have no
/// more places than it has, so that nothing is computed again and again.
bool mayInline(Schedule& schedule, const BlockInfo& info, const std::vector<BlockInfo>& all) {
  if (!info.isInjective()) return false;
  const BlockScope scope(*schedule.get(schedule.root()));
  const auto readers = scope.consumers(*schedule.get(info.block));
  if (!readers.empty() && isCopy(*schedule.get(info.block))) return true;
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
    return std::any_of(all.begin(), all.end(), [&](const BlockInfo& other) {
      return other.isInjective() && schedule.has(other.block) && schedule.get(other.block) == reader->block &&
             areNoMore(placesOf(other), placesOf(info));
    });
  });
}

/// Whether a loop runs as often as another one says, as windows that are not alike do.
bool hasDependentLoops(const PrimFuncRef& function) {
  std::vector<const For*> loops;
  walk(*function->body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<For>(&node)) loops.push_back(loop);
    return !isa<ExprNode>(&node);
  });
  return std::any_of(loops.begin(), loops.end(), [&](const For* loop) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const For* other) { return lower::uses(loop->extent, other->loopVar.get()); });
  });
}

/// Inlines blocks that reduce nothing into one another.
void inlineBlocks(Schedule& schedule, const std::vector<BlockInfo>& blocks) {
  for (const BlockInfo& info : blocks) {
    if (mayInline(schedule, info, blocks)) (void)computeInline(schedule, info.block);
  }
}

/// Bytes of all of a buffer; nothing where its size is not known.
std::optional<int64_t> bytesOf(const Buffer& buffer) {
  int64_t bytes = buffer.dtype.bytes();
  for (const PrimExpr& extent : buffer.shape) {
    const auto known = asInt(extent);
    if (!known || __builtin_mul_overflow(bytes, *known, &bytes)) return std::nullopt;
  }
  return bytes;
}

/// Whether the block makes a buffer of others that have at most half its bytes together, and asks nothing: a condition,
/// as padding has one, would be asked in each product.
bool unpacks(const Block& block) {
  bool asks = false;
  walk(*block.body, Into::Parts, [&](const Node& node) {
    asks = asks || isa<Select>(&node) || lower::asCallOf(NodeRef(&node), "if_then_else");
    return !asks && !isa<Buffer>(&node);
  });
  if (asks) return false;
  int64_t read = 0;
  for (const auto& region : block.reads) {
    const auto bytes = bytesOf(*region->buffer);
    if (!bytes || __builtin_add_overflow(read, *bytes, &read)) return false;
  }
  const auto written = block.writes.size() == 1 ? bytesOf(*block.writes[0]->buffer) : std::nullopt;
  return written && read <= *written / 2;
}

/// Inlines blocks that unpack what only sums of products read: these compute each number where it is used, or once for
/// a panel, and less memory is read.
void inlineUnpacking(Schedule& schedule, const std::vector<BlockInfo>& blocks) {
  const auto addsProducts = [&](const Ref<BlockRealize>& reader) {
    for (const Stmt& statement : statementsOf(schedule.get(schedule.root())->body)) {
      const auto below = blocksBelow(statement);
      if (below.size() != 1 || below.front()->block != reader->block) continue;
      const auto stage = stageOf(statement);
      return stage && findContraction(*stage).found;
    }
    return false;
  };
  for (const BlockInfo& info : blocks) {
    if (!info.isInjective() || !schedule.has(info.block)) continue;
    const auto block = schedule.get(info.block);
    const auto readers = BlockScope(*schedule.get(schedule.root())).consumers(*block);
    if (readers.size() == 1 && unpacks(*block) && addsProducts(readers.front()))
      (void)computeInline(schedule, info.block);
  }
}

}  // namespace

Result<HostRules> hostRulesOf(const NodeRef& names) {
  const auto* list = as<ir::ArrayAttr>(names);
  if (!list) return fail("pass.option-value", "rules is a list of names");
  HostRules rules;
  for (const NodeRef& item : list->items) {
    const auto* name = as<ir::StrAttr>(item);
    const HostRuleRow* row = name ? findHostRule(name->value.view()) : nullptr;
    if (!row) {
      std::string known;
      for (const HostRuleRow& other : hostRuleRows())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
      return fail("pass.option-value", fmt::format("there is no rule '{}'; there are {}",
                                                   name ? name->value.view() : std::string_view(), known));
    }
    rules.push_back(row);
  }
  return rules;
}

Result<Outcome> hostSchedule(const PrimFuncRef& kernel, const HostRules& rules, const VectorShape& vectors) {
  RX_TRY(schedule, Schedule::of(kernel));
  if (!hasDependentLoops(schedule.function())) {
    if (const auto blocks = normalizedBlocks(schedule)) {
      inlineBlocks(schedule, *blocks);
      inlineUnpacking(schedule, *blocks);
    }
  }
  auto made =
      scheduleStages(schedule, schedule.root(), namesOf(rules), asAttribute(vectors), asAttribute(vectors.choices));
  if (!made) return notApplied(schedule.left());
  Outcome outcome = applied(schedule);
  outcome.why = schedule.left();
  return outcome;
}

}  // namespace rx::schedule
