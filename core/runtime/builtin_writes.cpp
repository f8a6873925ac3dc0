#include "core/runtime/builtin_writes.h"

#include "core/runtime/registry.h"

namespace rx::vm {

std::optional<uint64_t> builtinWrites(std::string_view name) {
  for (const auto table : {shapeBuiltins, memoryBuiltins, dataBuiltins, programBuiltins, sortBuiltins, objectBuiltins})
    for (const BuiltinRow& row : table())
      if (row.name == name && row.forwardsTo < 0) return row.writes;
  return std::nullopt;
}

}  // namespace rx::vm
