// Calls of `R.` and `I.`, calls of functions, sugar on Relax values. Operators are rows of core/op; what is irregular
// stands in the table below.
#include <cmath>
#include <limits>
#include <map>

#include "core/arith/fold.h"
#include "core/script/relax_reader.h"
#include "core/script/target_form.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

struct RelaxTables {
  struct Row {
    std::string_view name;
    Handler handler;
    bool isType = false;
  };
  static const Row* find(std::string_view name) {
    static const std::map<std::string_view, Row> kRows = [] {
      std::map<std::string_view, Row> rows;
      const Row list[] = {
          {"Tensor", &Reader::sTensor, true},
          {"DTensor", &Reader::sDTensor, true},
          {"Shape", &Reader::sShape, true},
          {"Prim", &Reader::sPrim, true},
          {"Tuple", &Reader::sTuple, true},
          {"Callable", &Reader::sCallable, true},
          {"Object", &Reader::sObject, true},
          {"Any", &Reader::sObject, true},
          {"const", &Reader::rConst},
          {"dist.const", &Reader::rConst},
          {"prim_value", &Reader::rPrimValue},
          {"PrimValue", &Reader::rPrimValue},
          {"str", &Reader::rStr},
          {"dtype", &Reader::rDtype},
          {"shape", &Reader::rShape},
          {"ShapeExpr", &Reader::rShape},
          {"tuple", &Reader::rTuple},
          {"TupleGetItem", &Reader::rTupleGetItem},
          {"match_cast", &Reader::rMatchCast},
          {"match_shape", &Reader::rMatchShape},
          {"ExternFunc", &Reader::rExternFunc},
          {"extern", &Reader::rExternFunc},
          {"device", &Reader::rDevice},
          {"call_packed", &Reader::rCallPacked},
          {"func_attr", &Reader::rFuncAttr},
          {"output", &Reader::rOutput},
          {"device_mesh", &Reader::rDeviceMesh},
          {"emit_with_sinfo", &Reader::rEmitWithSinfo},
          {"emit_with_ty", &Reader::rEmitWithSinfo},
          {"linear", &Reader::rLinear},
          {"nn.relu6", &Reader::rRelu6},
          {"masked_fill", &Reader::rMaskedFill},
      };
      for (const Row& row : list) rows.emplace(row.name, row);
      return rows;
    }();
    auto found = kRows.find(name);
    return found == kRows.end() ? nullptr : &found->second;
  }
};

namespace {
/// A Python value as an argument of a function: truth values are integers there.
Expr argumentOf(const NodeRef& value) {
  if (const auto* b = as<ir::BoolAttr>(value)) return op::toExpr(ir::intAttr(b->value));
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::vector<Expr> items;
    for (const NodeRef& item : list->items) {
      items.push_back(argumentOf(item));
      if (!items.back()) return nullptr;
    }
    return make<relax::Tuple>(Array<Expr>(std::move(items)));
  }
  return op::toExpr(value);
}

/// Names that need Python to be run.
constexpr std::string_view kPythonNames[] = {"emit_te", "call_te", "rewriter", "macro", "te"};
}  // namespace

NodeRef Reader::externalFunction(NodeId node) {
  if (!lone_ || at(node).kind != Syn::Name) return nullptr;
  NameId name = at(node).a;
  if (scope_.lookup(name)) return nullptr;
  NodeRef& found = relax_->extern_[name];
  if (!found) found = make<relax::GlobalVar>(names_.str(name));
  return found;
}

