// RewriteUnsafeSelect: a select evaluates both of its values; where one of them may fault, it becomes an if_then_else.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

bool mayFault(const Node* root);

/// What of a call is evaluated in any case, appended to `open`; false where the call itself may fault.
bool openCall(const tir::Call& call, std::vector<const Node*>& open) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (!row) return false;
  if (row->name == "if_then_else") {
    open.push_back(call.args[0].get());
    return true;
  }
  if (const auto* load = row->name == "address_of" ? as<BufferLoad>(call.args[0]) : nullptr) {
    for (const PrimExpr& index : load->indices) open.push_back(index.get());
    return true;
  }
  if (row->effect != op::TirEffect::Pure) return false;
  for (const PrimExpr& arg : call.args) open.push_back(arg.get());
  return true;
}

/// Loads and calls with an effect may fault. Choices are guarded already, apart from their conditions.
bool mayFault(const Node* root) {
  std::vector<const Node*> open{root};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!node) continue;
    if (isa<BufferLoad>(node)) return true;
    if (const auto* call = as<tir::Call>(node)) {
      if (!openCall(*call, open)) return true;
    } else if (const auto* select = as<Select>(node)) {
      open.push_back(select->condition.get());
    } else if (const auto* ramp = as<Ramp>(node)) {
      if (mayFault(ramp->base.get()) && mayFault(ramp->stride.get())) return true;
    } else if (const auto* shuffle = as<Shuffle>(node)) {
      for (const PrimExpr& vector : shuffle->vectors) open.push_back(vector.get());
    } else {
      appendChildren(*node, Into::Parts, open);
    }
  }
  return false;
}

class Guard : public Rewriter {
 protected:
  NodeRef leave(const NodeRef& node) override {
    const auto* select = as<Select>(node);
    if (!select || select->condition->dtype != DataType::Bool()) return nullptr;
    if (!mayFault(select->trueValue.get()) && !mayFault(select->falseValue.get())) return nullptr;
    return intrinsic(select->dtype, "if_then_else", {select->condition, select->trueValue, select->falseValue});
  }
};

}  // namespace

Result<PrimFuncRef> rewriteUnsafeSelect(const PrimFuncRef& func, Scope&) {
  return withBody(func, Guard().rewrite(func->body));
}

}  // namespace rx::lower
