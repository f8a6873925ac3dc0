#include "core/op/make_call.h"

#include <fmt/format.h>

#include "core/ir/prim_value.h"
#include "core/support/nearest.h"

namespace rx::op {

using relax::Expr;

const NodeRef& BoundCall::get(std::string_view param) const {
  const int index = row->paramIndex(param);
  RX_ASSERT(index >= 0, "{} has no parameter {}", row->name(), param);
  return values[static_cast<size_t>(index)];
}

void BoundCall::set(std::string_view param, NodeRef value) {
  const int index = row->paramIndex(param);
  RX_ASSERT(index >= 0, "{} has no parameter {}", row->name(), param);
  values[static_cast<size_t>(index)] = std::move(value);
}

Expr toExpr(const NodeRef& value) {
  if (auto expr = refAs<relax::ExprNode>(value)) return expr;
  if (auto prim = refAs<tir::ExprNode>(value)) return make<relax::PrimValue>(prim);
  if (const auto* number = as<ir::IntAttr>(value)) return relax::primValue(number->value);
  if (const auto* truth = as<ir::BoolAttr>(value)) return relax::primValue(truth->value ? 1 : 0);
  if (const auto* real = as<ir::FloatAttr>(value)) {
    return make<relax::PrimValue>(tir::floatImm(real->value, DataType::Float(64)));
  }
  if (const auto* text = as<ir::StrAttr>(value)) return make<relax::StringImm>(text->value);
  if (const auto* type = as<ir::TypeAttr>(value)) return make<relax::DataTypeImm>(type->value);
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::vector<Expr> items;
    items.reserve(list->items.size());
    for (const NodeRef& item : list->items) {
      Expr expr = toExpr(item);
      if (!expr) return nullptr;
      items.push_back(std::move(expr));
    }
    return make<relax::Tuple>(Array<Expr>(std::move(items)));
  }
  return nullptr;
}

tir::PrimExpr toPrimExpr(const NodeRef& value) {
  if (auto prim = refAs<tir::ExprNode>(value)) return prim;
  if (const auto* number = as<ir::IntAttr>(value)) return tir::intImm(number->value);
  if (const auto* boxed = as<relax::PrimValue>(value)) return boxed->value;
  return nullptr;
}

namespace {
template <class Items>
Expr shapeOf(const Items& items) {
  std::vector<tir::PrimExpr> dims;
  dims.reserve(items.size());
  for (const auto& item : items) {
    tir::PrimExpr dim = toPrimExpr(item);
    if (!dim) return nullptr;
    dims.push_back(std::move(dim));
  }
  return make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)));
}

/// What a parameter wants, for messages.
std::string_view wanted(ParamKind kind) {
  switch (kind) {
    case ParamKind::Expr:
      return "an expression";
    case ParamKind::Func:
      return "a function";
    case ParamKind::Shape:
      return "a shape";
    case ParamKind::Tuple:
      return "a tuple";
    case ParamKind::Prims:
      return "a tuple of integers";
    case ParamKind::Prim:
      return "a number";
    case ParamKind::StrArg:
    case ParamKind::String:
      return "a string";
    case ParamKind::DTypeArg:
    case ParamKind::DType:
      return "a data type";
    case ParamKind::Int:
      return "an integer";
    case ParamKind::Float:
      return "a number";
    case ParamKind::Bool:
      return "a bool";
    case ParamKind::Ints:
      return "a list of integers";
    case ParamKind::Floats:
      return "a list of numbers";
    case ParamKind::PrimsAttr:
      return "a list of integers";
    case ParamKind::Attr:
      return "a value";
    case ParamKind::Sinfo:
    case ParamKind::Sinfos:
      return "StructInfo";
  }
  return "a value";
}

NodeRef asTuple(const NodeRef& value) {
  // A lone PrimValue or number where a tuple is wanted is a tuple of one.
  Expr expr = toExpr(value);
  if (expr && isa<relax::PrimValue>(expr)) return make<relax::Tuple>(Array<Expr>{expr});
  return expr;
}

NodeRef asInt(const NodeRef& value) {
  if (isa<ir::IntAttr>(value)) return value;
  if (const auto* truth = as<ir::BoolAttr>(value)) return ir::intAttr(truth->value ? 1 : 0);
  if (tir::PrimExpr prim = toPrimExpr(value)) {
    if (auto constant = tir::asInt(prim)) return ir::intAttr(*constant);
  }
  return nullptr;
}

