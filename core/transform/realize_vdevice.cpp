// RealizeVDevice: hints and annotations say of some tensors on which device they are; what is computed with them is
// there, too. A hint becomes a copy where its argument is elsewhere.
#include <fmt/format.h>

#include "core/analysis/value_parts.h"
#include "core/build/mutator.h"
#include "core/ir/structural_equal.h"
#include "core/support/stack.h"
#include "core/target/target.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;
using Device = Ref<ir::VDevice>;
using Devices = std::unordered_map<const relax::Var*, Device>;

Device deviceOf(const relax::StructInfo& info) {
  const auto* tensor = as<relax::TensorStructInfo>(info);
  return tensor ? tensor->vdevice : nullptr;
}

/// The module's device that a hint means.
Result<Device> hinted(const relax::Call& hint, const ir::Attrs& globalInfos) {
  const int64_t type = ir::intAttrOf(hint.attrs, "device_type", 1), index = ir::intAttrOf(hint.attrs, "index", 0);
  const std::string_view scope = ir::strAttrOf(hint.attrs, "memory_scope", "global");
  const NodeRef listed = ir::attrOf(globalInfos, "vdevice");
  const auto* devices = as<ir::ArrayAttr>(listed);
  for (size_t i = 0; devices && i < devices->items.size(); ++i) {
    auto device = refAs<ir::VDevice>(devices->items[i]);
    if (!device || device->vdeviceId != index || device->memoryScope.view() != scope) continue;
    const Result<target::TargetRef> target = target::targetOf(device->target);
    if (target && (*target)->deviceType() == type) return device;
  }
  return fail(
      errorAt(hint.span, "pass.vdevice",
              fmt::format("the module has no vdevice of type {} with index {} and scope {}", type, index, scope)));
}

/// Where the variables of a function are.
class DeviceFinder {
 public:
  explicit DeviceFinder(const ir::Attrs& globalInfos) : globalInfos_(globalInfos) {}

  Result<Devices> run(const relax::Function& function) {
    visitFunction(function);
    if (!problems_.empty()) return fail(std::move(problems_));
    // What is known comes before what is only hoped for: the argument of a hint may come from another device.
    spread(known_);
    spread(hoped_);
    return std::move(found_);
  }

 private:
  using Placed = std::vector<std::pair<const relax::Var*, Device>>;

  void visitFunction(const relax::Function& function) {
    for (const VarRef& param : function.params) noteStated(*param);
    visitSeq(*function.body, nullptr);
    noteReturned(function.body->body, function.retSinfo);
  }
  void noteStated(const relax::Var& var) {
    if (const Device device = deviceOf(var.sinfo)) known_.emplace_back(&var, device);
  }
  void noteReturned(const Expr& value, const relax::StructInfo& info) {
    const auto* var = as<relax::Var>(value);
    if (const Device device = deviceOf(info); device && var) returned_.emplace_back(var, device);
    const auto* infos = as<relax::TupleStructInfo>(info);
    if (!infos) return;
    Expr whole = value;
    for (auto at = values_.find(as<relax::Var>(whole)); at != values_.end(); at = values_.find(as<relax::Var>(whole))) {
      whole = at->second;
    }
    const auto* tuple = as<relax::Tuple>(whole);
    for (size_t i = 0; tuple && i < tuple->items.size() && i < infos->items.size(); ++i) {
      withStack([&] { noteReturned(tuple->items[i], infos->items[i]); });
    }
  }

  void visitSeq(const relax::SeqExpr& seq, const relax::Var* user) {
    for (const relax::BlockRef& block : seq.blocks) {
      for (const relax::Binding& binding : block->bindings) {
        const auto* plain = as<relax::VarBinding>(binding);
        const Expr& value = plain ? plain->value : as<relax::MatchCast>(binding)->value;
        noteStated(*binding->var);
        if (const auto hint = callOf(value, "relax.hint_on_device")) noteHint(*binding->var, *hint);
        visitValue(*value, binding->var.get());
        values_[binding->var.get()] = value;
      }
    }
    visitValue(*seq.body, user);
  }
  void noteHint(const relax::Var& var, const relax::Call& hint) {
    const Result<Device> device = hinted(hint, globalInfos_);
    if (!device) {
      problems_.insert(problems_.end(), device.diagnostics().begin(), device.diagnostics().end());
      return;
    }
    // The hint says more than the annotation, which may only repeat where the argument was.
    if (!known_.empty() && known_.back().first == &var) known_.pop_back();
    known_.emplace_back(&var, *device);
    if (const auto* arg = as<relax::Var>(hint.args[0])) hoped_.emplace_back(arg, *device);
  }
  /// A call has its arguments where its result is, unless it is what carries values between devices.
  void visitValue(const Node& value, const relax::Var* user) {
    auto variable = [&](const relax::Var& var) {
      if (!user) return;
      together_[user].push_back(&var);
      together_[&var].push_back(user);
    };
    auto enters = [](const relax::Call& call) {
      const Ref<relax::Call> ref(&call);
      return !isOp(ref, "relax.to_vdevice") && !isOp(ref, "relax.hint_on_device");
    };
    analysis::walkValue(value, {.variable = variable,
                                .sequence = [&](const relax::SeqExpr& seq) { visitSeq(seq, user); },
                                .function = [&](const relax::Function& function) { visitFunction(function); },
                                .enters = enters});
  }

