// Calls of `R.` that are neither operators nor values: packed functions, devices, the sugar of a model's layers.
#include <cmath>
#include <limits>

#include "core/arith/fold.h"
#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

NodeRef Reader::rExternFunc(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"name", "struct_info"};
  Args renamed = args;
  for (auto& [name, value] : renamed.keywords) {
    if (names_.text(name) == "ty") name = names_.intern("struct_info");
  }
  if (!bind(renamed, kNames, 1, v)) return nullptr;
  auto name = toText(v[0], args.call);
  StructInfo info = isNone(v[1]) ? nullptr : toSinfo(v[1], args.call);
  if (!name || (!isNone(v[1]) && !info)) return nullptr;
  return withSpan(make<relax::ExternFunc>(*name, info), spanOf(args.call));
}

NodeRef Reader::rDevice(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"device_type", "index"};
  Args renamed = args;
  for (auto& [name, value] : renamed.keywords) {
    if (names_.text(name) == "dev_type") name = names_.intern("device_type");
    if (names_.text(name) == "dev_id" || names_.text(name) == "device_id") name = names_.intern("index");
  }
  if (!bind(renamed, kNames, 1, v)) return nullptr;
  auto type = toInt(v[0], args.call);
  auto index = isNone(v[1]) ? std::optional<int64_t>(0) : toInt(v[1], args.call);
  if (!type || !index) return nullptr;
  return make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("device_type"), ir::intAttr(*type)},
                                                                  {Str("index"), ir::intAttr(*index)}});
}

NodeRef Reader::rCallPacked(const Args& args, uint32_t) {
  if (args.values.empty()) return error(args.call, "script.argument", "R.call_packed needs the name of a function");
  Expr callee;
  if (isa<relax::ExternFunc>(args.values[0])) {
    callee = refAs<relax::ExprNode>(args.values[0]);
  } else {
    auto name = toText(args.values[0], args.call);
    if (!name) return nullptr;
    callee = make<relax::ExternFunc>(*name);
  }
  std::vector<Expr> values;
  for (size_t i = 1; i < args.values.size(); ++i) {
    values.push_back(argumentOf(args.values[i]));
    if (!values.back()) return error(args.call, "script.argument", "an argument is no Relax value");
  }
  std::vector<StructInfo> infos;
  std::vector<std::pair<Str, NodeRef>> attrs;
  for (auto [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    if (text == "dst_vdevice" && isa<ir::StrAttr>(value)) {
      value = vdeviceOf(value, args.call);
      if (!value) return nullptr;
    }
    if (text == "sinfo_args" || text == "ty_args" || text == "type_args") {
      if (const auto* list = as<ir::ArrayAttr>(value)) {
        for (const NodeRef& item : list->items) {
          infos.push_back(toSinfo(item, args.call));
          if (!infos.back()) return nullptr;
        }
      } else {
        infos.push_back(toSinfo(value, args.call));
        if (!infos.back()) return nullptr;
      }
    } else if (text == "attrs_type_key" && isa<ir::StrAttr>(value) &&
               as<ir::StrAttr>(value)->value.view().ends_with("ir.DictAttrs")) {
      continue;  // plain attributes
    } else {
      attrs.emplace_back(names_.str(name), attrValue(value));
    }
  }
  ir::Attrs dict;
  if (!attrs.empty()) dict = make<ir::DictAttrs>(attrs);
  return withSpan(make<relax::Call>(callee, Array<Expr>(std::move(values)), dict, Array<StructInfo>(std::move(infos))),
                  spanOf(args.call));
}

NodeRef Reader::rCallTirOld(const Args& args, uint32_t row) {
  // call_tir(f, args, shape, dtype=...) of 2022; several outputs are lists of both.
  NodeRef shape = args.values.size() > 2 ? args.values[2] : nullptr;
  NodeRef dtype;
  NodeRef tirVars;
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    if (text == "dtype") dtype = value;
    if (text == "shape") shape = value;
    if (text == "tir_vars") tirVars = value;
  }
  if (args.values.size() < 2 || !shape)
    return error(args.call, "script.argument", "the shape of the result is missing");
  auto tensorOf = [&](const NodeRef& dims, const NodeRef& type) -> NodeRef {
    auto parsed = toType(type, args.call);
    if (!parsed) return nullptr;
    if (isa<relax::ExprNode>(dims) && !isa<relax::PrimValue>(dims))
      return make<relax::TensorStructInfo>(refAs<relax::ExprNode>(dims), *parsed);
    std::vector<PrimExpr> out;
    if (!toDims(dims, kNoNode, out)) return nullptr;
    return relax::tensorSinfo(out, *parsed);
  };
  NodeRef info;
  const auto* types = as<ir::ArrayAttr>(dtype);
  const auto* shapes = as<ir::ArrayAttr>(shape);
  if (types && shapes && types->items.size() == shapes->items.size()) {
    std::vector<NodeRef> infos;
    for (size_t i = 0; i < types->items.size(); ++i) {
      infos.push_back(tensorOf(shapes->items[i], types->items[i]));
      if (!infos.back()) return nullptr;
    }
    info = ir::arrayAttr(std::move(infos));
  } else {
    info = tensorOf(shape, dtype);
  }
  if (!info) return nullptr;
  Args now;
  now.call = args.call;
  now.values = {args.values[0], args.values[1], info};
  now.nodes.resize(3, kNoNode);
  if (tirVars) now.values.push_back(tirVars), now.nodes.push_back(kNoNode);
  return callOp(*op::findOp(row ? "relax.call_tir" : "relax.call_dps_packed"), now);
}

