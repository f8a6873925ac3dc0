#include "core/script/node_checks.h"

#include <fmt/format.h>

#include <set>

#include "core/op/make_call.h"
#include "core/op/op_table.h"

namespace rx::script {

namespace {

/// Node fields that may be null, as "kind.field".
const std::set<std::string_view>& nullable() {
  static const std::set<std::string_view> kFields = {"tirx.Var.type_annotation",
                                                     "tirx.SizeVar.type_annotation",
                                                     "tirx.Buffer.elem_offset",
                                                     "tirx.Buffer.layout",
                                                     "tirx.BufferLoad.predicate",
                                                     "tirx.BufferStore.predicate",
                                                     "tirx.Call.annotations",
                                                     "tirx.IterVar.dom",
                                                     "tirx.Reduce.condition",
                                                     "tirx.IndexMap.inverse_index_map",
                                                     "tirx.Allocate.annotations",
                                                     "tirx.Allocate.condition",
                                                     "tirx.AllocBuffer.annotations",
                                                     "tirx.IfThenElse.else_case",
                                                     "tirx.For.thread_binding",
                                                     "tirx.For.annotations",
                                                     "tirx.For.step",
                                                     "tirx.SBlock.annotations",
                                                     "tirx.SBlock.init",
                                                     "tirx.PrimFunc.ret_type",
                                                     "tirx.PrimFunc.attrs",
                                                     "tirx.PrimFunc.struct_info_",
                                                     "relax.PrimStructInfo.value",
                                                     "relax.TensorStructInfo.shape",
                                                     "relax.TensorStructInfo.vdevice",
                                                     "relax.distributed.DeviceMesh.device_range",
                                                     "relax.expr.Call.attrs",
                                                     "relax.expr.Function.attrs",
                                                     "relax.expr.ExternFunc.attrs",
                                                     "relay.Var.type_annotation",
                                                     "relay.Var.virtual_device_",
                                                     "relay.Call.attrs",
                                                     "relay.Function.ret_type",
                                                     "relay.Function.attrs",
                                                     "relay.Function.virtual_device_",
                                                     "ir.IRModule.attrs",
                                                     "ir.IRModule.global_infos",
                                                     "ir.IRModule.type_definitions",
                                                     "ir.Op.struct_info_",
                                                     "ir.GlobalVar.struct_info_"};
  return kFields;
}

/// What is made for a rank (names, generated inputs) is as long as the rank.
constexpr int64_t kMostDimensions = 1 << 12;

}  // namespace

bool NodeChecks::refuse(std::string rule, std::string_view message) {
  if (!rule_.empty()) return false;
  rule_ = std::move(rule);
  message_ = fmt::format("node {}: {}", nodes_.size(), message);
  return false;
}

bool NodeChecks::wrong(const char* field, std::string_view what) {
  return refuse("json.type", fmt::format("field '{}' of {} must be {}", field, kindTypeKey(kind_), what));
}

bool NodeChecks::mayBeNull(const char* field) const {
  const std::string_view name = field;
  return name == "struct_info_" || name == "checked_type_" ||
         nullable().contains(fmt::format("{}.{}", kindTypeKey(kind_), name));
}

bool NodeChecks::addOperator(Kind kind, const std::string& name) {
  if (kind == Kind::relay_Op) {
    nodes_.push_back(relay_ ? relay_(name) : nullptr);
    return nodes_.back() ||
           refuse("json.form", fmt::format("'{}' is no operator of a language that is read here", name));
  }
  if (const op::OpRow* row = op::findOp(name); row && row->name() == name) {
    nodes_.push_back(row->op);
    return true;
  }
  // Intrinsics go by their names; one object a name within the module.
  if (!name.starts_with("tirx.")) return refuse("json.form", fmt::format("'{}' is no operator", name));
  NodeRef& op = intrinsics_[name];
  if (!op) op = make<relax::Op>(Str(name), UINT32_MAX);
  nodes_.push_back(op);
  return true;
}

bool NodeChecks::checked(const relax::Call& v) {
  const Result<Unit> fit = op::checkAttributes(v);
  return fit || refuse("json.form", fit.diagnostics().front().message);
}

bool NodeChecks::checked(const relax::TensorStructInfo& v) {
  const auto* shape = as<relax::ShapeExpr>(v.shape);
  if (v.ndim > kMostDimensions) return refuse("json.form", "there are no tensors of so many dimensions");
  if (v.ndim >= relax::kUnknownDim && (!shape || static_cast<int64_t>(shape->values.size()) == v.ndim)) return true;
  return refuse("json.form", "ndim is not the number of dimensions");
}

bool NodeChecks::areSizes(const Array<tir::PrimExpr>& values) {
  for (const tir::PrimExpr& value : values) {
    if (!value || !value->dtype.isScalar() || !value->dtype.isIntegral())
      return refuse("json.form", "the sizes of a shape have to be integers");
  }
  return true;
}

bool NodeChecks::checked(const relax::ShapeStructInfo& v) {
  if (!areSizes(v.values)) return false;
  if (v.ndim > kMostDimensions) return refuse("json.form", "there are no shapes of so many dimensions");
  if (v.ndim >= relax::kUnknownDim && static_cast<int64_t>(v.values.size()) == (v.known ? v.ndim : 0)) return true;
  return refuse("json.form", "ndim is not the number of dimensions");
}

bool NodeChecks::checked(const ir::DictAttrs& v) {
  std::set<std::string_view> keys;
  for (const Str& key : v.keys) keys.insert(key.view());
  if (v.keys.size() == v.values.size() && keys.size() == v.keys.size()) return true;
  return refuse("json.form", "a dictionary needs as many values as keys, and each key once");
}

bool NodeChecks::checked(const ir::IRModule& v) {
  std::set<std::string_view> names;
  for (const auto& var : v.vars) names.insert(var->name.view());
  if (v.vars.size() == v.functions.size() && names.size() == v.vars.size()) return true;
  return refuse("json.form", "a module needs as many functions as names, and each name once");
}

bool NodeChecks::checked(const tir::PrimFunc& v) {
  if (v.params.size() == v.buffers.size()) return true;
  return refuse("json.form", "a PrimFunc needs one buffer entry for each parameter");
}

bool NodeChecks::checked(const tir::Reduce& v) {
  if (v.valueIndex >= 0 && static_cast<size_t>(v.valueIndex) < v.source.size()) return true;
  return refuse("json.form", "value_index is out of range");
}

bool NodeChecks::checked(const tir::For& v) {
  if (v.forKind >= tir::ForKind::Serial && v.forKind <= tir::ForKind::ThreadBinding) return true;
  return refuse("json.form", "this is no kind of loop");
}

bool NodeChecks::checked(const tir::IterVar& v) {
  if (v.iterType >= tir::IterType::DataPar && v.iterType <= tir::IterType::Tensorized) return true;
  return refuse("json.form", "this is no kind of iteration variable");
}

}  // namespace rx::script
