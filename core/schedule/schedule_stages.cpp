// schedule_stages: the stages of a kernel by rules for processors. TVM has no such primitive: its own would be applied
// by the hundred for what a rule writes at once.
#include "core/schedule/schedule_stages.h"

#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/kernel_scheduler.h"
#include "core/schedule/primitives.h"
#include "core/script/print.h"

namespace rx::schedule {

namespace {

constexpr std::string_view kName = "schedule_stages";
constexpr std::string_view kBits = "bits", kRegisters = "registers", kFused = "fused", kInOrder = "in_order",
                           kSumThreads = "sum_threads", kByteDots = "byte_dots", kHalfDots = "half_dots",
                           kByteTiles = "byte_tiles", kHalfTiles = "half_tiles";
constexpr std::string_view kCaches[] = {"first_cache", "second_cache"};
/// Which of the arguments the choices are.
constexpr size_t kChoicesAt = 3;
constexpr int64_t kWidest = int64_t{1} << 16, kMostRegisters = 1024, kMostCache = int64_t{1} << 32;

Result<VectorShape> vectorsOf(const NodeRef& value) {
  const auto entries = refAs<ir::DictAttrs>(value);
  VectorShape vectors;
  vectors.bits = ir::intAttrOf(entries, kBits, 0);
  vectors.registers = ir::intAttrOf(entries, kRegisters, 0);
  vectors.fused = ir::boolAttrOf(entries, kFused, true);
  vectors.inOrder = ir::boolAttrOf(entries, kInOrder, false);
  vectors.byteDots = ir::boolAttrOf(entries, kByteDots, false);
  vectors.halfDots = ir::boolAttrOf(entries, kHalfDots, false);
  vectors.byteTiles = ir::boolAttrOf(entries, kByteTiles, false);
  vectors.halfTiles = ir::boolAttrOf(entries, kHalfTiles, false);
  vectors.sumThreads = ir::intAttrOf(entries, kSumThreads, 1);
  bool cachesFit = true;
  for (size_t i = 0; i < std::size(kCaches); ++i) {
    int64_t& bytes = vectors.cacheBytes[i];
    bytes = ir::intAttrOf(entries, kCaches[i], bytes);
    cachesFit = cachesFit && bytes > 0 && bytes <= kMostCache;
  }
  const bool fits = cachesFit && vectors.bits >= 8 && vectors.bits <= kWidest && vectors.registers >= 4 &&
                    vectors.registers <= kMostRegisters && vectors.sumThreads >= 1 &&
                    vectors.sumThreads <= kMostSumThreads;
  if (!fits) return refuse(kName, "vectors", "it is {\"bits\": number, \"registers\": number from 4 on}");
  return vectors;
}

}  // namespace

NodeRef namesOf(const HostRules& rules) {
  std::vector<NodeRef> names;
  for (const HostRuleRow* rule : rules) names.push_back(ir::strAttr(Str(rule->name)));
  return ir::arrayAttr(Array<NodeRef>(std::move(names)));
}

NodeRef asAttribute(const VectorShape& vectors) {
  std::vector<std::pair<Str, NodeRef>> entries{{Str(kBits), ir::intAttr(vectors.bits)},
                                               {Str(kRegisters), ir::intAttr(vectors.registers)},
                                               {Str(kFused), ir::boolAttr(vectors.fused)},
                                               {Str(kInOrder), ir::boolAttr(vectors.inOrder)}};
  if (vectors.sumThreads > 1) entries.emplace_back(Str(kSumThreads), ir::intAttr(vectors.sumThreads));
  if (vectors.byteDots) entries.emplace_back(Str(kByteDots), ir::boolAttr(true));
  if (vectors.halfDots) entries.emplace_back(Str(kHalfDots), ir::boolAttr(true));
  if (vectors.byteTiles) entries.emplace_back(Str(kByteTiles), ir::boolAttr(true));
  if (vectors.halfTiles) entries.emplace_back(Str(kHalfTiles), ir::boolAttr(true));
  for (size_t i = 0; i < std::size(kCaches); ++i) {
    if (vectors.cacheBytes[i] != VectorShape::kUsualCaches[i])
      entries.emplace_back(Str(kCaches[i]), ir::intAttr(vectors.cacheBytes[i]));
  }
  return make<ir::DictAttrs>(std::move(entries));
}

Result<Unit> bare::scheduleStages(Schedule& schedule, BlockRef block, NodeRef rules, NodeRef vectors, NodeRef choices) {
  if (block != schedule.root()) return refuse(kName, schedule.name(block), "it is not the block of the kernel itself");
  auto rows = hostRulesOf(rules);
  if (!rows) return refuse(kName, "rules", rows.diagnostics().front().message);
  RX_TRY(shape, vectorsOf(vectors));
  const auto chosen = choicesOf(choices);
  if (!chosen) return refuse(kName, "choices", chosen.diagnostics().front().message);
  shape.choices = *chosen;
  const tir::PrimFuncRef before = schedule.function();
  KernelScheduler scheduler(before, *rows, shape);
  const tir::PrimFuncRef made = scheduler.run();
  schedule.leave(scheduler.why());
  if (!made) return refuse(kName, schedule.name(block), "no rule takes any of its stages: " + scheduler.why());
  schedule.commit(made->body);
  schedule.say(kScheduled, ir::boolAttr(true));
  schedule.settle(kChoicesAt, NodeRef(asAttribute(shape.choices, scheduler.used())));
  std::vector<NodeRef> said;
  const ir::Attrs chosenNumbers = asAttribute(shape.choices);
  const std::string tuned =
      chosenNumbers->size() > 0 ? fmt::format(", tuned {}", script::printNode(*chosenNumbers)) : std::string();
  for (const std::string& each : scheduler.made()) said.push_back(ir::strAttr(Str(each + tuned)));
  if (!said.empty()) schedule.say(kRules, ir::arrayAttr(Array<NodeRef>(std::move(said))));
  return Unit{};
}

}  // namespace rx::schedule
