// Arguments of calls, and what a value is converted to.
#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/function_attrs.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

void Args::clear() {
  call = kNoNode;
  values.clear();
  nodes.clear();
  keywords.clear();
  keywordNodes.clear();
  failed = false;
}

Reader::ArgsLease::ArgsLease(Reader& reader) : reader_(reader) {
  if (reader.spareArgs_.empty()) return;
  args_ = std::move(reader.spareArgs_.back());
  reader.spareArgs_.pop_back();
}

Reader::ArgsLease::~ArgsLease() {
  args_.clear();
  reader_.spareArgs_.push_back(std::move(args_));
}

bool Reader::readArgs(NodeId call, Args& args) {
  args.call = call;
  const SynNode node = at(call);
  args.values.reserve(node.b);
  for (uint32_t i = 0; i < node.b; ++i) {
    const NodeId kid = syntax_->kids(node)[i];  // evaluation may add nodes, which moves the lists
    const SynNode item = at(kid);
    if (item.kind == Syn::Keyword) {
      NodeRef value = at(item.a).kind == Syn::Lambda ? ir::nullAttr() : eval(item.a);
      args.failed |= !value;
      args.keywords.emplace_back(item.b, std::move(value));
      args.keywordNodes.push_back(item.a);
    } else if (item.kind == Syn::Star) {
      NodeRef value = eval(item.a);
      const auto* array = as<ir::ArrayAttr>(value);
      if (value && !array) error(kid, "script.argument", "'*' needs a list or tuple that is known here");
      args.failed |= !array;
      for (size_t k = 0; array && k < array->items.size(); ++k) {
        args.values.push_back(array->items[k]);
        args.nodes.push_back(kNoNode);
      }
    } else if (item.kind == Syn::DoubleStar) {
      error(kid, "script.python", "'**' needs Python to be run, which this reader never does");
      args.failed = true;
    } else {
      NodeRef value = item.kind == Syn::Lambda ? ir::nullAttr() : eval(kid);
      args.failed |= !value;
      args.values.push_back(std::move(value));
      args.nodes.push_back(kid);
    }
  }
  return !args.failed;
}

bool Reader::bind(const Args& args, std::span<const std::string_view> params, size_t required, NodeRef* out) {
  if (args.values.size() > params.size()) {
    error(args.call, "script.argument",
          "at most " + std::to_string(params.size()) + " arguments are understood, " +
              std::to_string(args.values.size()) + " are given");
    return false;
  }
  for (size_t i = 0; i < args.values.size(); ++i) out[i] = args.values[i];
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    size_t at = 0;
    while (at < params.size() && params[at] != text) ++at;
    if (at == params.size()) {
      error(args.call, "script.argument", "there is no argument named '" + std::string(text) + "'");
      return false;
    }
    if (out[at]) {
      error(args.call, "script.argument", "the argument '" + std::string(text) + "' is given twice");
      return false;
    }
    out[at] = value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (out[i]) continue;
    error(args.call, "script.argument", "the argument '" + std::string(params[i]) + "' is missing");
    return false;
  }
  return true;
}

PrimExpr Reader::tryPrim(const NodeRef& v) {
  if (!v) return nullptr;
  if (isa<tir::ExprNode>(v)) return refAs<tir::ExprNode>(v);
  if (const auto* i = as<ir::IntAttr>(v)) {
    bool small = i->value >= INT32_MIN && i->value <= INT32_MAX;
    return tir::intImm(i->value, small ? DataType::Int(32) : DataType::Int(64));
  }
  if (const auto* f = as<ir::FloatAttr>(v)) return make<tir::FloatImm>(DataType::Float(32), f->value);
  if (const auto* b = as<ir::BoolAttr>(v)) return tir::boolImm(b->value);
  if (const auto* s = as<ir::StrAttr>(v)) return make<tir::StringImm>(s->value);
  if (const auto* x = as<tir::IterVar>(v)) return x->var;
  if (const auto* p = as<relax::PrimValue>(v)) return p->value;
  if (const auto* x = as<relax::Var>(v)) {  // a symbolic parameter stands for its value
    const auto* prim = as<relax::PrimStructInfo>(x->sinfo);
    if (prim && prim->value) return prim->value;
    if (prim) return symbolize(*x);
  }
  if (const auto* region = as<tir::BufferRegion>(v)) {
    std::vector<PrimExpr> indices;
    int16_t lanes = 1;
    for (const auto& range : region->region) {
      auto extent = tir::asInt(range->extent);
      if (extent == 1) {
        indices.push_back(range->min);
        continue;
      }
      DataType type = range->min->dtype;
      if (extent && *extent > 1 && *extent <= INT16_MAX) {
        lanes = static_cast<int16_t>(*extent);
        indices.push_back(make<tir::Ramp>(range->min, arith::constantInt(type, 1),
                                          tir::intImm(*extent, DataType::Int(32)), type.withLanes(lanes)));
        continue;
      }
      auto scalable = vectorLanes(range->extent);
      if (!scalable) return nullptr;
      lanes = *scalable;
      indices.push_back(make<tir::Ramp>(range->min, arith::constantInt(type, 1), range->extent, type.withLanes(lanes)));
    }
    return make<tir::BufferLoad>(region->buffer, Array<PrimExpr>(std::move(indices)),
                                 region->buffer->dtype.withLanes(lanes));
  }
  return nullptr;
}