  void spread(Placed& placed) {
    std::vector<const relax::Var*> open;
    auto place = [&](const relax::Var* var, const Device& device) {
      if (found_.emplace(var, device).second) open.push_back(var);
    };
    for (const auto& [var, device] : placed) place(var, device);
    for (const auto& [var, device] : std::exchange(returned_, {})) place(var, device);
    while (!open.empty()) {
      const relax::Var* var = open.back();
      open.pop_back();
      const Device device = found_[var];
      for (const relax::Var* other : together_[var]) place(other, device);
    }
  }

  const ir::Attrs& globalInfos_;
  std::unordered_map<const relax::Var*, Expr> values_;
  std::unordered_map<const relax::Var*, std::vector<const relax::Var*>> together_;
  Placed known_, returned_, hoped_;
  Devices found_;
  std::vector<Diagnostic> problems_;
};

class DeviceRealizer : public build::Mutator {
 public:
  DeviceRealizer(build::ModuleContext& context, const ir::Attrs& globalInfos, Devices devices)
      : Mutator("RealizeVDevice", &context), globalInfos_(globalInfos), devices_(std::move(devices)) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    std::vector<VarRef> params;
    bool same = true;
    for (const VarRef& param : function->params) {
      const relax::StructInfo info = placed(*param, param->sinfo);
      params.push_back(info == param->sinfo ? param : make<relax::Var>(param->name, info));
      if (info == param->sinfo) continue;
      mapVar(param, params.back());
      same = false;
    }
    if (same) return Mutator::visitFunction(function);
    auto* made = new relax::Function(Array<VarRef>(std::move(params)), function->body, function->retSinfo,
                                     function->isPure, function->attrs);
    made->span = function->span;
    return Mutator::visitFunction(relax::FunctionRef(made));
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    Expr visited = Mutator::visitCall(node);
    const auto hint = callOf(visited, "relax.hint_on_device");
    if (!hint) return visited;
    const Result<Device> device = hinted(*hint, globalInfos_);
    if (!device) return visited;
    const Device now = deviceOf(hint->args[0]->sinfo);
    if (now && (now == *device || structuralEqual(now, *device))) return hint->args[0];
    return op::makeCall("relax.to_vdevice", {hint->args[0]}, {{"dst_vdevice", *device}});
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    Expr value = builder.normalize(visit(binding->value));
    const relax::StructInfo info = value->sinfo ? placed(*binding->var, value->sinfo) : nullptr;
    if (!info || info == value->sinfo) return rebind(binding, value);
    VarRef var = isa<relax::DataflowVar>(binding->var) ? VarRef(make<relax::DataflowVar>(binding->var->name, info))
                                                       : make<relax::Var>(binding->var->name, info);
    auto* made = new relax::VarBinding(var, value);
    made->span = binding->span;
    made->origin = builder.origin();
    builder.emitBinding(relax::Binding(made));
    mapVar(binding->var, var);
  }

 private:
  /// The StructInfo with the device that was found for the variable; the same object where it has it already.
  relax::StructInfo placed(const relax::Var& var, const relax::StructInfo& info) const {
    const auto* tensor = as<relax::TensorStructInfo>(info);
    auto device = devices_.find(&var);
    if (!tensor || device == devices_.end()) return info;
    if (tensor->vdevice && structuralEqual(tensor->vdevice, device->second)) return info;
    if (tensor->shape) return make<relax::TensorStructInfo>(tensor->shape, tensor->dtype, device->second);
    return make<relax::TensorStructInfo>(tensor->dtype, tensor->ndim, device->second);
  }

  const ir::Attrs& globalInfos_;
  Devices devices_;
};

}  // namespace

Result<ir::Module> realizeVDevice(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        RX_TRY(devices, DeviceFinder(module->globalInfos).run(*function));
        return DeviceRealizer(moduleContext, module->globalInfos, std::move(devices)).rewrite(function);
      });
}

}  // namespace rx::transform
