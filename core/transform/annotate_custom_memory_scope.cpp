// AnnotateCustomMemoryScope: which tensors of a network lie in textures of an Adreno GPU. What a tensor's consumers
// want decides; a copy stands where one of them wants something else.
#include <fmt/format.h>

#include "core/analysis/op_pattern.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/op/sinfo_text.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::StructInfo;

constexpr std::string_view kGlobal = "global";

/// An operator that can read textures, with the layouts that it needs for that.
struct TextureRow {
  std::string_view op;
  std::string_view layout, layoutText;  ///< an attribute and what it has to be; empty: nothing
  std::string_view kernel, kernelText;
  bool inputOnly = false;  ///< weights stay in global memory
};
constexpr TextureRow kTextureOps[] = {
    {"relax.nn.conv2d", "data_layout", "NCHW4c", "kernel_layout", "OIHW4o", true},
    {"relax.nn.max_pool2d", "layout", "NCHW4c", "", ""},
    {"relax.nn.avg_pool2d", "layout", "NCHW4c", "", ""},
    {"relax.nn.adaptive_avg_pool2d", "layout", "NCHW4c", "", ""},
    {"relax.nn.layer_norm", "", "", "", ""},
};

/// The row by which a call reads textures, or null.
const TextureRow* textureRow(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  auto says = [&](std::string_view name, std::string_view text) {
    return name.empty() || ir::strAttrOf(call.attrs, name) == text;
  };
  for (const TextureRow& row : kTextureOps) {
    if (op && op->name == row.op && says(row.layout, row.layoutText) && says(row.kernel, row.kernelText)) return &row;
  }
  return nullptr;
}

/// Arguments that are data: the tensors of the tuple of a call_tir, or all.
const Array<Expr>& operandsOf(const relax::Call& call) {
  const bool kernel = isOp(Ref<relax::Call>(&call), "relax.call_tir");
  const auto* tuple = kernel ? as<relax::Tuple>(call.args[1]) : nullptr;
  return tuple ? tuple->items : call.args;
}

/// The scopes that calls want of one tensor, in the order of the calls; a call that takes it twice wants the last.
class Wishes {
 public:
  using List = std::vector<std::pair<const relax::Call*, std::string_view>>;
  void add(const relax::Call* call, std::string_view scope) {
    auto [known, fresh] = index_.try_emplace(call, list_.size());
    if (fresh) {
      list_.emplace_back(call, scope);
    } else {
      list_[known->second].second = scope;
    }
  }
  const List& list() const { return list_; }

 private:
  List list_;
  std::unordered_map<const relax::Call*, size_t> index_;
};

/// What every call wants of its tensors.
class WishCollector {
 public:
  WishCollector(const ir::IRModule& module, const target::Target& target) : module_(module) {
    spatialLimit_ = target.number("texture_spatial_limit").value_or(16384);
    depthLimit_ = target.number("texture_depth_limit").value_or(2048);
  }

  Result<Unit> run(const relax::Function& function) {
    std::vector<Diagnostic> problems;
    walk(*function.body, Into::Parts, [&](const Node& node) {
      if (const auto* binding = as<relax::VarBinding>(&node)) noteTuple(*binding);
      const auto* call = as<relax::Call>(&node);
      if (!call) return !isa<tir::ExprNode>(&node);
      if (const Result<Unit> done = addCall(*call); !done && problems.empty()) problems = done.diagnostics();
      return false;
    });
    if (!problems.empty()) return fail(std::move(problems));
    // What is wanted of a field of a tuple is wanted of what was put into the tuple.
    for (const auto& [field, item] : items_) {
      auto tuple = tuples_.find(as<relax::Var>(item->tuple));
      auto wanted = wishes_.find(field);
      if (tuple == tuples_.end() || wanted == wishes_.end()) continue;
      const Wishes::List more = wanted->second.list();
      const auto* producer = as<relax::Var>(tuple->second->items[static_cast<size_t>(item->index)]);
      for (const auto& [call, scope] : more) wishes_[producer].add(call, scope);
    }
    return Unit{};
  }

  /// Of the tensors among the operands of a call, in order.
  const std::vector<std::string_view>& wantedBy(const relax::Call* call) const { return byCall_.at(call); }

  /// Where the value of a variable is made: as one of its consumers wants it. TVM counts consumers a scope and never
  /// gets beyond one, so that the last scope that a consumer brings up wins.
  std::string_view scopeOf(const relax::Var* var) const {
    auto wanted = wishes_.find(var);
    std::vector<std::string_view> scopes;
    if (wanted != wishes_.end()) {
      for (const auto& [call, scope] : wanted->second.list()) {
        if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
      }
    }
    return scopes.empty() ? kGlobal : scopes.back();
  }

