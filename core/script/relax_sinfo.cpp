// StructInfo in text: R.Tensor, R.Shape and their kin, of every era.
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/script/relax_reader.h"

namespace rx::script {

using relax::StructInfo;
using tir::PrimExpr;

StructInfo Reader::toSinfo(const NodeRef& v, NodeId at) {
  if (isa<relax::StructInfoNode>(v)) return refAs<relax::StructInfoNode>(v);
  if (const auto* type = as<ir::TypeAttr>(v)) {  // T.int64 as a type (v0.26)
    return make<relax::PrimStructInfo>(type->value);
  }
  if (const auto* array = as<ir::ArrayAttr>(v)) {
    std::vector<StructInfo> fields;
    for (const NodeRef& item : array->items) {
      fields.push_back(toSinfo(item, at));
      if (!fields.back()) return nullptr;
    }
    return relax::tupleSinfo(std::move(fields));
  }
  if (isa<ir::NullAttr>(v)) return relax::voidSinfo();
  if (v) error(at, "relax.annotation", "a type such as R.Tensor(...) is needed here");
  return nullptr;
}

/// The value of a text in the place `at`: an expression over the symbolic names of the function.
NodeRef Reader::evalDimensionText(const ir::StrAttr& text, NodeId at, NodeId& expr) {
  if (!relax_ || !relax_->symbolicTexts) {
    return error(at, "relax.dimension", "a dimension as text stands only in the signature of a function",
                 "write the variable itself");
  }
  std::string_view literal = at ? syntax_->textOf(at) : std::string_view();
  size_t inside = literal.empty() ? std::string_view::npos : literal.find(text.value.view());
  if (inside == std::string_view::npos || text.value.empty()) {
    return error(at, "relax.dimension", "this text is no dimension");
  }
  uint32_t begin = syntax_->node(at).begin + static_cast<uint32_t>(inside);
  expr = syntax_->expressionIn(begin, begin + static_cast<uint32_t>(text.value.view().size()));
  takeSyntaxErrors();
  if (!expr) return nullptr;
  bool tir = inTir_;
  inTir_ = true;
  NodeRef value = eval(expr);
  inTir_ = tir;
  return value;
}

PrimExpr Reader::dimOf(const NodeRef& v, NodeId at) {
  if (const auto* i = as<ir::IntAttr>(v)) return tir::intImm(i->value, DataType::Int(64));
  if (const auto* text = as<ir::StrAttr>(v)) {
    NodeId expr = kNoNode;
    NodeRef value = evalDimensionText(*text, at, expr);
    return value ? dimOf(value, expr) : nullptr;
  }
  PrimExpr p = toPrim(v, at);
  if (!p) return nullptr;
  if (const auto* i = as<tir::IntImm>(p)) return tir::intImm(i->value, DataType::Int(64));
  if (p->dtype != DataType::Int(64)) {
    if (p->dtype.isInt() && !isa<tir::Var>(p)) return arith::cast(DataType::Int(64), p);
    error(at, "relax.dimension", "a dimension must be int64, this is " + p->dtype.str());
    return nullptr;
  }
  return p;
}

bool Reader::toDims(const NodeRef& v, NodeId at, std::vector<PrimExpr>& dims) {
  const auto* array = as<ir::ArrayAttr>(v);
  if (!array) {
    if (v) error(at, "relax.dimension", "the dimensions must be a list or tuple");
    return false;
  }
  std::vector<NodeId> kids;
  if (at && (this->at(at).kind == Syn::Tuple || this->at(at).kind == Syn::List)) {
    kids.assign(syntax_->kids(this->at(at)).begin(), syntax_->kids(this->at(at)).end());
  }
  for (size_t i = 0; i < array->items.size(); ++i) {
    NodeId kid = kids.size() == array->items.size() ? kids[i] : at;
    dims.push_back(dimOf(array->items[i], kid));
    if (!dims.back()) return false;
  }
  return true;
}

NodeRef Reader::vdeviceOf(const NodeRef& v, NodeId at) {
  if (isNone(v)) return nullptr;
  if (isa<ir::VDevice>(v)) return v;
  const auto* text = as<ir::StrAttr>(v);
  if (!text) return error(at, "relax.vdevice", "a device such as \"cuda:0\" is needed here");
  std::string spec = text->value.string();
  std::string kind = spec.substr(0, spec.find(':'));
  int64_t index = 0;
  std::string scope = "global";
  if (size_t first = spec.find(':'); first != std::string::npos) {
    size_t second = spec.find(':', first + 1);
    std::string number = spec.substr(first + 1, second == std::string::npos ? second : second - first - 1);
    if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos) {
      return error(at, "relax.vdevice", "'" + number + "' is no index of a device");
    }
    index = std::stoll(number);
    if (second != std::string::npos) scope = spec.substr(second + 1);
  }
  int64_t seen = 0;
  bool any = false;
  if (const auto* list = as<ir::ArrayAttr>(ir::attrOf(relax_->module.globalInfos(), "vdevice"))) {
    for (const NodeRef& item : list->items) {
      const auto* device = as<ir::VDevice>(item);
      if (!device) continue;
      any = true;
      // "cuda:1" is the second device of its kind, "vdevice:1" the second of all.
      if ((kind == "vdevice" || ir::targetKind(device->target) == kind) && seen++ == index) return item;
    }
  }
  if (any)
    return error(at, "relax.vdevice", "the module declares no device '" + kind + ":" + std::to_string(index) + "'",
                 "add it to I.module_global_infos");
  return make<ir::VDevice>(ir::strAttr(Str(kind)), index, Str(scope));
}

