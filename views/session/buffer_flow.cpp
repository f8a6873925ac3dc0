#include "views/session/buffer_flow.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/script/print.h"
#include "views/models/numbers.h"
#include "views/session/op_kinds.h"

namespace rx::views {
namespace {

/// Operators and functions of the machine that have a role of their own; all others compute.
struct CalleeRow {
  std::string_view name;  // with a star at its end: all that begin so
  FlowRole role;
};
constexpr CalleeRow kCallees[] = {
    {"relax.builtin.alloc_tensor", FlowRole::Buffer},
    {"relax.memory.alloc_tensor", FlowRole::Buffer},
    {"relax.vm.alloc_tensor", FlowRole::Buffer},
    {"relax.memory.alloc_storage", FlowRole::Machine},
    {"relax.vm.alloc_storage", FlowRole::Machine},
    {"relax.memory.kill_*", FlowRole::Machine},
    {"relax.vm.kill_object", FlowRole::Machine},
    {"relax.null_value", FlowRole::Machine},
    {"vm.builtin.alloc_shape_heap", FlowRole::Machine},
    {"vm.builtin.match_*", FlowRole::Machine},
    {"vm.builtin.make_shape", FlowRole::Machine},
    {"vm.builtin.make_prim_value", FlowRole::Machine},
    {"vm.builtin.check_*", FlowRole::Machine},
    {"vm.builtin.null_value", FlowRole::Machine},
    {"vm.builtin.tuple_getitem", FlowRole::Names},
    {"relax.reshape", FlowRole::View},
    {"relax.memory.view", FlowRole::View},
    {"relax.memory.ensure_zero_offset", FlowRole::View},
    {"vm.builtin.reshape", FlowRole::View},
    {"vm.builtin.ensure_zero_offset", FlowRole::View},
    {"runtime.TVMTensorCreateView", FlowRole::View},
};

FlowRole roleOf(std::string_view callee) {
  for (const CalleeRow& row : kCallees) {
    const bool family = row.name.ends_with('*');
    if (family ? callee.starts_with(row.name.substr(0, row.name.size() - 1)) : callee == row.name) return row.role;
  }
  return FlowRole::Computes;
}

std::string_view calleeName(const relax::Expr& callee) {
  if (const auto* op = as<relax::Op>(callee)) return op->name.view();
  if (const auto* external = as<relax::ExternFunc>(callee)) return external->globalSymbol.view();
  return {};
}

/// Functions by which the machine calls another one: that one, and its arguments.
struct Called {
  relax::Expr function;
  std::vector<relax::Expr> args;
};

Called calledBy(const relax::Call& call) {
  const std::string_view name = calleeName(call.op);
  const bool passesOn = name == "relax.vm.call_tir_dyn" || name == "vm.builtin.call_tir_dyn" ||
                        name == "relax.call_builtin_with_ctx";
  if (!passesOn || call.args.empty()) return {call.op, call.args.vector()};
  Called called{call.args[0], {}};
  for (size_t i = 1; i < call.args.size(); ++i) {
    const auto* tuple = as<relax::Tuple>(call.args[i]);
    if (tuple) called.args.insert(called.args.end(), tuple->items.begin(), tuple->items.end());
    if (!tuple) called.args.push_back(call.args[i]);
  }
  return called;
}

void setBytes(const tir::PrimExpr& size, BindingRow* row) {
  if (const std::optional<int64_t> number = tir::asInt(size)) {
    row->byteCount = *number;
    row->bytes = bytesText(*number);
  } else {
    row->bytes = QString::fromStdString(script::printPrimExpr(size)) + QStringLiteral(" B");
  }
}

/// Bytes of a tensor whose shape is written out; null for any other.
tir::PrimExpr tensorBytes(const relax::StructInfo& info) {
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  if (!shape || tensor->dtype.isVoid()) return nullptr;
  tir::PrimExpr fixed = tir::intImm(tensor->dtype.bytes()), symbolic = tir::intImm(1);
  for (const tir::PrimExpr& dim : shape->values) {
    tir::PrimExpr& product = tir::asInt(dim) ? fixed : symbolic;
    product = arith::mul(product, dim);
  }
  return arith::mul(fixed, symbolic);
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
    const tir::PrimExpr bytes = tensorBytes(binding.var->sinfo);
    const std::optional<int64_t> number = bytes ? tir::asInt(bytes) : std::nullopt;
    if (number) row->byteCount = *number;
    // Only what allocates says its size in words: every other row would carry a text that nobody reads.
    if (bytes && row->role == FlowRole::Buffer) setBytes(bytes, row);
  }
}

void BufferFlow::describeCall(const relax::Call& call, const relax::VarBinding& binding, const Names& names,
                              BindingRow* row) {
  const Called called = calledBy(call);
  const std::string_view name = calleeName(called.function);
  row->role = roleOf(name);
  if (row->role == FlowRole::Buffer) {
    fresh_.insert(binding.var.get());
    const auto storage = called.args.empty() ? names.end() : names.find(called.args[0].get());
    if (storage != names.end() && storage->second.kind == OperandRow::Kind::Binding)
      row->storage = storage->second.index;
    return;
  }
  if (name.ends_with("alloc_storage") && !called.args.empty()) {
    const auto* size = as<relax::ShapeExpr>(called.args[0]);
    if (size && size->values.size() == 1) setBytes(size->values[0], row);
  }
  if (row->role == FlowRole::Names && called.args.size() == 2) {
    const auto* index = as<relax::PrimValue>(called.args[1]);
    const std::optional<int64_t> number = index ? tir::asInt(index->value) : std::nullopt;
    if (number) row->item = static_cast<int>(*number);
  }
  if (row->role == FlowRole::Computes) addWrites(called.function, called.args, names, row);
}

void BufferFlow::addWrites(const relax::Expr& callee, std::span<const relax::Expr> args, const Names& names,
                           BindingRow* row) {
  const auto* global = as<relax::GlobalVar>(callee);
  const auto kernel = global ? refAs<tir::PrimFunc>(module_.find(global)) : tir::PrimFuncRef();
  if (kernel) row->kind = kernelKindOf(global->name.view());
  if (kernel && ir::boolAttrOf(kernel->attrs, "tirx.is_host_func", false)) row->role = FlowRole::Machine;
  if (!kernel && !isa<relax::ExternFunc>(callee)) return;
  if (isa<relax::ExternFunc>(callee)) row->label = QString::fromStdString(std::string(calleeName(callee)));
  // The body of a kernel says what it stores into. Of all others it is known that they write into memory that nobody
  // has written yet: nothing else could be wanted of it.
  std::vector<bool> written = kernel ? stored(*kernel) : std::vector<bool>();
  const bool unknown = std::find(written.begin(), written.end(), true) == written.end();
  written.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const auto known = names.find(args[i].get());
    if (known == names.end() || known->second.kind != OperandRow::Kind::Binding) continue;
    const bool fresh = fresh_.contains(args[i].get());
    if (!written[i] && !(unknown && fresh)) continue;
    fresh_.erase(args[i].get());
    row->writes.push_back(known->second.index);
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
