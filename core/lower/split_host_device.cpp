// SplitHostDevice: what runs on the device becomes a function of its own, which the host launches.
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"
#include "core/lower/fresh.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/kernel_launches.h"
#include "core/lower/pass_functions.h"
#include "core/lower/undefined.h"

namespace rx::lower {

using namespace tir;
using target::TargetRef;

namespace {

/// Devices of DLPack that run code of the CPU's kind: a kernel on them gives a status back.
constexpr int64_t kStatusDevices[] = {1, 12, 16};
bool givesStatus(const target::Target& target) {
  return std::find(std::begin(kStatusDevices), std::end(kStatusDevices), target.deviceType()) !=
         std::end(kStatusDevices);
}

bool isTargetRegion(const Node& node) {
  const auto* attribute = as<AttrStmt>(&node);
  return attribute && attribute->key == kTargetKey;
}

/// Marks what only a device can run with the device's target, where no mark says another.
Stmt withDeviceRegions(const Stmt& body, const TargetRef& device) {
  NodeRef marked = rewriteNodes(
      body, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        if (isTargetRegion(*node)) return node;
        const auto* attribute = as<AttrStmt>(node);
        if (!attribute || (attribute->key != "thread_extent" && attribute->key != "device_scope")) return nullptr;
        return make<AttrStmt>(device->form(), Str(kTargetKey), intImm(0, DataType::Int(32)), cast<StmtNode>(node));
      },
      [](const NodeRef& node) { return node; });
  return cast<StmtNode>(marked);
}

/// The parameters of a kernel: pointers first, each by name. That of a tensor's memory is NAME_ptr in TVM.
std::vector<VarRef> inOrder(const std::vector<VarRef>& vars, const PrimFunc& caller) {
  std::unordered_set<const Node*> tensors;
  for (const BufferRef& buffer : caller.buffers) {
    if (buffer) tensors.insert(buffer->data.get());
  }
  std::vector<std::tuple<bool, std::string, size_t>> keys;
  for (size_t i = 0; i < vars.size(); ++i) {
    const bool named = tensors.contains(vars[i].get()) && !vars[i]->name.view().ends_with("_ptr");
    keys.emplace_back(!vars[i]->dtype.isHandle(), vars[i]->name.string() + (named ? "_ptr" : ""), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<VarRef> sorted;
  for (const auto& [isScalar, name, index] : keys) sorted.push_back(vars[index]);
  return sorted;
}

class Splitter {
 public:
  explicit Splitter(const ir::Module& module) : module_(module), names_(module) {}

  Result<ir::Module> run() {
    std::vector<ir::IRModule::Entry> entries = module_->entries();
    bool changed = false;
    for (auto& [name, function] : entries) {
      auto kernel = refAs<PrimFunc>(function);
      if (!kernel) continue;
      RX_TRY(target, targetOf(*kernel));
      if (!target) {
        return fail("lower.target", "SplitHostDevice needs the target of " + name->name.string() + " (see BindTarget)");
      }
      Stmt body = target->host() ? withDeviceRegions(kernel->body, target->withoutHost()) : kernel->body;
      function = unlessSame(kernel, withBody(kernel, split(*kernel, name, body)));
      if (!errors_.empty()) return fail(std::move(errors_));
      changed = changed || function != kernel;
    }
    if (!changed) return withKernelLaunches(module_);
    entries.insert(entries.end(), kernels_.begin(), kernels_.end());
    return withKernelLaunches(module_->with(std::move(entries)));
  }

 private:
  Stmt split(const PrimFunc& caller, const relax::GlobalVarRef& name, const Stmt& body) {
    const std::string symbol = ir::symbolOf(*name, caller);
    NodeRef result = rewriteNodes(
        body, Into::Parts,
        [&](const NodeRef& node) -> NodeRef {
          if (!isTargetRegion(*node)) return nullptr;
          const auto* region = as<AttrStmt>(node);
          Result<TargetRef> device = target::targetOf(region->node);
          if (device) return launch(caller, symbol + "_kernel", region->body, (*device)->withoutHost());
          errors_.insert(errors_.end(), device.diagnostics().begin(), device.diagnostics().end());
          return node;
        },
        [](const NodeRef& node) -> NodeRef {
          const auto* sequence = as<SeqStmt>(node);
          return sequence ? NodeRef(seq(sequence->seq.vector())) : node;
        });
    return cast<StmtNode>(result);
  }

  /// Makes a function of the region and returns the call of it.
  Stmt launch(const PrimFunc& caller, const std::string& name, const Stmt& region, const TargetRef& device) {
    Undefined given = undefinedIn(region);
    given.vars = inOrder(given.vars, caller);
    std::vector<Stmt> body;
    for (auto buffer = given.buffers.rbegin(); buffer != given.buffers.rend(); ++buffer) {
      body.push_back(make<DeclBuffer>(*buffer));
    }
    body.push_back(region);
    const bool status = givesStatus(*device);
    const DataType int32 = DataType::Int(32);
    if (status) body.push_back(make<Evaluate>(intrinsic(int32, "ret", {intImm(0, int32)})));
    const std::vector<std::pair<Str, NodeRef>> attrs = {{Str(kTargetKey), device->form()},
                                                        {"tirx.noalias", ir::boolAttr(true)},
                                                        {"tirx.is_global_func", ir::boolAttr(true)}};
    auto kernel = make<PrimFunc>(given.vars, std::vector<BufferRef>(given.vars.size()), seq(body),
                                 status ? Type(make<PrimType>(int32)) : Type(), make<ir::DictAttrs>(attrs));
    if (const NodeRef inputs = ir::attrOf(caller.attrs, "num_input")) {
      kernel = cast<PrimFunc>(ir::withFunctionAttr(kernel, "num_input", inputs));
    }
    relax::GlobalVarRef global = names_.fresh(name);
    kernels_.emplace_back(global, freshCopy(kernel));
    const std::vector<PrimExpr> args(given.vars.begin(), given.vars.end());
    if (!status) return make<Evaluate>(make<Call>(DataType::Void(), global, args));
    auto code = make<Var>("kernel_error_code", int32);
    auto good = make<AssertStmt>(make<EQ>(code, intImm(0, int32)), make<StringImm>("RuntimeError"),
                                 Array<PrimExpr>{make<StringImm>("Error executing compute kernel")});
    return seq(std::vector<Stmt>{make<Bind>(code, make<Call>(int32, global, args)), good});
  }

  const ir::Module& module_;
  FunctionNames names_;
  std::vector<ir::IRModule::Entry> kernels_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<ir::Module> splitHostDevice(const ir::Module& module, const ir::Attrs&, pass::PassContext&) {
  return Splitter(module).run();
}

}  // namespace rx::lower
