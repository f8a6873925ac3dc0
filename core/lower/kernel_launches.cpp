#include "core/lower/kernel_launches.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;
using target::TargetRef;

namespace {

constexpr std::string_view kLaunchParams = "tirx.kernel_launch_params";
constexpr std::string_view kSharedParam = "tirx.use_dyn_shared_memory";
constexpr std::string_view kSharedBytes = "tirx.dyn_smem_bytes";
/// Requests of a function that are launch parameters without an argument, in their order.
constexpr std::string_view kFlagParams[] = {"tirx.use_programtic_dependent_launch", "tirx.use_cooperative_launch"};
constexpr int64_t kKernelLaunchConvention = 2;

/// What a caller has to know of a function.
struct Kernel {
  TargetRef target;
  std::string symbol;
  Array<VarRef> params;
  std::vector<std::string> launchParams;
  std::vector<PrimExpr> launchArgs;  ///< over the function's parameters
};

bool isSharedPool(const Buffer& buffer) { return buffer.scope() == "shared.dyn"; }

/// Reads the extents of threads and the size of the shared memory out of a body.
class KernelReader {
 public:
  explicit KernelReader(Kernel& kernel) : kernel_(kernel) {}

  void run(const PrimFunc& function) {
    flags(function);
    walk(*function.body, Into::Parts, [this](const Node& node) {
      if (const auto* bind = as<Bind>(&node)) binds_[bind->var.get()] = resolved(bind->value);
      if (const auto* attribute = as<AttrStmt>(&node)) read(*attribute);
      if (const auto* allocation = as<AllocBuffer>(&node)) read(*allocation->buffer);
      return isa<StmtNode>(&node);
    });
    const PrimExpr bytes = declaredBytes_ ? declaredBytes_ : allocatedBytes_;
    if (!bytes) return;
    kernel_.launchParams.emplace_back(kSharedParam);
    kernel_.launchArgs.push_back(bytes);
  }

 private:
  PrimExpr resolved(const PrimExpr& expr) const { return arith::substitute(expr, binds_); }

  void flags(const PrimFunc& function) {
    const std::vector<std::string> said = launchTagsOf(function);
    for (std::string_view flag : kFlagParams) {
      for (const std::string& tag : said)
        if (tag == flag) kernel_.launchParams.emplace_back(flag);
    }
  }

  void read(const AttrStmt& attribute) {
    if (attribute.key == kSharedBytes) declaredBytes_ = attribute.value;
    if (attribute.key != "thread_extent") return;
    std::string tag;
    if (const auto* axis = as<IterVar>(attribute.node)) tag = axis->threadTag.string();
    if (const auto* var = as<Var>(attribute.node)) tag = var->name.string();
    // An extent may be said again; the first one counts.
    if (tag.empty() || !seen_.insert(tag).second) return;
    kernel_.launchParams.push_back(tag);
    kernel_.launchArgs.push_back(resolved(attribute.value));
  }

  void read(const Buffer& buffer) {
    if (!isSharedPool(buffer)) return;
    PrimExpr size = intImm(1, DataType::Int(32));
    for (const PrimExpr& extent : buffer.shape) size = arith::mul(size, extent);
    size = arith::mul(size, intImm(buffer.dtype.bytes()));
    allocatedBytes_ = resolved(size);
  }

  Kernel& kernel_;
  arith::VarMap binds_;
  std::unordered_set<std::string> seen_;
  PrimExpr declaredBytes_, allocatedBytes_;
};

enum class Reached : uint8_t { Not, Extern, Launch };

class Launcher {
 public:
  explicit Launcher(const ir::Module& module) : module_(module) {}

  Result<ir::Module> run() {
    RX_CHECK(readKernels());
    std::vector<ir::IRModule::Entry> entries = module_->entries();
    for (auto& [name, function] : entries) {
      auto caller = refAs<PrimFunc>(function);
      if (!caller) continue;
      RX_TRY(target, targetOf(*caller));
      if (target) function = withBody(caller, rewritten(*caller, target));
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    for (auto& [name, function] : entries) {
      auto kernel = refAs<PrimFunc>(function);
      if (kernel) function = withLaunchAttrs(name, kernel);
    }
    return entries == module_->entries() ? module_ : module_->with(std::move(entries));
  }

 private:
  Result<Unit> readKernels() {
    std::unordered_set<const Node*> called;
    for (const ir::BaseFunc& function : module_->functions) {
      const auto* caller = as<PrimFunc>(function);
      if (!caller) continue;
      walk(*caller->body, Into::Parts, [&](const Node& node) {
        const auto* call = as<Call>(&node);
        const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
        if (callee) called.insert(module_->find(callee).get());
        return true;
      });
    }
    for (size_t i = 0; i < module_->size(); ++i) {
      const auto* function = as<PrimFunc>(module_->functions[i]);
      if (!function || !called.contains(function)) continue;
      RX_TRY(target, targetOf(*function));
      if (!target) continue;
      Kernel& kernel = kernels_[module_->vars[i]->name.string()];
      kernel.target = target->withoutHost();
      kernel.symbol = ir::symbolOf(*module_->vars[i], *function);
      kernel.params = function->params;
      KernelReader(kernel).run(*function);
    }
    return Unit{};
  }

  Stmt rewritten(const PrimFunc& caller, const TargetRef& target) {
    NodeRef body = rewriteNodes(caller.body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
      const auto* call = as<Call>(node);
      const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
      const auto found = callee ? kernels_.find(callee->name.string()) : kernels_.end();
      return found == kernels_.end() ? node : NodeRef(launched(Ref<Call>(call), found->first, found->second, target));
    });
    return cast<StmtNode>(body);
  }