NodeRef Reader::callR(NodeId id, const std::string& path, NodeId callee) {
  if (path == "metadata") return metadataRef(id ? id : callee);
  Args args;
  args.call = id ? id : callee;
  if (const RelaxTables::Row* row = RelaxTables::find(path)) {
    if (!id) {  // R.Tensor without brackets
      if (row->isType) return (this->*row->handler)(args, 0);
      return error(callee, "relax.unknown-name", "R." + path + " can not stand without a call here");
    }
    // Square brackets of 2022: the items are the arguments.
    newSymbols_ |= path == "match_shape";
    bool read = readArgs(id, args);
    if (path == "match_shape") newSymbols_ = false;
    return read ? (this->*row->handler)(args, 0) : nullptr;
  }
  for (std::string_view name : kPythonNames) {
    if (path == name) {
      return error(callee, "script.python", "R." + path + " needs Python to be run, which this reader never does",
                   "print the module from Python and open the printed text");
    }
  }
  const op::OpRow* row = op::findOp(path);
  if (!row && path.starts_with("dist.")) row = op::findOp(path.substr(5));
  if (!row && path.starts_with("op.")) row = op::findOp(path.substr(3));
  if (!row && path == "vm.builtin.alloc_tensor") row = op::findOp("vm.alloc_tensor");
  if (!row) {
    if (at(callee).kind == Syn::Name) {
      if (NodeRef function = externalFunction(callee)) return id ? callValue(id, function) : function;
      return error(callee, inTir_ ? "tir.undefined-var" : "relax.undefined-var", "'" + path + "' is not defined here");
    }
    return error(callee, "relax.unknown-op", "R." + path + " is not an operator of Relax");
  }
  if (!id) return row->op;
  // In the place of a function an undefined name of a lone function is a function of the outside.
  const SynNode node = at(id);
  bool calls = row->has(op::kCallsFunction) || (!row->params.empty() && row->params[0].kind == op::ParamKind::Func);
  NameId external = Names::kNone;
  if (calls && node.b > 0) {
    NodeId first = syntax_->kids(node)[0];
    if (at(first).kind == Syn::Name) {
      if (NodeRef function = externalFunction(first)) {
        external = at(first).a;
        scope_.push();
        scope_.define(external, function);
      }
    }
  }
  bool read = readArgs(id, args);
  if (external != Names::kNone) scope_.pop();
  return read ? callOp(*row, args) : nullptr;
}

NodeRef Reader::callOp(const op::OpRow& row, const Args& args) {
  std::vector<NodeRef> positional = args.values;
  std::vector<op::Keyword> keywords;
  std::vector<StructInfo> extra;  // type arguments that a printed allocation carries beyond its signature
  bool takesSinfo = false;
  for (const op::OpParam& param : row.params) {
    takesSinfo |= param.kind == op::ParamKind::Sinfo || param.kind == op::ParamKind::Sinfos;
  }
  keywords.reserve(args.keywords.size());
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    std::string_view name = names_.text(args.keywords[i].first);
    NodeRef value = args.keywords[i].second;
    if (at(args.keywordNodes[i]).kind == Syn::Lambda) {
      value = evalLambda(args.keywordNodes[i]);
      if (!value) return nullptr;
    }
    if (name == "dst_vdevice" && isa<ir::StrAttr>(value)) {
      value = vdeviceOf(value, args.keywordNodes[i]);
      if (!value) return nullptr;
    }
    if (name == "device_mesh" && isa<ir::StrAttr>(value)) value = meshOf(value, args.keywordNodes[i]);
    if (name == "placement" && isa<ir::StrAttr>(value)) value = placementOf(value, args.keywordNodes[i]);
    if (!value) return nullptr;
    if ((name == "sinfo_args" || name == "ty_args") && !takesSinfo) {
      const auto* list = as<ir::ArrayAttr>(value);
      for (size_t k = 0; list && k < list->items.size(); ++k)
        extra.push_back(toSinfo(list->items[k], args.keywordNodes[i]));
      if (!list) extra.push_back(toSinfo(value, args.keywordNodes[i]));
      for (const auto& info : extra) {
        if (!info) return nullptr;
      }
      continue;
    }
    keywords.push_back({name, value});
  }
  for (size_t i = 0; i < positional.size(); ++i) {
    if (i < args.nodes.size() && args.nodes[i] && at(args.nodes[i]).kind == Syn::Lambda) {
      positional[i] = evalLambda(args.nodes[i]);
    }
    if (i < row.params.size() && isa<ir::StrAttr>(positional[i])) {
      std::string_view name = row.params[i].name.view();
      if (name == "dst_vdevice") positional[i] = vdeviceOf(positional[i], args.nodes[i]);
      if (name == "device_mesh") positional[i] = meshOf(positional[i], args.nodes[i]);
      if (name == "placement") positional[i] = placementOf(positional[i], args.nodes[i]);
    }
    if (!positional[i]) return nullptr;
    if (isa<tir::PrimFunc>(positional[i])) {
      return error(args.call, "relax.inline-primfunc", "a TIR function can not stand inside a call",
                   "make it a member of the module");
    }
  }
  if (row.name() == "relax.call_tir" || row.name() == "relax.call_dps_packed") {
    for (const auto& keyword : keywords) {
      if (keyword.name == "dtype") return rCallTirOld(args, row.name() == "relax.call_tir");
    }
  }
  auto made = op::bindCall(row, positional, keywords, relax_->builder.context());
  if (!made) {
    for (Diagnostic d : made.diagnostics()) {
      d.span = spanOf(args.call);
      failed_ = true;
      if (diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
    }
    return nullptr;
  }
  if (!extra.empty()) {
    const relax::Call& call = **made;
    made = make<relax::Call>(call.op, call.args, call.attrs, Array<StructInfo>(std::move(extra)), call.sinfo);
  }
  return withSpan(*made, spanOf(args.call));
}

