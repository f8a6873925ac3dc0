#include "core/codegen/device_calls.h"

#include <map>
#include <set>
#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"

namespace rx::codegen {

namespace {

using CallDevices = std::map<std::string, std::set<int64_t>>;

/// Of one Relax function, whose bindings come in the order in which they run.
class Reader {
 public:
  Reader(const ir::IRModule& module, CallDevices& devices) : module_(module), devices_(devices) {}

  void read(const relax::VarBinding& binding) {
    const auto* call = as<relax::Call>(binding.value);
    if (!call) return;
    const auto* op = as<relax::Op>(call->op);
    const std::string_view name = op ? op->name.view() : std::string_view();
    if (name == "relax.vm.alloc_storage" && call->args.size() > 1) {
      const auto* number = as<relax::PrimValue>(call->args[1]);
      const auto device = number ? tir::asInt(number->value) : std::nullopt;
      if (device) places_[binding.var.get()] = *device;
    } else if (name == "relax.vm.alloc_tensor" && !call->args.empty()) {
      const auto* storage = as<relax::Var>(call->args[0]);
      const auto found = storage ? places_.find(storage) : places_.end();
      if (found != places_.end()) places_[binding.var.get()] = found->second;
    } else if (name == "relax.vm.call_tir_dyn" && call->args.size() > 1) {
      const auto* given = as<relax::Tuple>(call->args[1]);
      if (given) called(as<relax::GlobalVar>(call->args[0]), given->items);
    } else {
      called(as<relax::GlobalVar>(call->op), call->args);
    }
  }

 private:
  /// The last argument that was allocated is a result.
  void called(const relax::GlobalVar* callee, const Array<relax::Expr>& args) {
    const ir::BaseFunc function = callee ? module_.find(callee) : nullptr;
    if (!function || !isa<tir::PrimFunc>(function)) return;
    for (size_t i = args.size(); i-- > 0;) {
      const auto* var = as<relax::Var>(args[i]);
      const auto found = var ? places_.find(var) : places_.end();
      if (found == places_.end()) continue;
      devices_[ir::symbolOf(*callee, *function)].insert(found->second);
      return;
    }
  }

  const ir::IRModule& module_;
  CallDevices& devices_;
  std::unordered_map<const relax::Var*, int64_t> places_;
};

}  // namespace

std::vector<device::CalledOn> devicesOfCalls(const ir::IRModule& module) {
  CallDevices devices;
  for (const ir::BaseFunc& function : module.functions) {
    if (!isa<relax::Function>(function)) continue;
    Reader reader(module, devices);
    walk(*function, Into::Parts, [&](const Node& node) {
      if (const auto* binding = as<relax::VarBinding>(&node)) reader.read(*binding);
      return true;
    });
  }
  std::vector<device::CalledOn> rows;
  for (const auto& [function, numbers] : devices) rows.push_back({function, {numbers.begin(), numbers.end()}});
  return rows;
}

}  // namespace rx::codegen
