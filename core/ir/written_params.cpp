#include "core/ir/written_params.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/tile_products.h"

namespace rx::tir {

namespace {

/// The intrinsic makes a pointer of its arguments, or writes nothing through them.
bool writesNothing(const Call& call) {
  constexpr std::string_view kNames[] = {".address_of", ".tvm_access_ptr",       ".if_then_else",        ".isnullptr",
                                         ".prefetch",   ".tvm_stack_make_array", ".tvm_stack_make_shape"};
  const auto* op = as<relax::Op>(call.op);
  return op && std::ranges::any_of(kNames, [&](std::string_view name) { return op->name.view().ends_with(name); });
}

/// The pointer variables that a pointer may come from.
std::vector<const Node*> sourcesOf(const PrimExpr& pointer) {
  std::vector<const Node*> sources;
  walk(*pointer, Into::Parts, [&](const Node& node) {
    if (const auto* var = as<Var>(&node); var && var->dtype.isHandle()) sources.push_back(var);
    if (const auto* load = as<BufferLoad>(&node)) sources.push_back(load->buffer->data.get());
    return true;
  });
  return sources;
}

/// Which arguments of a call, by bits, may be written through.
class CallWrites {
 public:
  CallWrites(const Call& call, PackedWrites writes) : tiles_(tileProductsOf(call).has_value()) {
    const auto* op = as<relax::Op>(call.op);
    const auto* name = call.args.empty() ? nullptr : as<StringImm>(call.args[0]);
    if (op && name && op->name.view().ends_with("call_packed")) packed_ = writes(name->value.view());
  }
  bool mayWrite(size_t argument) const {
    if (tiles_) return argument == TileProducts::kSums;
    // The first argument is the name.
    return !packed_ || (argument > 0 && argument <= 64 && ((*packed_ >> (argument - 1)) & 1) != 0);
  }

 private:
  bool tiles_;
  std::optional<uint64_t> packed_;
};

/// The pointer variables through which the body may write: stored to, or handed to a call.
std::unordered_set<const Node*> writtenPointers(const PrimFunc& function, PackedWrites writes) {
  std::unordered_set<const Node*> written;
  std::vector<std::pair<const Node*, const Node*>> views;  // a view's pointer, its source's
  const auto define = [&](const VarRef& var, const PrimExpr& value) {
    if (!var->dtype.isHandle()) return;
    for (const Node* source : sourcesOf(value)) views.emplace_back(var.get(), source);
  };
  walk(*function.body, Into::Parts, [&](const Node& node) {
    if (const auto* store = as<BufferStore>(&node)) written.insert(store->buffer->data.get());
    if (const auto* match = as<MatchBufferRegion>(&node)) {
      views.emplace_back(match->buffer->data.get(), match->source->buffer->data.get());
    }
    if (const auto* bind = as<Bind>(&node)) define(bind->var, bind->value);
    if (const auto* let = as<Let>(&node)) define(let->var, let->value);
    const auto* call = as<Call>(&node);
    if (!call || writesNothing(*call)) return true;
    const CallWrites through(*call, writes);
    for (size_t i = 0; i < call->args.size(); ++i) {
      if (!call->args[i]->dtype.isHandle() || !through.mayWrite(i)) continue;
      const auto sources = sourcesOf(call->args[i]);
      written.insert(sources.begin(), sources.end());
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

std::vector<bool> writtenParams(const PrimFunc& function, PackedWrites writes) {
  const auto pointers = writtenPointers(function, writes);
  std::vector<bool> written;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const BufferRef& buffer = function.buffers[i];
    written.push_back(pointers.contains(function.params[i].get()) || (buffer && pointers.contains(buffer->data.get())));
  }
  return written;
}

}  // namespace rx::tir