PrimExpr Reader::toPrimOrVoid(const NodeRef& v, NodeId at) {
  PrimExpr p = tryPrim(v);
  if (!p && v) error(at, "tir.type", "an expression of TIR is needed here");
  return p;
}

PrimExpr Reader::toPrim(const NodeRef& v, NodeId at) {
  PrimExpr p = toPrimOrVoid(v, at);
  if (!p || !p->dtype.isVoid()) return p;
  const auto* call = as<tir::Call>(p);
  const auto* function = call ? as<relax::GlobalVar>(call->op) : nullptr;
  error(at, "tir.type",
        function ? "what '" + function->name.string() + "' gives is not known here"
                 : "a value is needed here, and this gives none: its type is void",
        function ? "declare it in the same module, with the type of its result after '->'" : "");
  return nullptr;
}

PrimExpr Reader::castTo(DataType type, PrimExpr value, NodeId at) {
  const DataType from = value->dtype;
  const bool numbers = !from.isHandle() && !from.isVoid() && !type.isHandle() && !type.isVoid();
  if (numbers || from == type) return arith::cast(type, std::move(value));
  error(at, "tir.type", from.str() + " can not be converted to " + (type.isVoid() ? "void" : type.str()),
        "write T.reinterpret to take its bits as another type");
  return nullptr;
}

Array<PrimExpr> Reader::toPrims(const NodeRef& v, NodeId at, bool& ok) {
  std::vector<PrimExpr> out;
  if (const auto* array = as<ir::ArrayAttr>(v)) {
    for (const NodeRef& item : array->items) {
      out.push_back(toPrim(item, at));
      ok &= out.back() != nullptr;
    }
  } else if (v) {
    out.push_back(toPrim(v, at));
    ok &= out.back() != nullptr;
  }
  return ok ? Array<PrimExpr>(std::move(out)) : Array<PrimExpr>();
}

std::optional<int64_t> Reader::toInt(const NodeRef& v, NodeId at) {
  if (const auto* i = as<ir::IntAttr>(v)) return i->value;
  if (const auto* b = as<ir::BoolAttr>(v)) return b->value;
  if (const auto* i = as<tir::IntImm>(v)) return i->value;
  if (v) error(at, "script.argument", "an integer is needed here");
  return std::nullopt;
}

std::optional<Str> Reader::toText(const NodeRef& v, NodeId at) {
  if (const auto* s = as<ir::StrAttr>(v)) return s->value;
  if (const auto* s = as<tir::StringImm>(v)) return s->value;
  if (const auto* s = as<relax::StringImm>(v)) return s->value;
  if (v) error(at, "script.argument", "a text is needed here");
  return std::nullopt;
}

std::optional<DataType> Reader::typeNamed(std::string_view name) {
  auto type = DataType::parse(name);
  if (!type || (type->isIntegral() && (type->bits & (type->bits - 1)))) return std::nullopt;
  return type;
}

std::optional<DataType> Reader::toType(const NodeRef& v, NodeId at) {
  if (const auto* t = as<ir::TypeAttr>(v)) return t->value;
  if (const auto* t = as<relax::DataTypeImm>(v)) return t->value;
  if (const auto* e = as<tir::ExprNode>(v); e && !isa<tir::StringImm>(v)) return e->dtype;
  if (isNone(v)) return DataType::Void();
  auto text = toText(v, at);
  if (!text) return std::nullopt;
  // In Relax a type of 7 bits is a warning of the specification's.
  auto type = inTir_ ? typeNamed(text->view()) : DataType::parse(text->view());
  if (!type) error(at, "script.dtype", "'" + text->string() + "' is not the name of an element type");
  return type;
}

NodeRef Reader::attrValue(const NodeRef& v) {
  if (const auto* i = as<tir::IntImm>(v)) {
    if (i->dtype.isBool()) return ir::boolAttr(i->value != 0);
    if (i->dtype == DataType::Int(32)) return ir::intAttr(i->value);
    return v;
  }
  if (const auto* s = as<tir::StringImm>(v)) return ir::strAttr(s->value);
  if (const auto* type = as<ir::TypeAttr>(v)) return ir::strAttr(Str(type->value.str()));  // as it is printed
  if (const auto* array = as<ir::ArrayAttr>(v)) {
    std::vector<NodeRef> items;
    for (const NodeRef& item : array->items) items.push_back(attrValue(item));
    return ir::arrayAttr(std::move(items));
  }
  if (const auto* dict = as<ir::DictAttrs>(v)) {
    std::vector<std::pair<Str, NodeRef>> entries;
    for (size_t i = 0; i < dict->size(); ++i) entries.emplace_back(dict->keys[i], attrValue(dict->values[i]));
    return make<ir::DictAttrs>(entries);
  }
  return v;
}

void Reader::takeFunctionAttrs(const NodeRef& dict, std::vector<std::pair<Str, NodeRef>>& attrs) {
  auto given = refAs<ir::DictAttrs>(attrValue(dict));
  for (size_t i = 0; i < given->size(); ++i) {
    attrs.push_back(hints_.era < Era::V024 ? attributeSinceV024(given->keys[i], given->values[i])
                                           : std::pair(given->keys[i], given->values[i]));
  }
}

ir::Attrs Reader::attrDict(const NodeRef& v, NodeId at) {
  if (isNone(v)) return nullptr;
  if (!isa<ir::DictAttrs>(v)) {
    error(at, "script.argument", "a dictionary is needed here");
    return nullptr;
  }
  return refAs<ir::DictAttrs>(attrValue(v));
}

}  // namespace rx::script