NodeRef Reader::sTensor(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"shape", "dtype", "vdevice", "ndim"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  NodeId shapeNode = args.nodes.empty() ? kNoNode : args.nodes[0];
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    if (names_.text(args.keywords[i].first) == "shape") shapeNode = args.keywordNodes[i];
  }
  if (isa<ir::StrAttr>(v[0]) && isNone(v[1])) std::swap(v[0], v[1]);
  auto type = isNone(v[1]) ? std::optional<DataType>(DataType::Void()) : toType(v[1], args.call);
  if (!type) return nullptr;
  int64_t ndim = relax::kUnknownDim;
  if (!isNone(v[3])) {
    auto n = toInt(v[3], args.call);
    if (!n) return nullptr;
    if (*n < -1)
      return error(args.call, "relax.dimension", "a tensor can not have " + std::to_string(*n) + " dimensions");
    ndim = *n;
  }
  NodeRef device = vdeviceOf(v[2], args.call);
  if (!isNone(v[2]) && !device) return nullptr;
  auto vdevice = refAs<ir::VDevice>(device);
  if (isNone(v[0])) return make<relax::TensorStructInfo>(*type, ndim, vdevice);
  if (ndim != relax::kUnknownDim) {
    return error(args.call, "relax.dimension", "shape and ndim can not both be given", "leave out ndim");
  }
  if (isa<relax::ExprNode>(v[0]) && !isa<relax::PrimValue>(v[0])) {
    const auto* var = as<relax::Var>(v[0]);
    if (!isa<relax::ShapeExpr>(v[0]) && !(var && (!var->sinfo || isa<relax::ShapeStructInfo>(var->sinfo)))) {
      return error(args.call, "relax.dimension", "the shape of a tensor is a list of dimensions or a shape variable",
                   "bind the shape to a variable, or leave it out and give ndim");
    }
    return make<relax::TensorStructInfo>(refAs<relax::ExprNode>(v[0]), *type, vdevice);
  }
  std::vector<PrimExpr> dims;
  if (!toDims(v[0], shapeNode, dims)) return nullptr;
  return sharedTensor(std::move(dims), *type, vdevice);
}

relax::StructInfo Reader::sharedTensor(std::vector<PrimExpr> dims, DataType type, const Ref<ir::VDevice>& vdevice) {
  auto same = [&](const Ref<relax::TensorStructInfo>& known) {
    const auto* shape = known ? as<relax::ShapeExpr>(known->shape) : nullptr;
    return shape && known->dtype == type && known->vdevice == vdevice && shape->values.size() == dims.size() &&
           std::equal(dims.begin(), dims.end(), shape->values.begin(), op::plainlyEqual);
  };
  for (const auto& known : recentTensors_) {
    if (same(known)) return known;
  }
  auto made = make<relax::TensorStructInfo>(relax::Expr(make<relax::ShapeExpr>(Array<PrimExpr>(std::move(dims)))), type,
                                            vdevice);
  recentTensors_[nextRecent_++ % recentTensors_.size()] = made;
  return made;
}

