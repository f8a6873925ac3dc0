// BindTarget: gives every kernel the target that its callers imply: the whole target to what is called from outside,
// the host's to what the host calls, the device's to what runs on the device. What both call becomes two functions.
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/device_scope.h"
#include "core/lower/fresh.h"
#include "core/lower/function_target.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using target::TargetRef;
using tir::PrimFuncRef;

namespace {

constexpr std::string_view kHostMark = "tirx.is_host_func";

bool isExposed(const ir::BaseFunc& function) { return ir::attrOf(function->attrs, "global_symbol") != nullptr; }

/// Names of the functions that exposed functions call, by where the call stands.
struct Callers {
  std::unordered_set<std::string> host, device;
};
Callers callersOf(const ir::Module& module) {
  Callers callers;
  auto collect = [](const Node& root, bool device, std::unordered_set<std::string>& names) {
    walk(root, Into::Parts, [&](const Node& node) {
      if (!device && isDeviceScope(node)) return false;
      const auto* call = as<tir::Call>(&node);
      const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
      if (callee) names.insert(callee->name.string());
      return true;
    });
  };
  for (const ir::BaseFunc& function : module->functions) {
    const auto* kernel = as<tir::PrimFunc>(function);
    if (!kernel || !isExposed(function)) continue;
    collect(*kernel->body, false, callers.host);
    walk(*kernel->body, Into::Parts, [&](const Node& node) {
      if (!isDeviceScope(node)) return true;
      collect(node, true, callers.device);
      return false;
    });
  }
  return callers;
}

using Replacements = std::unordered_map<std::string, relax::GlobalVarRef>;

/// Calls of the host go to the copies for the host.
PrimFuncRef withHostCalls(const PrimFuncRef& function, const Replacements& replacements) {
  NodeRef body = rewriteNodes(
      function->body, Into::Parts, [](const NodeRef& node) { return isDeviceScope(*node) ? node : NodeRef(); },
      [&](const NodeRef& node) -> NodeRef {
        const auto* call = as<tir::Call>(node);
        const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
        const auto found = callee ? replacements.find(callee->name.string()) : replacements.end();
        if (found == replacements.end()) return node;
        return make<tir::Call>(call->dtype, found->second, call->args, call->annotations);
      });
  return withBody(function, cast<tir::StmtNode>(body));
}

class Binder {
 public:
  Binder(const ir::Module& module, TargetRef target)
      : module_(module), target_(std::move(target)), callers_(callersOf(module)), names_(module) {}

  Result<ir::Module> run() {
    RX_TRY(host, target_->host() ? Result<TargetRef>(target_->host()) : target::parseTarget("llvm"));
    host_ = host;
    std::vector<ir::IRModule::Entry> entries = module_->entries(), copies;
    for (auto& [name, function] : entries) {
      auto kernel = refAs<tir::PrimFunc>(function);
      if (!kernel) continue;
      RX_TRY(bound, this->bound(name, kernel, copies));
      function = bound;
    }
    if (!replacements_.empty()) {
      for (auto& [name, function] : entries) {
        auto kernel = refAs<tir::PrimFunc>(function);
        if (kernel && isExposed(function)) function = withHostCalls(kernel, replacements_);
      }
    }
    entries.insert(entries.end(), copies.begin(), copies.end());
    return module_->with(std::move(entries));
  }

 private:
  Result<PrimFuncRef> bound(const relax::GlobalVarRef& name, const PrimFuncRef& kernel,
                            std::vector<ir::IRModule::Entry>& copies) {
    RX_TRY(own, targetOf(*kernel));
    if (own) {
      const bool takesHost = target_->host() && !own->host() && isExposed(kernel);
      return takesHost ? withTarget(kernel, own->withHost(target_->host())) : kernel;
    }
    if (ir::boolAttrOf(kernel->attrs, kHostMark, false)) {
      const PrimFuncRef hosted = withTarget(kernel, host_->withHost(host_));
      return cast<tir::PrimFunc>(ir::withFunctionAttrs(hosted, ir::withoutAttr(hosted->attrs, kHostMark)));
    }
    if (isExposed(kernel)) return withTarget(kernel, target_);
    const bool byHost = callers_.host.contains(name->name.string());
    const bool byDevice = callers_.device.contains(name->name.string());
    if (byHost && !byDevice) return withTarget(kernel, host_);
    if (byHost) {
      relax::GlobalVarRef copy = names_.fresh(name->name.string() + "_host");
      replacements_.emplace(name->name.string(), copy);
      copies.emplace_back(copy, withTarget(freshCopy(kernel), host_));
    }
    return withTarget(kernel, target_->withoutHost());
  }

  const ir::Module& module_;
  TargetRef target_, host_;
  Callers callers_;
  FunctionNames names_;
  Replacements replacements_;
};

}  // namespace

Result<ir::Module> bindTarget(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  TargetRef target = context.target;
  if (const NodeRef given = ir::attrOf(options, "target")) {
    RX_TRY(read, target::targetOf(given));
    target = read;
  }
  if (!target) return fail("lower.target", "BindTarget needs a target: an option of its own, or that of the pipeline");
  return Binder(module, target).run();
}

}  // namespace rx::lower