NodeRef Reader::callValue(NodeId id, const NodeRef& callee) {
  if (isa<tir::PrimFunc>(callee)) {
    return error(id, "relax.inline-primfunc", "a TIR function can not be called here",
                 "make it a member of the module and use R.call_tir");
  }
  Args args;
  if (!readArgs(id, args)) return nullptr;
  if (inTir_) {
    if (!isa<relax::GlobalVar>(callee)) return error(id, "tir.call", "this value can not be called");
    std::vector<PrimExpr> prims;
    for (const NodeRef& value : args.values) {
      prims.push_back(isa<tir::Buffer>(value) ? PrimExpr(as<tir::Buffer>(value)->data) : toPrim(value, id));
      if (!prims.back()) return nullptr;
    }
    DataType type = DataType::Void();
    if (const auto* function =
            relax_ ? as<tir::PrimFunc>(relax_->module.functionOf(as<relax::GlobalVar>(callee))) : nullptr) {
      if (const auto* ret = as<tir::PrimType>(function->retType)) type = ret->dtype;
    }
    return withSpan(make<tir::Call>(type, callee, Array<PrimExpr>(std::move(prims))), spanOf(id));
  }
  if (!isa<relax::ExprNode>(callee)) return error(id, "relax.call", "this value can not be called");
  std::vector<Expr> values;
  for (const NodeRef& value : args.values) {
    values.push_back(argumentOf(value));
    if (!values.back()) return error(id, "script.argument", "an argument is no Relax value");
  }
  if (!args.keywords.empty()) return error(id, "script.argument", "a function of the module takes no named arguments");
  return withSpan(make<relax::Call>(refAs<relax::ExprNode>(callee), Array<Expr>(std::move(values))), spanOf(id));
}

NodeRef Reader::moduleMember(NameId name, NodeId at) {
  if (auto var = relax_->module.find(names_.text(name))) return var;
  return error(at, "relax.undefined-function", "the module has no function '" + nameText(name) + "'");
}

// Irregular calls -----------------------------------------------------------------------------------------------------

namespace {
/// Shape and flat values of nested lists of numbers.
bool flatten(const NodeRef& value, size_t depth, std::vector<int64_t>& shape, std::vector<NodeRef>& out) {
  const auto* array = as<ir::ArrayAttr>(value);
  if (!array) {
    out.push_back(value);
    return depth == shape.size();
  }
  if (depth > 16) return false;
  auto size = static_cast<int64_t>(array->items.size());
  if (depth == shape.size()) {
    if (!out.empty()) return false;
    shape.push_back(size);
  } else if (shape[depth] != size) {
    return false;
  }
  for (const NodeRef& item : array->items) {
    if (!flatten(item, depth + 1, shape, out)) return false;
  }
  return true;
}
}  // namespace

