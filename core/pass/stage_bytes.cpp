#include "core/pass/stage_bytes.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/pointer_map.h"

namespace rx::pass {

namespace {

/// Calls `each` for every function of a module that the other holds otherwise, or not.
template <class F>
void differing(const ir::IRModule& module, const ir::IRModule& other, const F& each) {
  for (size_t i = 0; i < module.size(); ++i) {
    if (other.find(module.vars[i]->name) != module.functions[i]) each(*module.functions[i]);
  }
}

int64_t bytesOf(const Node& node) {
  const size_t own = withNodeType(node.kind(), []<class T>() { return sizeof(T); });
  std::vector<const Node*> children;
  appendChildren(node, Into::All, children);
  return static_cast<int64_t>(own + children.size() * sizeof(Node*));
}

}  // namespace

int64_t bytesAdded(const ir::Module& before, const ir::Module& after) {
  PointerMap<void, bool> seen;
  const auto isNew = [&seen](const void* thing) {
    const bool fresh = !seen.find(thing);
    if (fresh) seen.set(thing, true);
    return fresh;
  };
  int64_t bytes = 0;
  bool counts = false;
  auto visit = [&](const Node& node) {
    if (!isNew(&node)) return false;
    if (counts) bytes += bytesOf(node);
    const auto* constant = as<relax::Constant>(&node);
    if (constant && constant->data && isNew(constant->data.get()) && counts) bytes += constant->data->bytes();
    return true;
  };
  differing(*before, *after, [&](const Node& function) { walk(function, Into::All, visit); });
  counts = true;
  differing(*after, *before, [&](const Node& function) { walk(function, Into::All, visit); });
  return bytes;
}

}  // namespace rx::pass
