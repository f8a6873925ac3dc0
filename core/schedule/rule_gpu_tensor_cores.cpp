// gpu.TensorCores: a product of float16 matrices by the tensor cores of CUDA devices.
#include <fmt/format.h>

#include <charconv>

#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/matmul.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// A side that is known has to be as long as that of one product.
constexpr int64_t kLeast = 16;
/// The first devices that copy to shared memory without registers.
constexpr int64_t kOldest = 80;

int64_t architectureOf(const target::Target& target) {
  const std::string_view arch = target.text("arch");
  int64_t number = 0;
  if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  return number;
}

}  // namespace

Result<Outcome> gpuTensorCores(const RuleInput& input) {
  if (architectureOf(input.target) < kOldest) return notApplied(fmt::format("not for devices before sm_{}", kOldest));
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto block = onlyReduction(schedule);
  if (!block) return notApplied("it has not one block that reduces, with data-parallel ones");
  if (!isMatmul(*schedule.get(*block))) return notApplied("its block is no product of two matrices");
  RX_CHECK(normalizeMatmul(schedule, *block));
  const Ref<Block> main = schedule.get(*block);
  for (const auto& axis : main->iterVars) {
    const auto extent = axis == main->iterVars[0] ? std::nullopt : asInt(axis->dom->extent);
    if (extent && *extent < kLeast)
      return notApplied(fmt::format("a side of {} is less than a product of {}", *extent, kLeast));
  }
  RX_TRY(result, cacheWrite(schedule, *block, 0, "local"));
  RX_CHECK(inlineConsumerChain(schedule, result));
  for (const auto& read : schedule.get(*block)->reads) {
    const BlockScope scope(*schedule.get(schedule.root()));
    const auto writer = scope.onlyWriter(*read->buffer);
    if (!writer) return notApplied("its operands are computed by several blocks");
    inlineProducers(schedule, schedule.handle(*writer->block));
  }
  RX_CHECK(multiplyByTensorCores(schedule, *block));
  return applied(schedule);
}

}  // namespace rx::schedule
