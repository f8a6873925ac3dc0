#include "core/ir/written_params.h"

#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::tir {

namespace {

/// An element among the arguments of any other call is its value.
bool takesAddress(const Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op && op->name.view().ends_with(".address_of");
}

/// The pointer variables through which the body may write: stored to, or handed to a call.
std::unordered_set<const Node*> writtenPointers(const PrimFunc& function) {
  std::unordered_set<const Node*> written;
  std::vector<std::pair<const Node*, const Node*>> views;  // a view's pointer, its source's
  walk(*function.body, Into::Parts, [&](const Node& node) {
    if (const auto* store = as<BufferStore>(&node)) written.insert(store->buffer->data.get());
    if (const auto* match = as<MatchBufferRegion>(&node)) {
      views.emplace_back(match->buffer->data.get(), match->source->buffer->data.get());
    }
    if (const auto* call = as<Call>(&node)) {
      for (const PrimExpr& arg : call->args) {
        if (isa<Var>(arg)) written.insert(arg.get());
        const auto* load = as<BufferLoad>(arg);
        if (load && takesAddress(*call)) written.insert(load->buffer->data.get());
      }
    }
    if (const auto* bind = as<Bind>(&node); bind && isa<Var>(bind->value)) {
      views.emplace_back(bind->var.get(), bind->value.get());
    }
    return true;
  });
  // Views of views were met in order of definition, so one pass from the last to the first is enough.
  for (size_t i = views.size(); i-- > 0;) {
    if (written.count(views[i].first)) written.insert(views[i].second);
  }
  return written;
}

}  // namespace

std::vector<bool> writtenParams(const PrimFunc& function) {
  const auto pointers = writtenPointers(function);
  std::vector<bool> written;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const Node* pointer = function.buffers[i] ? function.buffers[i]->data.get() : function.params[i].get();
    written.push_back(pointers.contains(pointer));
  }
  return written;
}

}  // namespace rx::tir