NodeRef Reader::meshOf(const NodeRef& v, NodeId at) {
  if (isa<ir::DeviceMesh>(v)) return v;
  const auto* text = as<ir::StrAttr>(v);
  if (!text) return error(at, "relax.mesh", "a device mesh such as \"mesh[0]\" is needed here");
  std::string spec = text->value.string();
  size_t open = spec.find('[');
  std::string name = spec.substr(0, open);
  size_t index = 0;
  if (open != std::string::npos) {
    for (size_t i = open + 1; i < spec.size() && spec[i] >= '0' && spec[i] <= '9' && index < 100000; ++i) {
      index = index * 10 + static_cast<size_t>(spec[i] - '0');
    }
  }
  NodeRef found = ir::attrOf(relax_->module.globalInfos(), name);
  const auto* list = as<ir::ArrayAttr>(found);
  if (!list || index >= list->items.size() || !isa<ir::DeviceMesh>(list->items[index])) {
    return error(at, "relax.mesh", "the module declares no device mesh '" + spec + "'",
                 "add it to I.module_global_infos");
  }
  return list->items[index];
}

Ref<ir::Placement> Reader::placementOf(const NodeRef& v, NodeId at) {
  if (isa<ir::Placement>(v)) return refAs<ir::Placement>(v);
  const auto* text = as<ir::StrAttr>(v);
  if (!text) {
    error(at, "relax.placement", "a placement such as \"S[0], R\" is needed here");
    return nullptr;
  }
  std::vector<Ref<ir::PlacementSpec>> specs;
  std::string_view s = text->value.view();
  size_t i = 0;
  while (i < s.size()) {
    if (s[i] == 'R') {
      specs.push_back(make<ir::PlacementSpec>(-1));
      ++i;
    } else if (s[i] == 'S' && i + 2 < s.size() && s[i + 1] == '[') {
      int64_t axis = 0;
      i += 2;
      for (; i < s.size() && s[i] >= '0' && s[i] <= '9' && axis < 10000; ++i) axis = axis * 10 + (s[i] - '0');
      if (i < s.size() && s[i] == ']') ++i;
      specs.push_back(make<ir::PlacementSpec>(axis));
    } else if (s[i] == ' ' || s[i] == ',') {
      ++i;
    } else {
      error(at, "relax.placement", "'" + text->value.string() + "' is no placement",
            "write S[axis] or R for each dimension of the mesh");
      return nullptr;
    }
  }
  return make<ir::Placement>(Array<Ref<ir::PlacementSpec>>(std::move(specs)));
}

NodeRef Reader::sDTensor(const Args& args, uint32_t) {
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"shape", "dtype", "device_mesh", "placement", "ndim"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  Args tensor;
  tensor.call = args.call;
  tensor.nodes = args.nodes;
  if (tensor.nodes.size() > 2) tensor.nodes.resize(2);
  tensor.values = {v[0] ? v[0] : ir::nullAttr(), v[1] ? v[1] : ir::nullAttr()};
  tensor.nodes.resize(2, kNoNode);
  if (!isNone(v[4])) tensor.keywords.emplace_back(names_.intern("ndim"), v[4]);
  NodeRef info = sTensor(tensor, 0);
  if (!info) return nullptr;
  NodeRef mesh = isNone(v[2]) ? NodeRef(make<ir::DeviceMesh>(Array<int64_t>(), Array<int64_t>(), nullptr))
                              : meshOf(v[2], args.call);
  if (!mesh) return nullptr;
  Ref<ir::Placement> placement =
      isNone(v[3]) ? make<ir::Placement>(Array<Ref<ir::PlacementSpec>>()) : placementOf(v[3], args.call);
  if (!placement) return nullptr;
  return make<relax::DTensorStructInfo>(refAs<relax::TensorStructInfo>(info), refAs<ir::DeviceMesh>(mesh), placement);
}

