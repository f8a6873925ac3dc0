#include "core/analysis/purity.h"

#include <unordered_set>

#include "core/build/deduce.h"
#include "core/ir/reflect.h"
#include "core/op/op_table.h"

namespace rx::analysis {

namespace {

/// Intrinsics that only compute: everything else that writes, calls out or synchronises is an effect.
constexpr std::string_view kEffects[] = {"tvm_call_packed",
                                         "call_packed",
                                         "tvm_call_cpacked",
                                         "call_cpacked",
                                         "call_extern",
                                         "tvm_storage_sync",
                                         "tvm_call_packed_lowered",
                                         "call_packed_lowered",
                                         "call_cpacked_lowered",
                                         "call_llvm_intrin",
                                         "tvm_struct_set",
                                         "tvm_throw_last_error",
                                         "anylist_setitem_call_packed",
                                         "anylist_setitem_call_cpacked",
                                         "tvm_thread_allreduce",
                                         "tvm_store_matrix_sync",
                                         "tvm_mma_sync",
                                         "tvm_fill_fragment",
                                         "tvm_load_matrix_sync",
                                         "break_loop",
                                         "continue_loop",
                                         "assume",
                                         "address_of",
                                         "tvm_access_ptr",
                                         "prefetch",
                                         "undef"};

bool hasEffect(const tir::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  if (!op) return true;
  std::string_view name = op->name.view();
  const size_t dot = name.find('.');
  if (dot != std::string_view::npos) name = name.substr(dot + 1);
  return std::find(std::begin(kEffects), std::end(kEffects), name) != std::end(kEffects);
}

}  // namespace

bool isPurePrimFunc(const tir::PrimFunc& func) {
  std::unordered_set<const Node*> local;
  bool pure = true;
  walk(*func.body, Into::Parts, [&](const Node& node) {
    if (const auto* s = as<tir::AllocBuffer>(&node)) local.insert(s->buffer->data.get());
    if (const auto* s = as<tir::Allocate>(&node)) local.insert(s->var.get());
    if (const auto* s = as<tir::Block>(&node)) {
      for (const auto& buffer : s->allocBuffers) local.insert(buffer->data.get());
    }
    if (const auto* s = as<tir::BufferStore>(&node)) pure = pure && local.contains(s->buffer->data.get());
    if (const auto* s = as<tir::Call>(&node)) pure = pure && !hasEffect(*s);
    if (isa<tir::AssertStmt>(&node)) pure = false;
    return pure;
  });
  return pure;
}

bool isImpureCall(const relax::Call& call, const ir::IRModule* module) {
  if (const op::OpRow* row = op::rowOf(call)) return !row->pure();
  if (const auto* global = as<relax::GlobalVar>(call.op)) {
    const ir::BaseFunc function = module ? module->find(global) : nullptr;
    if (const auto* prim = as<tir::PrimFunc>(function)) return !isPurePrimFunc(*prim);
    if (const auto* relaxFunc = as<relax::Function>(function)) return !relaxFunc->isPure;
    if (function) {
      const auto* info = as<relax::FuncStructInfo>(function->sinfo);
      return !info || !info->purity;
    }
  }
  const auto* info = as<relax::FuncStructInfo>(call.op->sinfo);
  return !info || !info->purity;
}

namespace {
const relax::Call* firstImpureIn(const Node& root, const ir::IRModule* module) {
  const relax::Call* found = nullptr;
  walk(root, Into::Parts, [&](const Node& node) {
    if (found || isa<relax::Function>(&node)) return false;
    const auto* call = as<relax::Call>(&node);
    if (call && isImpureCall(*call, module)) found = call;
    return !found;
  });
  return found;
}
}  // namespace

const relax::Call* firstImpureCall(const relax::Function& func, const ir::Module& module) {
  return firstImpureIn(*func.body, module.get());
}

bool containsImpureCall(const relax::Expr& expr, const ir::IRModule* module) { return firstImpureIn(*expr, module); }

bool isPureFunction(const relax::Function& func, const ir::Module& module) { return !firstImpureCall(func, module); }

}  // namespace rx::analysis