 private:
  void noteTuple(const relax::VarBinding& binding) {
    if (const auto* item = as<relax::TupleGetItem>(binding.value)) items_.emplace_back(binding.var.get(), item);
    if (const auto* tuple = as<relax::Tuple>(binding.value)) tuples_[binding.var.get()] = tuple;
  }

  Result<Unit> addCall(const relax::Call& call) {
    RX_TRY(reads, readsTextures(call));
    std::vector<std::string_view>& scopes = byCall_[&call];
    const Array<Expr>& operands = operandsOf(call);
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto* tensor = as<relax::TensorStructInfo>(operands[i]->sinfo);
      if (!tensor) continue;
      const bool texture = i < reads.size() ? reads[i] : reads[0];
      const auto* shape = as<relax::ShapeExpr>(tensor->shape);
      if (texture && !shape) {
        return fail(errorAt(
            call.span, "pass.memory-scope",
            fmt::format("no scope can be chosen for {}, whose shape is not known", op::sinfoText(operands[i]->sinfo))));
      }
      scopes.push_back(texture ? textureScope(shape->values) : kGlobal);
      wishes_[as<relax::Var>(operands[i])].add(&call, scopes.back());
    }
    return Unit{};
  }
  /// For each operand whether it may be a texture; the first counts for those behind the last.
  Result<std::vector<bool>> readsTextures(const relax::Call& call) const {
    if (!isOp(Ref<relax::Call>(&call), "relax.call_tir")) {
      const TextureRow* row = textureRow(call);
      if (row && row->inputOnly) return std::vector<bool>{true, false};
      return std::vector<bool>{row != nullptr};
    }
    const auto* name = as<relax::GlobalVar>(call.args[0]);
    const ir::BaseFunc kernel = name ? module_.find(name) : nullptr;
    if (!kernel || !ir::attrOf(kernel->attrs, "op_pattern")) {
      return fail(errorAt(call.span, "pass.memory-scope",
                          "the kernel of a call_tir has no op_pattern: AnnotateTIROpPattern comes first"));
    }
    const int64_t pattern = ir::intAttrOf(kernel->attrs, "op_pattern", 0);
    return std::vector<bool>{pattern < static_cast<int64_t>(analysis::OpPattern::Reduction)};
  }
  /// Only packs of four in five dimensions are textures; how the dimensions fall on a plane depends on their sizes.
  std::string_view textureScope(std::span<const tir::PrimExpr> shape) const {
    if (shape.size() != 5 || tir::asInt(shape[4]) != 4) return kGlobal;
    if (!allConstant(shape)) return "global.texture-nchw";
    int64_t d[4];
    for (size_t i = 0; i < 4; ++i) d[i] = *tir::asInt(shape[i]);
    if (d[0] < spatialLimit_ && d[1] * d[2] * d[3] < spatialLimit_) return "global.texture-weight";
    if (d[0] < depthLimit_ && d[1] < spatialLimit_ && d[2] * d[3] < spatialLimit_) return "global.texture-nhwc";
    if (d[0] * d[1] < depthLimit_ && d[2] < spatialLimit_ && d[3] < spatialLimit_) return "global.texture";
    return kGlobal;
  }

  const ir::IRModule& module_;
  int64_t spatialLimit_ = 0, depthLimit_ = 0;
  std::unordered_map<const relax::Var*, Wishes> wishes_;
  std::unordered_map<const relax::Call*, std::vector<std::string_view>> byCall_;
  std::vector<std::pair<const relax::Var*, const relax::TupleGetItem*>> items_;
  std::unordered_map<const relax::Var*, const relax::Tuple*> tuples_;
};

/// The devices that are in use, one a scope, in the order in which they were needed.
class ScopedDevices {
 public:
  explicit ScopedDevices(target::TargetRef target) : target_(std::move(target)) {}
  const Ref<ir::VDevice>& of(std::string_view scope) {
    for (const Ref<ir::VDevice>& device : devices_) {
      if (device->memoryScope == scope) return device;
    }
    return devices_.emplace_back(make<ir::VDevice>(target_->form(), 0, Str(scope)));
  }
  NodeRef list() const { return ir::arrayAttr(Array<NodeRef>(std::vector<NodeRef>(devices_.begin(), devices_.end()))); }
  int64_t type() const { return target_->deviceType(); }

 private:
  target::TargetRef target_;
  std::vector<Ref<ir::VDevice>> devices_;
};