NodeRef Reader::rFuncAttr(const Args& args, uint32_t) {
  if (args.values.size() != 1 || !isa<ir::DictAttrs>(args.values[0])) {
    return error(args.call, "script.argument", "R.func_attr takes a dictionary");
  }
  for (size_t f = relax_->frames.size(); f-- > 0;) {
    if (relax_->frames[f].kind != RelaxFrameKind::Function) continue;
    takeFunctionAttrs(args.values[0], relax_->frames[f].attrs);
    return ir::nullAttr();
  }
  return error(args.call, "relax.statement", "R.func_attr stands outside of any function");
}

NodeRef Reader::rOutput(const Args& args, uint32_t) {
  if (relax_->frames.empty() || relax_->frames.back().kind != RelaxFrameKind::Dataflow) {
    return error(args.call, "relax.output", "R.output stands outside of any dataflow block");
  }
  if (relax_->frames.back().outputDone) return error(args.call, "relax.output", "the block has R.output already");
  relax_->frames.back().outputDone = true;
  return ir::nullAttr();
}

NodeRef Reader::rDeviceMesh(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"shape", "device_ids"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  std::vector<int64_t> shape, ids;
  auto numbers = [&](const NodeRef& value, std::vector<int64_t>& out) {
    const auto* list = as<ir::ArrayAttr>(value);
    for (size_t i = 0; list && i < list->items.size(); ++i) {
      auto n = toInt(list->items[i], args.call);
      if (!n) return false;
      out.push_back(*n);
    }
    return list != nullptr;
  };
  if (!numbers(v[0], shape)) return error(args.call, "relax.mesh", "the shape of a mesh is a list of numbers");
  if (const auto* range = as<tir::Range>(v[1])) {
    auto begin = tir::asInt(range->min), extent = tir::asInt(range->extent);
    if (!begin || !extent || *extent < 0 || *extent > 1 << 20)
      return error(args.call, "relax.mesh", "the devices of a mesh are a range of constants");
    for (int64_t i = 0; i < *extent; ++i) ids.push_back(*begin + i);
    return make<ir::DeviceMesh>(Array<int64_t>(shape), Array<int64_t>(ids), refAs<tir::Range>(v[1]));
  }
  if (!numbers(v[1], ids))
    return error(args.call, "relax.mesh", "the devices of a mesh are a list of numbers or I.Range");
  return make<ir::DeviceMesh>(Array<int64_t>(shape), Array<int64_t>(ids), nullptr);
}

