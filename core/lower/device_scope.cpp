#include "core/lower/device_scope.h"

#include <algorithm>

#include "core/ir/stmt.h"

namespace rx::lower {

namespace {
constexpr std::string_view kKeys[] = {"thread_extent", "virtual_thread", "tirx.device_entry"};
}

bool isDeviceScope(const Node& node) {
  if (const auto* loop = as<tir::For>(&node)) return loop->forKind == tir::ForKind::ThreadBinding;
  const auto* attribute = as<tir::AttrStmt>(&node);
  return attribute && std::find(std::begin(kKeys), std::end(kKeys), attribute->key.view()) != std::end(kKeys);
}

}  // namespace rx::lower
