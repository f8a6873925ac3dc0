// LowerGPUIPCAllocStorage: memory that several processes of a GPU share comes
// from a function of the runtime for several devices, and not from the VM's
// allocator.
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

constexpr std::string_view kAllocStorage = "runtime.disco.cuda_ipc.alloc_storage";

bool isIpcMemory(const Expr& scope) {
  const auto* text = as<relax::StringImm>(scope);
  return text && text->value.view() == "ipc_memory";
}

/// What takes the place of an allocation in memory between processes; null for
/// any other call.
Expr lowered(const relax::Call& call, build::BlockBuilder&) {
  const Expr self = Ref<relax::Call>(&call);
  if (isOp(self, "relax.memory.alloc_storage") && call.args.size() == 4 && isIpcMemory(call.args[2])) {
    return callPacked(kAllocStorage, {call.args[0], call.args[3]}, {relax::objectSinfo()});
  }
  if (isOp(self, "relax.builtin.alloc_tensor") && call.args.size() == 4 && isIpcMemory(call.args[3])) {
    const Expr& shape = call.args[0];
    const Expr& dtype = call.args[1];
    const Expr storage = callPacked(kAllocStorage, {shape, dtype}, {relax::objectSinfo()});
    return op::makeCall("relax.memory.alloc_tensor", {storage, call.args[2], shape, dtype, primInt(0)});
  }
  return nullptr;
}

}  // namespace

Result<ir::Module> lowerGpuIpcAllocStorage(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(module, context, [](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
    return rewriteCalls(function, "LowerGPUIPCAllocStorage", moduleContext, lowered);
  });
}

}  // namespace rx::transform