NodeRef asFloat(const NodeRef& value) {
  if (isa<ir::FloatAttr>(value)) return value;
  if (const auto* number = as<ir::IntAttr>(value)) return ir::floatAttr(static_cast<double>(number->value));
  if (const auto* boxed = as<relax::PrimValue>(value)) return asFloat(boxed->value);
  if (const auto* imm = as<tir::FloatImm>(value)) return ir::floatAttr(imm->value);
  if (const auto* imm = as<tir::IntImm>(value)) return ir::floatAttr(static_cast<double>(imm->value));
  return nullptr;
}

NodeRef asBool(const NodeRef& value) {
  if (isa<ir::BoolAttr>(value)) return value;
  if (NodeRef number = asInt(value)) return ir::boolAttr(as<ir::IntAttr>(number)->value != 0);
  return nullptr;
}

NodeRef asString(const NodeRef& value) {
  if (isa<ir::StrAttr>(value)) return value;
  if (const auto* text = as<relax::StringImm>(value)) return ir::strAttr(text->value);
  if (const auto* text = as<tir::StringImm>(value)) return ir::strAttr(text->value);
  return nullptr;
}

NodeRef asType(const NodeRef& value) {
  if (isa<ir::TypeAttr>(value)) return value;
  if (const auto* type = as<relax::DataTypeImm>(value)) return ir::typeAttr(type->value);
  if (isa<ir::NullAttr>(value)) return ir::typeAttr(DataType::Void());
  if (NodeRef text = asString(value)) {
    if (auto type = DataType::parse(as<ir::StrAttr>(text)->value)) return ir::typeAttr(*type);
  }
  return nullptr;
}

/// A list whose elements all convert; a lone value that converts is a list of one.
NodeRef asList(const NodeRef& value, NodeRef (*element)(const NodeRef&)) {
  std::vector<NodeRef> items;
  auto take = [&](const NodeRef& item) {
    items.push_back(element(item));
    return items.back() != nullptr;
  };
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    bool same = true;
    for (const NodeRef& item : list->items) {
      if (!take(item)) return nullptr;
      same = same && items.back() == item;
    }
    if (same) return value;
  } else if (const auto* tuple = as<relax::Tuple>(value)) {
    for (const Expr& item : tuple->items) {
      if (!take(item)) return nullptr;
    }
  } else if (const auto* shape = as<relax::ShapeExpr>(value)) {
    for (const tir::PrimExpr& item : shape->values) {
      if (!take(item)) return nullptr;
    }
  } else if (!take(value)) {
    return nullptr;
  }
  return ir::arrayAttr(std::move(items));
}

/// An element of a list of symbolic integers: a constant is an IntAttr.
NodeRef asDimension(const NodeRef& value) {
  if (NodeRef number = asInt(value)) return number;
  tir::PrimExpr prim = toPrimExpr(value);
  return prim && prim->dtype.isScalar() && prim->dtype.isIntegral() ? prim : nullptr;
}

NodeRef asSinfo(const NodeRef& value) {
  if (isa<relax::StructInfoNode>(value)) return value;
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::vector<relax::StructInfo> items;
    for (const NodeRef& item : list->items) {
      auto info = refAs<relax::StructInfoNode>(item);
      if (!info) return nullptr;
      items.push_back(info);
    }
    return items.size() == 1 ? NodeRef(items[0]) : NodeRef(relax::tupleSinfo(std::move(items)));
  }
  return nullptr;
}

NodeRef asAttr(const NodeRef& value) {
  // A constant integer expression and an integer of the text are the same attribute.
  if (const auto* imm = as<tir::IntImm>(value); imm && !imm->dtype.isBool()) return ir::intAttr(imm->value);
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    (void)list;
    return asList(value, asAttr);
  }
  return value;
}

