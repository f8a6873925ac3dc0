// gpu.TensorCores and gpu.WarpGroups: products of matrices of 16-bit floats by the tensor cores of CUDA devices, of one
// warp or of four.
#include <fmt/format.h>

#include <variant>

#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/matmul.h"
#include "core/schedule/matrix_product.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rules.h"
#include "core/schedule/warp_groups.h"
#include "core/target/device_kinds.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// A side that is known has to be as long as that of one product.
constexpr int64_t kLeast = 16;
/// The first devices that copy to shared memory without registers.
constexpr int64_t kOldest = 80;
/// Sides that are known have to fill a good part of a tile of groups of warps.
constexpr int64_t kLeastOfGroups = 64;
constexpr std::string_view kGroupsOf = "sm_90a";

/// The kernel's only reduction in the form that MatrixProduct has.
struct Prepared {
  Schedule schedule;
  BlockRef block;
};

/// Why it is none, as text, where a side that is known is shorter than `least`, too.
Result<std::variant<Prepared, std::string>> prepared(const PrimFuncRef& kernel, int64_t least) {
  using Made = std::variant<Prepared, std::string>;
  RX_TRY(schedule, Schedule::of(kernel));
  const auto block = onlyReduction(schedule);
  if (!block) return Made("it has not one block that reduces, with data-parallel ones");
  if (!isMatmul(*schedule.get(*block))) return Made("its block is no product of two matrices");
  RX_CHECK(normalizeMatmul(schedule, *block));
  const Ref<Block> main = schedule.get(*block);
  for (const auto& axis : main->iterVars) {
    const auto extent = axis == main->iterVars[0] ? std::nullopt : asInt(axis->dom->extent);
    if (extent && *extent < least)
      return Made(fmt::format("a side of {} is less than a product of {}", *extent, least));
  }
  RX_TRY(result, cacheWrite(schedule, *block, 0, "local"));
  RX_CHECK(inlineConsumerChain(schedule, result));
  for (const auto& read : schedule.get(*block)->reads) {
    const BlockScope scope(*schedule.get(schedule.root()));
    const auto writer = scope.onlyWriter(*read->buffer);
    if (!writer) return Made("its operands are computed by several blocks");
    inlineProducers(schedule, schedule.handle(*writer->block));
  }
  return Made(Prepared{std::move(schedule), *block});
}

/// Wide tiles where there are so many of them that every unit of the device has one.
int64_t columnsFor(const Block& main, int64_t enough) {
  int64_t tiles = 1;
  for (const auto& [axis, each] : {std::pair{0, int64_t{1}}, {1, int64_t{128}}, {2, int64_t{256}}}) {
    const auto extent = asInt(main.iterVars[static_cast<size_t>(axis)]->dom->extent);
    if (!extent) return 128;
    tiles *= (*extent + each - 1) / each;
  }
  return tiles >= enough ? 256 : 128;
}

}  // namespace

Result<Outcome> gpuTensorCores(const RuleInput& input) {
  if (target::capabilityOf(input.target) < kOldest)
    return notApplied(fmt::format("not for devices before sm_{}", kOldest));
  RX_TRY(made, prepared(input.kernel, kLeast));
  if (const auto* why = std::get_if<std::string>(&made)) return notApplied(*why);
  auto& [schedule, block] = std::get<Prepared>(made);
  RX_CHECK(multiplyByTensorCores(schedule, block));
  return applied(schedule);
}

Result<Outcome> gpuWarpGroups(const RuleInput& input) {
  if (input.target.text("arch") != kGroupsOf) return notApplied(fmt::format("for devices of {} alone", kGroupsOf));
  RX_TRY(made, prepared(input.kernel, kLeastOfGroups));
  if (const auto* why = std::get_if<std::string>(&made)) return notApplied(*why);
  auto& [schedule, block] = std::get<Prepared>(made);
  const int64_t columns = columnsFor(*schedule.get(block), input.option);
  const int64_t bytes = warpGroupBytes(columns), limit = target::sharedBytesOf(input.target);
  if (bytes > limit) return notApplied(fmt::format("a tile takes {} bytes, where threads share {}", bytes, limit));
  RX_CHECK(multiplyByWarpGroups(schedule, block, columns));
  return applied(schedule);
}

}  // namespace rx::schedule
