// LiftThreadBinding: loops over a thread axis move out to the innermost place around all loops over that axis.
#include <algorithm>
#include <map>
#include <string>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/pass_functions.h"
#include "core/lower/substituter.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// One axis of a kernel.
struct Axis {
  Ref<For> first;                 ///< the first of its loops to end
  VarRef var;                     ///< of the loop that takes their place
  std::vector<const For*> place;  ///< the loops around that place, itself the last
  ir::Attrs annotations;          ///< of all its loops, later ones over earlier ones
};

/// The axes of a kernel by their tags.
class AxisFinder {
 public:
  std::map<std::string, Axis, std::less<>> axes;
  arith::VarMap values;

  void find(const Node& node) {
    withStack([&] {
      const auto* loop = as<For>(&node);
      if (loop) open_.push_back(loop);
      std::vector<const Node*> children;
      appendChildren(node, Into::Parts, children);
      for (const Node* child : children) {
        if (isa<StmtNode>(child)) find(*child);
      }
      if (!loop) return;
      if (loop->forKind == ForKind::ThreadBinding) add(*loop);
      open_.pop_back();
    });
  }

 private:
  void add(const For& loop) {
    const Str& tag = loop.threadBinding->threadTag;
    Axis& axis = axes[tag.string()];
    for (size_t i = 0; loop.annotations && i < loop.annotations->size(); ++i) {
      axis.annotations = ir::withAttr(axis.annotations, loop.annotations->keys[i], loop.annotations->values[i]);
    }
    if (!axis.first) {
      axis.first = Ref<For>(&loop);
      axis.var = make<Var>(tag, loop.loopVar->dtype);
      axis.place = open_;
    } else {
      auto [end, other] = std::mismatch(axis.place.begin(), axis.place.end(), open_.begin(), open_.end());
      axis.place.erase(end, axis.place.end());
    }
    // Loops of one axis may count in different types.
    values[loop.loopVar.get()] = arith::cast(loop.loopVar->dtype, axis.var);
  }

  std::vector<const For*> open_;
};

class Lifter : public Substituter {
 protected:
  Stmt visit(const Stmt& statement) override {
    auto loop = refAs<For>(statement);
    if (!loop) return parts(statement);
    const bool bound = loop->forKind == ForKind::ThreadBinding, root = bound && lifted_.empty();
    if (root) enterKernel(*loop);
    // Of a bound loop nothing stays but its body.
    Stmt made = bound ? nullptr : parts(statement);
    Stmt body = bound ? rewrite(loop->body) : as<For>(made)->body;
    auto here = lifted_.find(loop.get());
    if (here != lifted_.end()) {
      for (const Axis& axis : here->second) body = looped(axis, body);
    }
    if (root) {
      lifted_.clear();
      values.clear();
    }
    if (bound) return body;
    if (here == lifted_.end()) return made;
    auto* copy = new For(*as<For>(made));
    copy->body = std::move(body);
    return Stmt(copy);
  }

 private:
  /// Longer names are inner axes (threadIdx in vthread in blockIdx), then x in y in z.
  void enterKernel(const For& root) {
    AxisFinder finder;
    finder.find(root);
    std::vector<const std::string*> tags;
    for (const auto& [tag, axis] : finder.axes) tags.push_back(&tag);
    std::sort(tags.begin(), tags.end(), [](const std::string* a, const std::string* b) {
      return a->size() != b->size() ? a->size() > b->size() : *a < *b;
    });
    for (const std::string* tag : tags) {
      const Axis& axis = finder.axes[*tag];
      lifted_[axis.place.back()].push_back(axis);
    }
    values = std::move(finder.values);
  }

  static Stmt looped(const Axis& axis, Stmt body) {
    const Str& tag = axis.first->threadBinding->threadTag;
    auto thread = make<IterVar>(Ref<Range>(), make<Var>(tag, axis.var->dtype), IterType::ThreadIndex, tag);
    return make<For>(axis.var, axis.first->min, axis.first->extent, ForKind::ThreadBinding, std::move(body), thread,
                     axis.annotations);
  }

  std::unordered_map<const Node*, std::vector<Axis>>
      lifted_;  ///< by the loop whose body they go around, inner ones first
};

}  // namespace

Result<PrimFuncRef> liftThreadBinding(const PrimFuncRef& func, Scope&) {
  return withBody(func, Lifter().rewrite(func->body));
}

}  // namespace rx::lower