  PrimExpr launched(const Ref<Call>& call, const std::string& name, const Kernel& kernel, const TargetRef& target) {
    // Code with a host is code of the host: it launches what has threads whatever the device.
    const TargetRef caller = target->host() ? target->host() : target;
    if (!(target->host() && !kernel.launchParams.empty())) {
      if (target::sameTarget(caller->withoutHost(), kernel.target)) return call;
      if (caller->deviceType() == kernel.target->deviceType()) {
        reach(name, Reached::Extern);
        std::vector<PrimExpr> args{make<StringImm>(Str(name))};
        args.insert(args.end(), call->args.begin(), call->args.end());
        return intrinsic(call->dtype, "call_extern", std::move(args));
      }
    }
    if (call->args.size() != kernel.params.size()) {
      errors_.push_back(
          errorAt(call->span, "lower.kernel",
                  fmt::format("{} takes {} arguments, not {}", name, kernel.params.size(), call->args.size())));
      return call;
    }
    reach(name, Reached::Launch);
    arith::VarMap given;
    for (size_t i = 0; i < kernel.params.size(); ++i) given[kernel.params[i].get()] = call->args[i];
    std::vector<PrimExpr> args{make<StringImm>(Str(kernel.symbol))};
    args.insert(args.end(), call->args.begin(), call->args.end());
    for (const PrimExpr& extent : kernel.launchArgs) args.push_back(arith::substitute(extent, given));
    return intrinsic(call->dtype.isVoid() ? DataType::Int(32) : call->dtype, "tvm_call_packed", std::move(args));
  }

  void reach(const std::string& name, Reached how) {
    Reached& now = reached_[name];
    if (now != Reached::Not && now != how) {
      errors_.push_back(errorAt({}, "lower.kernel",
                                fmt::format("{} is called from code of its own kind of device and launched from "
                                            "another",
                                            name)));
    }
    now = how;
  }

  PrimFuncRef withLaunchAttrs(const relax::GlobalVarRef& name, const PrimFuncRef& function) {
    const auto found = reached_.find(name->name.string());
    if (found == reached_.end()) return function;
    ir::Attrs attrs = ir::withAttr(function->attrs, "tirx.is_global_func", ir::boolAttr(true));
    const Kernel& kernel = kernels_[found->first];
    if (found->second == Reached::Extern) {
      if (!ir::attrOf(attrs, "global_symbol")) attrs = ir::withAttr(attrs, "global_symbol", ir::strAttr(name->name));
      return cast<PrimFunc>(ir::withFunctionAttrs(function, attrs));
    }
    const bool returns = target::hasTrait(kernel.target->kind(), target::DeviceTrait::ReturnsInKernels);
    std::vector<NodeRef> params;
    for (const std::string& param : kernel.launchParams) params.push_back(ir::strAttr(param));
    attrs = ir::withAttr(attrs, "calling_conv", ir::intAttr(kKernelLaunchConvention));
    attrs = ir::withAttr(attrs, Str(kLaunchParams), ir::arrayAttr(std::move(params)));
    attrs = ir::withAttr(attrs, "global_symbol", ir::strAttr(kernel.symbol));
    return make<PrimFunc>(function->params, function->buffers, kernelBody(function->body, returns), Type(), attrs);
  }

  /// The launch takes no result and knows the size of the shared memory: neither stands in the body.
  static Stmt kernelBody(const Stmt& body, bool keepsReturns) {
    return rewriteStatements(body, [&](const Stmt& statement) -> Stmt {
      if (const auto* attribute = as<AttrStmt>(statement)) {
        return attribute->key == kSharedBytes ? attribute->body : statement;
      }
      const auto* evaluate = as<Evaluate>(statement);
      return !keepsReturns && evaluate && asCallOf(evaluate->value, "ret") ? nullptr : statement;
    });
  }

  const ir::Module& module_;
  std::unordered_map<std::string, Kernel> kernels_;
  std::unordered_map<std::string, Reached> reached_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<ir::Module> withKernelLaunches(const ir::Module& module) { return Launcher(module).run(); }

std::vector<std::string> launchTagsOf(const PrimFunc& kernel) {
  std::vector<std::string> tags;
  const NodeRef said = ir::attrOf(kernel.attrs, kLaunchParams);
  const auto* list = as<ir::ArrayAttr>(said);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* text = as<ir::StrAttr>(list->items[i]);
    tags.push_back(text ? text->value.string() : std::string());
  }
  return tags;
}

}  // namespace rx::lower