NodeRef Reader::rConst(const Args& args, uint32_t) {
  if (args.values.empty()) return error(args.call, "script.argument", "R.const needs a value");
  NodeRef given;
  if (args.values.size() > 1) given = args.values[1];
  NodeRef distributed;
  for (const auto& [name, value] : args.keywords) {
    if (names_.text(name) == "dtype") given = value;
    if (names_.text(name) == "struct_info") distributed = value;
  }
  if (isa<relax::StructInfoNode>(given)) {
    distributed = given;
    given = nullptr;
  }
  StructInfo declared = refAs<relax::StructInfoNode>(distributed);
  std::vector<int64_t> shape;
  std::vector<NodeRef> flat;
  if (isa<relax::Constant>(args.values[0])) return args.values[0];
  if (!flatten(args.values[0], 0, shape, flat))
    return error(args.call, "script.argument", "the rows of this constant have different lengths");
  bool real = false, boolean = !flat.empty();
  for (NodeRef& value : flat) {
    if (const auto* imm = as<tir::IntImm>(value)) {
      if (!given) given = ir::typeAttr(imm->dtype);
      value = ir::intAttr(imm->value);
    }
    if (const auto* imm = as<tir::FloatImm>(value)) {
      if (!given) given = ir::typeAttr(imm->dtype);
      value = ir::floatAttr(imm->value);
    }
    // What is not finite is written as text.
    if (const auto* text = as<ir::StrAttr>(value)) {
      const std::string t = text->value.string();  // the value replaces the node that holds it
      if (t == "inf") value = ir::floatAttr(std::numeric_limits<double>::infinity());
      if (t == "-inf") value = ir::floatAttr(-std::numeric_limits<double>::infinity());
      if (t == "nan" || t == "-nan") value = ir::floatAttr(std::numeric_limits<double>::quiet_NaN());
    }
    real |= isa<ir::FloatAttr>(value);
    boolean &= isa<ir::BoolAttr>(value);
    if (!isa<ir::FloatAttr>(value) && !isa<ir::IntAttr>(value) && !isa<ir::BoolAttr>(value)) {
      return error(args.call, "script.argument", "a constant is a number or a list of numbers");
    }
  }
  DataType type = real ? DataType::Float(32) : boolean ? DataType::Bool() : DataType::Int(32);
  if (!isNone(given)) {
    auto parsed = toType(given, args.call);
    if (!parsed) return nullptr;
    if (!parsed->isVoid()) type = *parsed;
  } else if (const auto* d = as<relax::DTensorStructInfo>(declared); d && !d->tensor->dtype.isVoid()) {
    type = d->tensor->dtype;
  }
  auto tensor = HostTensor::allocate(shape, type);
  if (!tensor) return error(args.call, "relax.constant", "a constant of this shape and type can not be made");
  for (size_t i = 0; i < flat.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    if (const auto* f = as<ir::FloatAttr>(flat[i])) {
      (*tensor)->set(at, f->value);
    } else {
      int64_t v = isa<ir::IntAttr>(flat[i]) ? as<ir::IntAttr>(flat[i])->value : as<ir::BoolAttr>(flat[i])->value;
      if (type.isIntegral()) {
        (*tensor)->setInt(at, v);
      } else {
        (*tensor)->set(at, static_cast<double>(v));
      }
    }
  }
  if (!declared) {
    std::vector<PrimExpr> dims;
    for (int64_t d : shape) dims.push_back(tir::intImm(d, DataType::Int(64)));
    declared = relax::tensorSinfo(dims, type);
  }
  return withSpan(make<relax::Constant>(Ref<HostTensor>(*tensor), declared), spanOf(args.call));
}

NodeRef Reader::rPrimValue(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "R.prim_value takes one value");
  const NodeRef& v = args.values[0];
  if (const auto* i = as<ir::IntAttr>(v)) return make<relax::PrimValue>(tir::intImm(i->value, DataType::Int(64)));
  if (const auto* b = as<ir::BoolAttr>(v)) return make<relax::PrimValue>(tir::intImm(b->value, DataType::Int(64)));
  if (const auto* f = as<ir::FloatAttr>(v))
    return make<relax::PrimValue>(PrimExpr(make<tir::FloatImm>(DataType::Float(64), f->value)));
  if (isa<relax::PrimValue>(v)) return v;
  PrimExpr p = toPrim(v, args.call);
  return p ? make<relax::PrimValue>(p) : nullptr;
}