NodeRef Reader::rEmitWithSinfo(const Args& args, uint32_t) {
  // R.emit_with_sinfo("relax.op", (args), (StructInfo,)): a call as it stands.
  if (args.values.size() < 2)
    return error(args.call, "script.argument", "an operator and its arguments are needed here");
  auto name = toText(args.values[0], args.call);
  const auto* list = as<ir::ArrayAttr>(args.values[1]);
  if (!name || !list) return error(args.call, "script.argument", "an operator and its arguments are needed here");
  const op::OpRow* row = op::findOp(name->view());
  if (!row) return error(args.call, "relax.unknown-op", "'" + name->string() + "' is not an operator of Relax");
  std::vector<Expr> values;
  for (const NodeRef& item : list->items) {
    values.push_back(op::toExpr(item));
    if (!values.back()) return error(args.call, "script.argument", "an argument is no Relax value");
  }
  std::vector<StructInfo> infos;
  if (args.values.size() > 2) {
    const auto* types = as<ir::ArrayAttr>(args.values[2]);
    for (size_t i = 0; types && i < types->items.size(); ++i) infos.push_back(toSinfo(types->items[i], args.call));
    if (!types) infos.push_back(toSinfo(args.values[2], args.call));
    for (const auto& info : infos) {
      if (!info) return nullptr;
    }
  }
  return withSpan(make<relax::Call>(Expr(row->op), Array<Expr>(std::move(values)), row->defaultAttrs,
                                    Array<StructInfo>(std::move(infos))),
                  spanOf(args.call));
}

NodeRef Reader::rLinear(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"data", "weight", "bias", "out_dtype"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Args transpose, product;
  transpose.call = product.call = args.call;
  transpose.values = {v[1]};
  transpose.nodes = {kNoNode};
  NodeRef weight = callOp(*op::findOp("relax.permute_dims"), transpose);
  if (!weight) return nullptr;
  product.values = {v[0], weight};
  product.nodes = {kNoNode, kNoNode};
  if (!isNone(v[3]))
    product.keywords.emplace_back(names_.intern("out_dtype"), v[3]), product.keywordNodes.push_back(args.call);
  NodeRef result = callOp(*op::findOp("relax.matmul"), product);
  if (!result || isNone(v[2])) return result;
  Args sum;
  sum.call = args.call;
  sum.values = {result, v[2]};
  sum.nodes = {kNoNode, kNoNode};
  return callOp(*op::findOp("relax.add"), sum);
}

NodeRef Reader::rRelu6(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "R.nn.relu6 takes one value");
  Args clip;
  clip.call = args.call;
  clip.values = {args.values[0], ir::intAttr(0), ir::intAttr(6)};
  clip.nodes.resize(3, kNoNode);
  return callOp(*op::findOp("relax.clip"), clip);
}

/// `R.nn.pad(x, R.const(0), pad_width=...)` of v0.18: the value is an argument there, a constant.
NodeRef Reader::rPad(const Args& args, uint32_t) {
  const op::OpRow* row = op::findOp("nn.pad");
  bool widthNamed = false;
  for (const auto& [name, value] : args.keywords) widthNamed |= names_.text(name) == "pad_width";
  Args renewed = args;
  if (args.values.size() != 2 || !widthNamed || !isa<relax::ExprNode>(args.values[1])) return callOp(*row, renewed);
  const auto* constant = as<relax::Constant>(args.values[1]);
  if (!constant || !constant->data || constant->data->count() != 1) {
    return error(args.call, "script.argument", "the value of the padding must be a constant that is known here");
  }
  renewed.values.pop_back();
  renewed.nodes.pop_back();
  renewed.keywords.emplace_back(names_.intern("pad_value"), ir::floatAttr(constant->data->at(0)));
  renewed.keywordNodes.push_back(args.nodes[1]);
  return callOp(*row, renewed);
}

NodeRef Reader::rMaskedFill(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"x", "mask", "value"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  Args fill, where;
  fill.call = where.call = args.call;
  Args scalar;
  scalar.call = args.call;
  scalar.values = {v[2]};
  NodeRef constant = isa<relax::ExprNode>(v[2]) ? v[2] : rConst(scalar, 0);
  if (!constant) return nullptr;
  fill.values = {v[0], constant};
  fill.nodes.resize(2, kNoNode);
  NodeRef filled = callOp(*op::findOp("relax.full_like"), fill);
  if (!filled) return nullptr;
  where.values = {v[1], filled, v[0]};
  where.nodes.resize(3, kNoNode);
  return callOp(*op::findOp("relax.where"), where);
}

}  // namespace rx::script
