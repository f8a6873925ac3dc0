#include "views/session/buffer_flow.h"

#include <algorithm>

#include "core/ir/reflect.h"
#include "views/session/op_kinds.h"

namespace rx::views {
namespace {

FlowRole flowRoleOf(analysis::CalleeRole role) {
  switch (role) {
    case analysis::CalleeRole::Computes:
      return FlowRole::Computes;
    case analysis::CalleeRole::Buffer:
      return FlowRole::Buffer;
    case analysis::CalleeRole::Names:
      return FlowRole::Names;
    case analysis::CalleeRole::View:
      return FlowRole::View;
    case analysis::CalleeRole::Machine:
      return FlowRole::Machine;
  }
  return FlowRole::Computes;
}

}  // namespace

void BufferFlow::describe(const relax::VarBinding& binding, const Names& names, BindingRow* row) {
  const relax::Expr& value = binding.value;
  if (const auto* call = as<relax::Call>(value)) describeCall(*call, binding, names, row);
  if (isa<relax::Var>(value)) row->role = FlowRole::Names;
  if (isa<relax::Tuple>(value)) row->role = FlowRole::Tuple;
  if (isa<relax::ShapeExpr>(value) || isa<relax::PrimValue>(value)) row->role = FlowRole::Machine;
  if (const auto* item = as<relax::TupleGetItem>(value)) {
    row->role = FlowRole::Names;
    row->item = static_cast<int>(item->index);
  }
  if (row->role == FlowRole::Machine || row->role == FlowRole::Buffer) row->kind = OpKind::Memory;
  if (row->role == FlowRole::Buffer || row->role == FlowRole::Computes) {
    const RowTexts::Size& size = texts_.sizeOf(binding.var->sinfo);
    row->byteCount = size.count;
    // Only what allocates says its size in words: every other row would carry a text that nobody reads.
    if (row->role == FlowRole::Buffer) row->bytes = size.text;
  }
}

void BufferFlow::describeCall(const relax::Call& call, const relax::VarBinding& binding, const Names& names,
                              BindingRow* row) {
  const analysis::Called called = analysis::calledBy(call);
  row->role = flowRoleOf(called.role);
  if (row->role == FlowRole::Buffer) {
    fresh_.insert(binding.var.get());
    const RowPlace* storage = called.args.empty() ? nullptr : names.find(called.args[0].get());
    if (storage && storage->kind == OperandRow::Kind::Binding) row->storage = storage->index;
    return;
  }
  if (called.name.ends_with("alloc_storage") && !called.args.empty()) {
    const auto* size = as<relax::ShapeExpr>(called.args[0]);
    if (size && size->values.size() == 1) {
      const RowTexts::Size bytes = RowTexts::sizeOf(size->values[0]);
      row->byteCount = bytes.count;
      row->bytes = bytes.text;
    }
  }
  if (row->role == FlowRole::Names && called.args.size() == 2) {
    const auto* index = as<relax::PrimValue>(called.args[1]);
    const std::optional<int64_t> number = index ? tir::asInt(index->value) : std::nullopt;
    if (number) row->item = static_cast<int>(*number);
  }
  if (row->role == FlowRole::Computes) addWrites(called, names, row);
}

void BufferFlow::addWrites(const analysis::Called& called, const Names& names, BindingRow* row) {
  const auto* global = as<relax::GlobalVar>(called.function);
  const auto kernel = global ? refAs<tir::PrimFunc>(module_.find(global)) : tir::PrimFuncRef();
  if (kernel) row->kind = kernelKindOf(global->name.view());
  if (kernel && ir::boolAttrOf(kernel->attrs, "tirx.is_host_func", false)) row->role = FlowRole::Machine;
  const bool external = isa<relax::ExternFunc>(called.function);
  if (!kernel && !external) return;
  if (external) row->label = QString::fromStdString(std::string(called.name));
  // By whatever the machine passes its arguments on, what computes is the kernel.
  if (kernel && row->op.isEmpty()) row->label = row->callee = texts_.of(global->name);
  // The body of a kernel says what it stores into. Of all others it is known that they write into memory that nobody
  // has written yet: nothing else could be wanted of it.
  std::vector<bool> written = kernel ? stored(*kernel) : std::vector<bool>();
  const bool unknown = std::find(written.begin(), written.end(), true) == written.end();
  written.resize(called.args.size());
  for (size_t i = 0; i < called.args.size(); ++i) {
    const relax::Expr& arg = called.args[i];
    const RowPlace* known = names.find(arg.get());
    if (!known || known->kind != OperandRow::Kind::Binding) continue;
    const bool fresh = fresh_.contains(arg.get());
    if (!written[i] && !(unknown && fresh)) continue;
    fresh_.erase(arg.get());
    row->writes.push_back(known->index);
  }
}

const std::vector<bool>& BufferFlow::stored(const tir::PrimFunc& function) {
  const auto [at, isNew] = stored_.try_emplace(&function);
  if (!isNew) return at->second;
  std::unordered_map<const Node*, size_t> params;
  for (size_t i = 0; i < function.buffers.size(); ++i)
    if (function.buffers[i]) params[function.buffers[i]->data.get()] = i;
  std::vector<bool>& flags = at->second;
  flags.resize(function.params.size());
  walk(*function.body, Into::Parts, [&](const Node& node) {
    if (const auto* store = as<tir::BufferStore>(&node)) {
      const auto param = params.find(store->buffer->data.get());
      if (param != params.end()) flags[param->second] = true;
    }
    return true;
  });
  return flags;
}

}  // namespace rx::views
