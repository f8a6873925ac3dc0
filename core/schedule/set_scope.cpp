// set_scope: a buffer moves to another memory.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

Result<Unit> bare::setScope(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scope) {
  constexpr std::string_view kName = "set_scope";
  RX_TRY(path, blockPath(schedule, kName, block));
  const Block& found = *cast<BlockRealize>(path.back())->block;
  const std::string_view name = schedule.name(block);
  if (bufferIndex >= found.writes.size()) return refuse(kName, name, "it writes no buffer of that number");
  RX_CHECK(checkMemory(kName, name, scope));
  const BufferRef buffer = found.writes[bufferIndex]->buffer;
  if (buffer->scope() == scope) return Unit{};
  const Ref<Block> owner = allocatorIn(path, buffer);
  if (!owner) return refuse(kName, name, "the buffer is not the kernel's own");
  if (hasOpaqueAccess(owner, *buffer)) return refuse(kName, name, "the buffer is used as a whole");
  schedule.replace(owner, withBuffer(owner, buffer, inScope(*buffer, scope)));
  return Unit{};
}

}  // namespace rx::schedule