NodeRef Reader::rStr(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "R.str takes one text");
  auto text = toText(args.values[0], args.call);
  return text ? make<relax::StringImm>(*text) : nullptr;
}

NodeRef Reader::rDtype(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "R.dtype takes one type");
  auto type = toType(args.values[0], args.call);
  return type ? make<relax::DataTypeImm>(*type) : nullptr;
}

NodeRef Reader::rShape(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "R.shape takes a list");
  std::vector<PrimExpr> dims;
  if (!toDims(args.values[0], args.nodes[0], dims)) return nullptr;
  return make<relax::ShapeExpr>(Array<PrimExpr>(std::move(dims)));
}

NodeRef Reader::rTuple(const Args& args, uint32_t) {
  std::vector<Expr> items;
  for (const NodeRef& value : args.values) {
    items.push_back(argumentOf(value));
    if (!items.back()) return error(args.call, "script.argument", "a field of the tuple is no Relax value");
  }
  return make<relax::Tuple>(Array<Expr>(std::move(items)));
}

NodeRef Reader::rTupleGetItem(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"tuple", "index"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  auto index = toInt(v[1], args.call);
  Expr tuple = op::toExpr(v[0]);
  if (!tuple || !index || *index < 0)
    return error(args.call, "script.argument", "a tuple and an index are needed here");
  return make<relax::TupleGetItem>(tuple, *index);
}

NodeRef Reader::rMatchCast(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"value", "struct_info"};
  Args renamed = args;
  for (auto& [name, value] : renamed.keywords) {
    if (names_.text(name) == "ty") name = names_.intern("struct_info");
  }
  if (!bind(renamed, kNames, 2, v)) return nullptr;
  Expr value = op::toExpr(v[0]);
  if (!value) return error(args.call, "script.argument", "R.match_cast needs a Relax value");
  StructInfo info = toSinfo(v[1], args.nodes.size() > 1 ? args.nodes[1] : args.call);
  return info ? make<relax::MatchCast>(relax::VarRef(), value, info) : nullptr;
}

