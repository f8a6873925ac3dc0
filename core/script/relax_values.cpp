// Calls of `R.` that write a value: constants, shapes, tuples, casts.
#include <cmath>
#include <limits>

#include "core/arith/fold.h"
#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

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
    if (names_.text(name) == "struct_info" || names_.text(name) == "ty") distributed = value;
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
  if (type.lanes != 1)
    return error(args.call, "relax.constant", "the elements of a tensor are no vectors, as " + type.str() + " says");
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

}  // namespace rx::script
