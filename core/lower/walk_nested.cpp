#include "core/lower/walk_nested.h"

#include <vector>

#include "core/ir/prim_expr.h"
#include "core/ir/reflect.h"

namespace rx::lower {

void walkNested(const Node& root, const std::function<bool(const Node&)>& enter,
                const std::function<void(const Node&)>& leave) {
  struct Step {
    const Node* node;
    bool done;
  };
  std::vector<Step> open{{&root, false}};
  std::vector<const Node*> children;
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (step.done) {
      leave(*step.node);
      continue;
    }
    if (!step.node || isa<tir::Buffer>(step.node)) continue;
    open.push_back({step.node, true});
    if (!enter(*step.node)) continue;
    children.clear();
    appendChildren(*step.node, Into::Parts, children);
    for (size_t i = children.size(); i-- > 0;) open.push_back({children[i], false});
  }
}

}  // namespace rx::lower