NodeRef Reader::rMatchShape(const Args& args, uint32_t) {
  // 2022: match_shape(x, (n, m)) of a tensor or of its shape; the type of the tensor is not told.
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"value", "pattern"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Expr value = op::toExpr(v[0]);
  const auto* list = as<ir::ArrayAttr>(v[1]);
  if (!value || !list) return error(args.call, "script.argument", "match_shape needs a value and a list of dimensions");
  std::vector<NodeId> kids;
  if (args.nodes.size() > 1 && args.nodes[1])
    kids.assign(syntax_->kids(at(args.nodes[1])).begin(), syntax_->kids(at(args.nodes[1])).end());
  std::vector<PrimExpr> dims;
  for (size_t i = 0; i < list->items.size(); ++i) {
    dims.push_back(dimOf(list->items[i], i < kids.size() ? kids[i] : args.call));
    if (!dims.back()) return nullptr;
  }
  bool ofShape = isa<relax::ShapeStructInfo>(value->sinfo);
  if (const auto* call = as<relax::Call>(value)) {
    const auto* op = as<relax::Op>(call->op);
    ofShape |= op && op->name == "relax.shape_of";
  }
  if (ofShape)
    return make<relax::MatchCast>(relax::VarRef(), value, make<relax::ShapeStructInfo>(Array<PrimExpr>(dims)));
  DataType type = DataType::Void();
  if (const auto* tensor = as<relax::TensorStructInfo>(value->sinfo)) type = tensor->dtype;
  return make<relax::MatchCast>(relax::VarRef(), value, relax::tensorSinfo(dims, type));
}

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
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
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
  auto dict = refAs<ir::DictAttrs>(attrValue(args.values[0]));
  for (size_t f = relax_->frames.size(); f-- > 0;) {
    if (relax_->frames[f].kind != RelaxFrameKind::Function) continue;
    for (size_t i = 0; i < dict->size(); ++i) relax_->frames[f].attrs.emplace_back(dict->keys[i], dict->values[i]);
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

// Sugar ---------------------------------------------------------------------------------------------------------------

namespace {
struct OperatorRow {
  Tok tok;
  std::string_view op;
};
constexpr OperatorRow kOperators[] = {{Tok::Plus, "relax.add"},
                                      {Tok::Minus, "relax.subtract"},
                                      {Tok::Star, "relax.multiply"},
                                      {Tok::Slash, "relax.divide"},
                                      {Tok::DoubleSlash, "relax.floor_divide"},
                                      {Tok::Percent, "relax.floor_mod"},
                                      {Tok::DoubleStar, "relax.power"},
                                      {Tok::Lt, "relax.less"},
                                      {Tok::Gt, "relax.greater"},
                                      {Tok::Le, "relax.less_equal"},
                                      {Tok::Ge, "relax.greater_equal"}};
}  // namespace

NodeRef Reader::relaxBinary(Tok op, const NodeRef& a, const NodeRef& b, NodeId at) {
  Args args;
  args.call = at;
  if (!b) {
    if (op != Tok::Minus) return error(at, "relax.operator", "this operator does not apply to a Relax value");
    args.values = {a};
    args.nodes = {kNoNode};
    return callOp(*op::findOp("relax.negative"), args);
  }
  // Arithmetic of symbolic values stays symbolic.
  auto symbolic = [&](const NodeRef& v) {
    return !isa<relax::ExprNode>(v) || (isa<relax::Var>(v) && tryPrim(v)) || isa<relax::PrimValue>(v);
  };
  if (symbolic(a) && symbolic(b)) {
    PrimExpr x = tryPrim(a), y = tryPrim(b);
    if (x && y) return op >= Tok::Lt && op <= Tok::NotEq ? compare(op, x, y, at) : binary(op, x, y, at);
  }
  const OperatorRow* row = nullptr;
  for (const OperatorRow& r : kOperators) {
    if (r.tok == op) row = &r;
  }
  if (!row)
    return error(at, "relax.operator", "this operator does not apply to Relax values",
                 op == Tok::EqEq ? "write R.equal(a, b)" : "");
  for (const NodeRef& v : {a, b}) {
    if (isa<relax::ExprNode>(v)) continue;
    return error(at, "relax.operator", "a number can not be combined with a Relax value",
                 "write R.const(number, dtype)");
  }
  args.values = {a, b};
  args.nodes = {kNoNode, kNoNode};
  return callOp(*op::findOp(row->op), args);
}

NodeRef Reader::relaxMethod(const NodeRef& value, NameId method, NodeId id) {
  std::string_view name = names_.text(method);
  Args args;
  if (name == "astype") {
    if (!readArgs(id, args)) return nullptr;
    args.values.insert(args.values.begin(), value);
    args.nodes.insert(args.nodes.begin(), kNoNode);
    return callOp(*op::findOp("relax.astype"), args);
  }
  return error(id, "script.attribute", "a Relax value has no method '" + std::string(name) + "'");
}

namespace {
struct InspectRow {
  std::string_view path, op;
};
constexpr InspectRow kInspect[] = {
    {"dtype.bits", "relax.inspect.tensor_dtype_bits"},      {"dtype.lanes", "relax.inspect.tensor_dtype_lanes"},
    {"dtype.type_code", "relax.inspect.tensor_dtype_code"}, {"ndim", "relax.inspect.tensor_ndim"},
    {"byte_offset", "relax.inspect.tensor_byte_offset"},    {"elem_offset", "relax.inspect.tensor_elem_offset"}};
}  // namespace

NodeRef Reader::relaxAttr(const NodeRef& value, NameId name, NodeId id) {
  std::string text = nameText(name);
  if ((text == "struct_info" || text == "ty") && as<relax::ExprNode>(value)->sinfo)
    return as<relax::ExprNode>(value)->sinfo;
  if (text == "dtype" || text == "strides") {
    // Marks the attribute; its part is read by the attribute or index around it.
    return make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("relax." + text), value}});
  }
  Args args;
  args.call = id;
  args.values = {value};
  args.nodes = {kNoNode};
  if (text == "shape") return callOp(*op::findOp("relax.shape_of"), args);
  for (const InspectRow& row : kInspect) {
    if (row.path == text) {
      const op::OpRow* found = op::findOp(row.op);
      if (found) return callOp(*found, args);
    }
  }
  return error(id, "script.attribute", "a Relax value has no attribute '" + text + "'");
}