NodeRef Reader::sShape(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"values", "ndim"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  if (isNone(v[0])) {
    auto n = isNone(v[1]) ? std::optional<int64_t>(relax::kUnknownDim) : toInt(v[1], args.call);
    return n ? make<relax::ShapeStructInfo>(*n) : nullptr;
  }
  if (!isNone(v[1]) && toInt(v[1], args.call).value_or(-1) != -1) {
    return error(args.call, "relax.dimension", "values and ndim can not both be given");
  }
  std::vector<PrimExpr> dims;
  if (!toDims(v[0], args.nodes.empty() ? kNoNode : args.nodes[0], dims)) return nullptr;
  return make<relax::ShapeStructInfo>(Array<PrimExpr>(std::move(dims)));
}

NodeRef Reader::sPrim(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"dtype", "value"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  if (isNone(v[1])) {
    if (isa<tir::ExprNode>(v[0]) && !isa<tir::StringImm>(v[0]))
      return make<relax::PrimStructInfo>(refAs<tir::ExprNode>(v[0]));
    if (isNone(v[0])) return error(args.call, "script.argument", "R.Prim needs a type or a value");
    auto type = toType(v[0], args.call);
    return type ? make<relax::PrimStructInfo>(*type) : nullptr;
  }
  NodeId node = args.call;
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    if (names_.text(args.keywords[i].first) == "value") node = args.keywordNodes[i];
  }
  if (const auto* text = as<ir::StrAttr>(v[1])) {
    v[1] = evalDimensionText(*text, node, node);
    if (!v[1]) return nullptr;
  }
  PrimExpr value = isa<tir::ExprNode>(v[1])                              ? refAs<tir::ExprNode>(v[1])
                   : isa<ir::FloatAttr>(v[1]) || isa<ir::BoolAttr>(v[1]) ? toPrim(v[1], node)
                                                                         : dimOf(v[1], node);
  return value ? make<relax::PrimStructInfo>(value) : nullptr;
}

NodeRef Reader::sTuple(const Args& args, uint32_t) {
  if (!args.keywords.empty()) return error(args.call, "script.argument", "R.Tuple takes no named arguments");
  const auto* list = args.values.size() == 1 ? as<ir::ArrayAttr>(args.values[0]) : nullptr;
  std::vector<NodeRef> values = list ? list->items.vector() : args.values;
  std::vector<StructInfo> fields;
  for (const NodeRef& value : values) {
    fields.push_back(toSinfo(value, args.call));
    if (!fields.back()) return nullptr;
  }
  return relax::tupleSinfo(std::move(fields));
}

NodeRef Reader::sCallable(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"params", "ret", "purity", "derive_func"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  bool pure = isNone(v[2]) ? !isNone(v[0]) : toInt(v[2], args.call).value_or(1) != 0;
  if (isNone(v[0])) {
    StructInfo ret = isNone(v[1]) ? relax::objectSinfo() : toSinfo(v[1], args.call);
    if (!ret) return nullptr;
    Str derive;
    if (!isNone(v[3])) {
      auto text = toText(v[3], args.call);
      if (!text) return nullptr;
      derive = *text;
    }
    return relax::FuncStructInfo::opaque(ret, pure, derive);
  }
  if (!isNone(v[3])) {
    return error(args.call, "relax.func-form", "a function's type has parameters or a derivation rule, not both",
                 "leave out one of params and derive_func");
  }
  std::vector<StructInfo> params;
  if (const auto* list = as<ir::ArrayAttr>(v[0])) {
    for (const NodeRef& item : list->items) {
      params.push_back(toSinfo(item, args.call));
      if (!params.back()) return nullptr;
    }
  } else {
    params.push_back(toSinfo(v[0], args.call));
    if (!params.back()) return nullptr;
  }
  StructInfo ret = isNone(v[1]) ? relax::objectSinfo() : toSinfo(v[1], args.call);
  if (!ret) return nullptr;
  return make<relax::FuncStructInfo>(Array<StructInfo>(std::move(params)), ret, pure);
}

NodeRef Reader::sObject(const Args&, uint32_t) { return relax::objectSinfo(); }

}  // namespace rx::script
