#include "core/ir/node.h"

namespace rx {

namespace {
struct KindRow {
  std::string_view name;
  std::string_view typeKey;
};
constexpr KindRow kKinds[] = {
#define RX_NODE(space, Name, key) {#Name, key},
#include "core/ir/node_kinds.def"
};
static_assert(std::size(kKinds) == static_cast<size_t>(Kind::kCount));
}  // namespace

std::string_view kindName(Kind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view kindTypeKey(Kind kind) { return kKinds[static_cast<size_t>(kind)].typeKey; }

}  // namespace rx