/// The value in the form that the parameter stores, or null when it is not one.
NodeRef converted(const OpParam& param, const NodeRef& value) {
  switch (param.kind) {
    case ParamKind::Expr:
      return toExpr(value);
    case ParamKind::Func:
      if (const auto* text = as<ir::StrAttr>(value)) return make<relax::ExternFunc>(text->value);
      return toExpr(value);
    case ParamKind::Shape:
      // `R.tuple()` is what stands for an argument that is not given.
      if (const auto* tuple = as<relax::Tuple>(value); tuple && param.optional && tuple->items.empty()) return value;
      return toShape(value);
    case ParamKind::Tuple:
      return toExpr(value);
    case ParamKind::Prims:
      return asTuple(value);
    case ParamKind::Prim:
      return toExpr(value);
    case ParamKind::StrArg:
      return toExpr(value);
    case ParamKind::DTypeArg: {
      if (const auto* text = as<ir::StrAttr>(value)) {
        auto type = DataType::parse(text->value);
        return type ? NodeRef(make<relax::DataTypeImm>(*type)) : nullptr;
      }
      return toExpr(value);
    }
    case ParamKind::Int:
      return asInt(value);
    case ParamKind::Float:
      return asFloat(value);
    case ParamKind::Bool:
      return asBool(value);
    case ParamKind::String:
      return asString(value);
    case ParamKind::DType:
      return asType(value);
    case ParamKind::Ints:
      return asList(value, asInt);
    case ParamKind::Floats:
      return asList(value, asFloat);
    case ParamKind::PrimsAttr:
      return asList(value, asDimension);
    case ParamKind::Attr:
      return asAttr(value);
    case ParamKind::Sinfo:
      return asSinfo(value);
    case ParamKind::Sinfos:
      return value;
  }
  return nullptr;
}

std::string_view canonicalKeyword(std::string_view name) {
  if (name == "out_ty") return "out_sinfo";
  if (name == "ty_args" || name == "type_args") return "sinfo_args";
  return name;
}

Failure refuse(const OpRow& row, std::string message, std::string fix = {}) {
  Diagnostic diagnostic = errorAt({}, "relax.call", fmt::format("{}: {}", row.name(), message));
  diagnostic.fix = std::move(fix);
  return fail(std::move(diagnostic));
}

/// What to write instead of a parameter that the operator does not have.
std::string knownParams(const OpRow& row, std::string_view name) {
  Nearest nearest(name);
  std::string all;
  for (const OpParam& param : row.params) {
    nearest.offer(param.name.view());
    all += (all.empty() ? "" : ", ") + param.name.string();
  }
  std::string fix = nearest.fix();
  return !fix.empty() ? fix : all.empty() ? "it takes no arguments" : "its parameters are " + all;
}

Result<Unit> place(BoundCall& bound, std::span<const NodeRef> positional, std::span<const Keyword> keywords) {
  const OpRow& row = *bound.row;
  size_t next = 0;
  for (size_t i = 0; i < positional.size(); ++i) {
    if (next < row.params.size() && row.params[next].variadic) {
      bound.values[next] =
          ir::arrayAttr(std::vector<NodeRef>(positional.begin() + static_cast<long>(i), positional.end()));
      next = row.params.size();
      break;
    }
    if (next == row.params.size()) {
      return refuse(row, fmt::format("takes at most {} argument{}, but {} are given", row.params.size(),
                                     row.params.size() == 1 ? "" : "s", positional.size()));
    }
    bound.values[next++] = positional[i];
  }
  for (const Keyword& keyword : keywords) {
    const Result<int> index = keywordIndex(row, keyword.name);
    if (!index) return index.failure();
    NodeRef& slot = *index < 0 ? bound.sinfoArgs : bound.values[static_cast<size_t>(*index)];
    if (slot) return refuse(row, fmt::format("parameter '{}' is given twice", keyword.name));
    slot = keyword.value;
  }
  return Unit{};
}

Result<Unit> convert(BoundCall& bound) {
  const OpRow& row = *bound.row;
  for (size_t i = 0; i < row.params.size(); ++i) {
    const OpParam& param = row.params[i];
    NodeRef& value = bound.values[i];
    if (param.variadic) {
      const auto* list = as<ir::ArrayAttr>(value);
      if (!value || isa<ir::NullAttr>(value)) {
        value = ir::arrayAttr({});
      } else if (!list) {
        value = ir::arrayAttr({value});
      } else if (list->items.size() == 1 && isa<ir::ArrayAttr>(list->items[0])) {
        value = list->items[0];
      }
      continue;
    }
    if (!value) {
      value = param.fallback;
      if (!value && !param.optional) {
        return refuse(row,
                      fmt::format("parameter '{}' is missing: it needs {}", param.name.view(), wanted(param.kind)));
      }
      if (!value || isAttribute(param.kind)) continue;
    }
    if (param.optional && isa<ir::NullAttr>(value)) {
      if (isArgument(param.kind)) value = nullptr;
      // A truth has no third value: none is what is meant where nothing is said.
      if (param.kind == ParamKind::Bool && param.fallback) value = param.fallback;
      continue;
    }
    NodeRef stored = converted(param, value);
    if (!stored) {
      const auto* text = as<ir::StrAttr>(value);
      if (text && (param.kind == ParamKind::DType || param.kind == ParamKind::DTypeArg)) {
        return refuse(row, fmt::format("'{}' is not the name of an element type", text->value.view()),
                      "write float32, float16, bfloat16, int64, int32, int8, uint8 or bool, for example");
      }
      return refuse(row, fmt::format("parameter '{}' needs {}", param.name.view(), wanted(param.kind)));
    }
    value = std::move(stored);
  }
  return Unit{};
}

