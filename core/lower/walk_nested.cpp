#include "core/lower/walk_nested.h"

#include <algorithm>
#include <vector>

#include "core/ir/node_fields.h"

namespace rx::lower {

void walkNested(const Node& root, const std::function<bool(const Node&)>& enter,
                const std::function<void(const Node&)>& leave) {
  struct Step {
    const Node* node;
    bool done;
  };
  std::vector<Step> open;
  open.reserve(64);
  open.push_back({&root, false});
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (step.done) {
      leave(*step.node);
      continue;
    }
    if (!step.node || isa<tir::Buffer>(step.node)) continue;
    if (!enter(*step.node)) {
      leave(*step.node);
      continue;
    }
    open.push_back({step.node, true});
    const auto first = static_cast<std::ptrdiff_t>(open.size());
    eachChild(*step.node, Into::Parts, [&](const NodeRef& child) { open.push_back({child.get(), false}); });
    std::reverse(open.begin() + first, open.end());
  }
}

}  // namespace rx::lower