/// Puts hints around what calls take and the device of the result into what they give.
class ScopeWriter : public build::Mutator {
 public:
  ScopeWriter(build::ModuleContext& context, const WishCollector& wishes, ScopedDevices& devices)
      : Mutator("AnnotateCustomMemoryScope", &context), wishes_(wishes), devices_(devices) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    scope_ = wishes_.scopeOf(binding->var.get());
    Mutator::visitVarBinding(binding);
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    const bool kernel = isOp(node, "relax.call_tir");
    if (!isa<relax::Op>(node->op)) {
      builder.report(errorAt(node->span, "pass.memory-scope", "calls of functions have no place to state a scope"));
      return node;
    }
    const StructInfo& given = kernel ? node->sinfoArgs[0] : node->sinfo;
    const StructInfo placed = placedAt(given, devices_.of(scope_));
    if (!placed) {
      builder.report(
          errorAt(node->span, "pass.memory-scope",
                  fmt::format("a result {} has no scope: tensors of known shape have", op::sinfoText(given))));
      return node;
    }
    const std::vector<std::string_view>& scopes = wishes_.wantedBy(node.get());
    std::vector<Expr> args;
    size_t tensors = 0;
    for (const Expr& operand : operandsOf(*node)) {
      Expr now = visit(operand);
      args.push_back(isa<relax::TensorStructInfo>(operand->sinfo) ? hinted(now, scopes[tensors++]) : now);
    }
    if (kernel) args = {node->args[0], make<relax::Tuple>(Array<Expr>(std::move(args)))};
    return make<relax::Call>(node->op, Array<Expr>(std::move(args)), node->attrs, Array<StructInfo>{placed});
  }

 private:
  /// The tensors with this device; null where there is anything but tensors of known shape.
  static StructInfo placedAt(const StructInfo& info, const Ref<ir::VDevice>& device) {
    if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
      if (!isa<relax::ShapeExpr>(tensor->shape)) return nullptr;
      return make<relax::TensorStructInfo>(tensor->shape, tensor->dtype, device);
    }
    const auto* tuple = as<relax::TupleStructInfo>(info);
    if (!tuple) return nullptr;
    std::vector<StructInfo> items;
    for (const StructInfo& item : tuple->items) {
      if (!isa<relax::TensorStructInfo>(item)) return nullptr;
      items.push_back(placedAt(item, device));
      if (!items.back()) return nullptr;
    }
    return relax::tupleSinfo(Array<StructInfo>(std::move(items)));
  }

  /// A constant is in the scope that its first use wants; anything else is asked to be there.
  Expr hinted(const Expr& arg, std::string_view scope) {
    const Ref<ir::VDevice>& device = devices_.of(scope);
    const auto* constant = as<relax::Constant>(arg);
    auto known = constant ? constants_.find(constant) : constants_.end();
    const Expr value = known == constants_.end() ? arg : known->second;
    const auto* info = as<relax::TensorStructInfo>(value->sinfo);
    if (constant && !info->vdevice) {
      auto* placed = new relax::Constant(*constant);
      placed->sinfo = make<relax::TensorStructInfo>(info->shape, info->dtype, device);
      return constants_[constant] = Expr(placed);
    }
    return op::makeCall("relax.hint_on_device", {value},
                        {{"device_type", ir::intAttr(devices_.type())},
                         {"index", ir::intAttr(0)},
                         {"memory_scope", ir::strAttr(device->memoryScope)}});
  }

  const WishCollector& wishes_;
  ScopedDevices& devices_;
  std::string_view scope_ = kGlobal;
  std::unordered_map<const relax::Constant*, Expr> constants_;
};

}  // namespace

Result<ir::Module> annotateCustomMemoryScope(const ir::Module& module, const ir::Attrs& options_,
                                             pass::PassContext& context) {
  const NodeRef stated = ir::attrOf(options_, "target");
  target::TargetRef target = context.target;
  if (stated && !isa<ir::NullAttr>(stated)) {
    RX_TRY(read, target::targetOf(stated));
    target = read;
  }
  if (!target) return fail("pass.target", "AnnotateCustomMemoryScope needs a target");
  ScopedDevices devices(target);
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || ir::intAttrOf(function->attrs, "Primitive", 0) != 0) continue;
    WishCollector wishes(*module, *target);
    RX_CHECK(wishes.run(*relaxFunction));
    RX_TRY(written, ScopeWriter(moduleContext, wishes, devices).rewrite(relaxFunction));
    moduleContext.update(var, written);
  }
  moduleContext.setGlobalInfos(ir::withAttr(module->globalInfos, "vdevice", devices.list()));
  RX_TRY(needed, deadCodeElimination(moduleContext.module(), nullptr, context));
  RX_TRY(placed, realizeVDevice(needed, nullptr, context));
  return canonicalizeBindings(placed, nullptr, context);
}

}  // namespace rx::transform