Result<Array<relax::StructInfo>> sinfosOf(const OpRow& row, const NodeRef& value) {
  std::vector<relax::StructInfo> infos;
  if (auto one = refAs<relax::StructInfoNode>(value)) return Array<relax::StructInfo>{one};
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    for (const NodeRef& item : list->items) {
      if (!isa<relax::StructInfoNode>(item)) return refuse(row, "sinfo_args needs StructInfo");
      infos.push_back(cast<relax::StructInfoNode>(item));
    }
  } else if (value && !isa<ir::NullAttr>(value)) {
    return refuse(row, "sinfo_args needs StructInfo");
  }
  return Array<relax::StructInfo>(std::move(infos));
}

Result<Ref<relax::Call>> assemble(const BoundCall& bound) {
  const OpRow& row = *bound.row;
  std::vector<Expr> args;
  Array<relax::StructInfo> sinfoArgs;
  for (uint16_t index : row.argParams) {
    const OpParam& param = row.params[index];
    const NodeRef& value = bound.values[index];
    if (!value) continue;
    if (!param.variadic) {
      args.push_back(cast<relax::ExprNode>(value));
      continue;
    }
    for (const NodeRef& item : cast<ir::ArrayAttr>(value)->items) {
      Expr expr = toExpr(item);
      if (!expr) return refuse(row, fmt::format("parameter '{}' needs {}", param.name.view(), wanted(param.kind)));
      args.push_back(std::move(expr));
    }
  }
  for (size_t i = 0; i < row.params.size(); ++i) {
    const OpParam& param = row.params[i];
    if (param.kind != ParamKind::Sinfo && param.kind != ParamKind::Sinfos) continue;
    RX_TRY(infos, sinfosOf(row, bound.values[i]));
    sinfoArgs = std::move(infos);
  }
  if (bound.sinfoArgs) {
    RX_TRY(infos, sinfosOf(row, bound.sinfoArgs));
    sinfoArgs = std::move(infos);
  }
  bool allDefault = row.defaultAttrs != nullptr;
  for (size_t i = 0; allDefault && i < row.attrParams.size(); ++i) {
    const uint16_t index = row.attrParams[i];
    allDefault = bound.values[index] == row.params[index].fallback;
  }
  ir::Attrs attrs = row.defaultAttrs;
  if (!allDefault && !row.attrParams.empty()) {
    std::vector<std::pair<Str, NodeRef>> entries;
    entries.reserve(row.attrParams.size());
    for (uint16_t index : row.attrParams) {
      const NodeRef& value = bound.values[index];
      entries.emplace_back(row.params[index].name, value ? value : ir::nullAttr());
    }
    attrs = make<ir::DictAttrs>(entries);
  }
  return make<relax::Call>(row.op, Array<Expr>(std::move(args)), std::move(attrs), std::move(sinfoArgs));
}

/// A given attribute that says what the default says is the default object, so that calls share their attributes.
void shareDefaults(BoundCall& bound) {
  for (uint16_t index : bound.row->attrParams) {
    const NodeRef& fallback = bound.row->params[index].fallback;
    NodeRef& value = bound.values[index];
    if (!fallback || !value || value == fallback || value->kind() != fallback->kind()) continue;
    bool same = false;
    if (const auto* type = as<ir::TypeAttr>(value)) same = type->value == as<ir::TypeAttr>(fallback)->value;
    if (const auto* number = as<ir::IntAttr>(value)) same = number->value == as<ir::IntAttr>(fallback)->value;
    if (const auto* truth = as<ir::BoolAttr>(value)) same = truth->value == as<ir::BoolAttr>(fallback)->value;
    if (const auto* text = as<ir::StrAttr>(value)) same = text->value == as<ir::StrAttr>(fallback)->value;
    if (isa<ir::NullAttr>(value)) same = true;
    if (same) value = fallback;
  }
}

bool isList(ParamKind kind) {
  return kind == ParamKind::Ints || kind == ParamKind::Floats || kind == ParamKind::PrimsAttr;
}