NodeRef Reader::relaxIndex(const NodeRef& value, const SynNode& index, NodeId id) {
  bool ok = true;
  std::vector<NodeRef> indices = evalIndices(index, ok);
  if (!ok) return nullptr;
  if (indices.size() != 1) return error(id, "relax.index", "one index is needed here");
  // x.shape[i] asks for a dimension.
  const auto* call = as<relax::Call>(value);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  if (op && op->name == "relax.shape_of") {
    Args args;
    args.call = id;
    args.values = {call->args[0], indices[0]};
    args.nodes = {kNoNode, kNoNode};
    if (const op::OpRow* row = op::findOp("relax.inspect.tensor_shape_i")) return callOp(*row, args);
  }
  auto i = toInt(indices[0], id);
  if (!i) return nullptr;
  if (const auto* tuple = as<relax::TupleStructInfo>(
          value->kind() >= Kind::relax_Var ? as<relax::ExprNode>(value)->sinfo : StructInfo())) {
    auto size = static_cast<int64_t>(tuple->items.size());
    if (*i < 0) *i += size;
    if (*i < 0 || *i >= size) return error(id, "relax.index", "the tuple has " + std::to_string(size) + " fields");
  }
  if (*i < 0) return error(id, "relax.index", "an index can not be negative here");
  return withSpan(make<relax::TupleGetItem>(refAs<relax::ExprNode>(value), *i), spanOf(id));
}

// I. ------------------------------------------------------------------------------------------------------------------

NodeRef Reader::callI(NodeId id, const std::string& path, NodeId callee) {
  if (!id) return error(callee, "script.unknown-name", "I." + path + " can not stand without a call here");
  Args args;
  if (!readArgs(id, args)) return nullptr;
  if (path == "vdevice") {
    NodeRef v[3];
    static constexpr std::string_view kNames[] = {"target", "vdevice_id", "memory_scope"};
    if (!bind(args, kNames, 0, v)) return nullptr;
    auto index = isNone(v[1]) ? std::optional<int64_t>(0) : toInt(v[1], id);
    auto scope = isNone(v[2]) ? std::optional<Str>(Str("global")) : toText(v[2], id);
    if (!index || !scope) return nullptr;
    NodeRef target = isNone(v[0]) ? ir::strAttr(Str("")) : targetForm(attrValue(v[0]));
    return make<ir::VDevice>(target, *index, *scope);
  }
  if (path == "Range") return tRange(args, 0);
  if (path == "dummy_global_info") return make<ir::DummyGlobalInfo>();
  if (path == "meta_var") return tIdentity(args, 0);
  if (path == "module_attrs" || path == "module_attr") {
    if (args.values.empty() || !isa<ir::DictAttrs>(args.values[0]))
      return error(id, "script.argument", "I.module_attrs takes a dictionary");
    relax_->attrs = refAs<ir::DictAttrs>(attrValue(args.values[0]));
    return ir::nullAttr();
  }
  if (path == "module_global_infos") {
    if (args.values.empty() || !isa<ir::DictAttrs>(args.values[0]))
      return error(id, "script.argument", "I.module_global_infos takes a dictionary");
    relax_->module.setGlobalInfos(refAs<ir::DictAttrs>(args.values[0]));
    return ir::nullAttr();
  }
  return error(callee, "script.unknown-name", "I." + path + " is not a name of TVMScript");
}

}  // namespace rx::script