/// Whether an attribute has the form that the parameter stores.
bool fits(const OpParam& param, const NodeRef& value) {
  if (!value) return param.optional || param.fallback;
  if (isa<ir::NullAttr>(value) && (param.optional || isa<ir::NullAttr>(param.fallback))) return true;
  return converted(param, value) && (!isList(param.kind) || isa<ir::ArrayAttr>(value));
}

}  // namespace

Result<int> keywordIndex(const OpRow& row, std::string_view keyword) {
  const std::string_view name = canonicalKeyword(keyword);
  const int index = row.paramIndex(name);
  if (index >= 0 || name == "sinfo_args") return index;
  return refuse(row, fmt::format("has no parameter '{}'", keyword), knownParams(row, keyword));
}

Expr toShape(const NodeRef& value) {
  if (const auto* list = as<ir::ArrayAttr>(value)) return shapeOf(list->items);
  if (const auto* tuple = as<relax::Tuple>(value); tuple && !tuple->items.empty()) {
    if (Expr shape = shapeOf(tuple->items)) return shape;
  }
  if (isa<ir::IntAttr>(value) || isa<tir::ExprNode>(value)) return shapeOf(std::vector<NodeRef>{value});
  return refAs<relax::ExprNode>(value);
}

Result<Ref<relax::Call>> bindCall(const OpRow& row, std::span<const NodeRef> positional,
                                  std::span<const Keyword> keywords, InferContext& context) {
  // The common case of an operator of expressions only, called with expressions.
  if (keywords.empty() && !row.spec.make && positional.size() == row.params.size()) {
    bool plain = true;
    for (size_t i = 0; plain && i < positional.size(); ++i) {
      plain = row.params[i].kind == ParamKind::Expr && !row.params[i].variadic && isa<relax::ExprNode>(positional[i]);
    }
    if (plain) {
      std::vector<Expr> args;
      args.reserve(positional.size());
      for (const NodeRef& value : positional) args.push_back(cast<relax::ExprNode>(value));
      return make<relax::Call>(row.op, Array<Expr>(std::move(args)));
    }
  }
  BoundCall bound{&row, std::vector<NodeRef>(row.params.size()), nullptr};
  RX_CHECK(place(bound, positional, keywords));
  RX_CHECK(convert(bound));
  if (row.spec.make) RX_CHECK(row.spec.make(bound, context));
  shareDefaults(bound);
  return assemble(bound);
}

Ref<relax::Call> makeCall(std::string_view opName, std::vector<Expr> args, std::initializer_list<Keyword> attrs,
                          Array<relax::StructInfo> sinfoArgs) {
  const OpRow* row = findOp(opName);
  RX_ASSERT(row, "no operator named {}", opName);
  if (attrs.size() == 0) {
    RX_ASSERT(row->attrParams.empty() || row->defaultAttrs, "{} has attributes without a default", opName);
    return make<relax::Call>(row->op, Array<Expr>(std::move(args)), row->defaultAttrs, std::move(sinfoArgs));
  }
  std::vector<std::pair<Str, NodeRef>> entries;
  size_t used = 0;
  for (uint16_t index : row->attrParams) {
    NodeRef value = row->params[index].fallback;
    for (const Keyword& attr : attrs) {
      if (row->params[index].name != attr.name) continue;
      value = attr.value;
      ++used;
    }
    entries.emplace_back(row->params[index].name, value ? value : ir::nullAttr());
  }
  RX_ASSERT(used == attrs.size(), "an attribute that {} does not have", opName);
  return make<relax::Call>(row->op, Array<Expr>(std::move(args)), make<ir::DictAttrs>(entries), std::move(sinfoArgs));
}

Ref<relax::Call> makeCallTir(const relax::GlobalVarRef& func, std::vector<Expr> args, relax::StructInfo out,
                             Expr tirVars) {
  std::vector<Expr> all{func, make<relax::Tuple>(Array<Expr>(std::move(args)))};
  if (tirVars) all.push_back(std::move(tirVars));
  return makeCall("relax.call_tir", std::move(all), {}, {std::move(out)});
}

Result<Unit> checkAttributes(const relax::Call& call) {
  const OpRow* row = rowOf(call);
  if (!row) return Unit();
  for (const uint16_t index : row->attrParams) {
    const OpParam& param = row->params[index];
    const NodeRef value = call.attrs ? call.attrs->get(param.name.view()) : NodeRef();
    if (!fits(param, value))
      return refuse(*row, fmt::format("attribute '{}' must be {}", param.name.view(), wanted(param.kind)));
  }
  return Unit();
}

}  // namespace rx::op
