// Calls of `T.` that are statements: attributes, allocations, bindings, assertions.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

namespace {
/// The value of a `with` or statement that opened a frame without a name for it.
NodeRef nothing() { return ir::nullAttr(); }
}  // namespace

NodeRef Reader::tEnvThread(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"thread_tag", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  auto tag = toText(v[0], args.call);
  auto type = isNone(v[1]) ? std::optional<DataType>(DataType::Int(32)) : toType(v[1], args.call);
  if (!tag || !type) return nullptr;
  auto var = make<tir::Var>(Str(), *type);
  threads_[var.get()] = make<tir::IterVar>(nullptr, var, tir::IterType::ThreadIndex, *tag);
  return var;
}

NodeRef Reader::tLaunchThread(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"thread", "extent"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  PrimExpr extent = toPrim(v[1], args.call);
  if (!extent) return nullptr;
  tir::VarRef var;
  if (const auto* tag = as<ir::StrAttr>(v[0])) {
    var = make<tir::Var>(Str(), extent->dtype);
    threads_[var.get()] = make<tir::IterVar>(nullptr, var, tir::IterType::ThreadIndex, tag->value);
  } else if (isa<tir::Var>(v[0])) {
    var = refAs<tir::Var>(v[0]);
  }
  auto found = var ? threads_.find(var.get()) : threads_.end();
  if (found == threads_.end()) return error(args.call, "tir.thread", "this is no thread of T.env_thread");
  Ref<tir::IterVar>& iter = found->second;
  if (!iter->dom) {
    iter = make<tir::IterVar>(make<tir::Range>(arith::constantInt(extent->dtype, 0), extent), var, iter->iterType,
                              iter->threadTag);
  } else {
    arith::Analyzer analyzer;
    PrimExpr a = iter->dom->extent, b = extent;
    if (!arith::matchTypes(a, b) || !analyzer.canProveEqual(a, b)) {
      return error(args.call, "tir.thread", "this thread was launched with another extent before");
    }
  }
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = iter;
  frame.key = iter->threadTag == "vthread" ? Str("virtual_thread") : Str("thread_extent");
  frame.value = extent;
  emitImplicit(std::move(frame));
  return var;
}

NodeRef Reader::tAttr(const Args& args, uint32_t) {
  if (args.values.size() == 1 && isa<ir::DictAttrs>(args.values[0])) return tAttrDict(args);
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"node", "attr_key", "value"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  auto key = toText(v[1], args.call);
  PrimExpr value = toPrim(v[2], args.call);
  if (!key || !value) return nullptr;
  NodeRef node = v[0];
  if (isa<tir::Var>(node)) {
    auto found = threads_.find(as<tir::Var>(node));
    if (found != threads_.end() && (*key == "thread_extent" || *key == "virtual_thread")) node = found->second;
  }
  if (isa<ir::IntAttr>(node)) node = tryPrim(node);
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = node;
  frame.key = *key;
  frame.value = value;
  emitImplicit(std::move(frame));
  return nothing();
}

/// `T.attr({"key": value})`: each entry is an attribute of nothing in particular.
NodeRef Reader::tAttrDict(const Args& args) {
  const auto* dict = as<ir::DictAttrs>(args.values[0]);
  for (size_t i = 0; i < dict->size(); ++i) {
    PrimExpr value = toPrim(dict->values[i], args.call);
    if (!value) return nullptr;
    Frame frame(FrameKind::Attr);
    frame.span = statementSpan_;
    frame.node = tir::intImm(0, DataType::Int(32));
    frame.key = dict->keys[i];
    frame.value = value;
    emitImplicit(std::move(frame));
  }
  return nothing();
}

NodeRef Reader::tRealize(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"buffer_slice", "storage_scope", "condition"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Ref<tir::BufferRegion> region = regionOf(v[0], args.call);
  auto scope = toText(v[1], args.call);
  if (!region || !scope) return nullptr;
  // A realization of older eras is kept as an attribute of its region.
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = region;
  frame.key = Str("realize_scope");
  frame.value = make<tir::StringImm>(*scope);
  emitImplicit(std::move(frame));
  return nothing();
}

NodeRef Reader::tLetStmt(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"value", "type_annotation", "var"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  PrimExpr value = toPrimOrVoid(v[0], args.call);
  if (!value) return nullptr;
  tir::VarRef var;
  if (isa<tir::Var>(v[2])) {
    var = refAs<tir::Var>(v[2]);
  } else if (const auto* like = as<tir::Var>(v[1])) {
    var = make<tir::Var>(Str(), like->dtype, like->annotation);
  } else {
    var = make<tir::Var>(Str(), value->dtype);
  }
  emit(withSpan(make<tir::Bind>(var, value), statementSpan_));
  return var;
}

NodeRef Reader::tBind(const Args& args, uint32_t row) { return tLetStmt(args, row); }

NodeRef Reader::tAllocate(const Args& args, uint32_t) {
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"extents", "dtype", "scope", "condition", "annotations"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  bool ok = true;
  auto extents = toPrims(v[0], args.call, ok);
  auto type = toType(v[1], args.call);
  auto scope = isNone(v[2]) ? std::optional<Str>(Str("global")) : toText(v[2], args.call);
  PrimExpr condition = isNone(v[3]) ? PrimExpr(tir::boolImm(true)) : toPrim(v[3], args.call);
  if (!ok || !type || !scope || !condition) return nullptr;
  auto var =
      make<tir::Var>(Str(), DataType::Handle(),
                     make<tir::PointerType>(make<tir::PrimType>(*type), scope->empty() ? Str("global") : *scope));
  emit(withSpan(make<tir::Allocate>(var, *type, extents, condition, attrDict(v[4], args.call)), statementSpan_));
  return var;
}

NodeRef Reader::tAllocateConst(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"data", "dtype", "extents", "annotations"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  bool ok = true;
  auto extents = toPrims(v[2], args.call, ok);
  auto type = toType(v[1], args.call);
  const auto* data = as<ir::ArrayAttr>(v[0]);
  if (!ok || !type || !data) return error(args.call, "script.argument", "T.allocate_const needs a list of numbers");
  auto var =
      make<tir::Var>(Str(), DataType::Handle(), make<tir::PointerType>(make<tir::PrimType>(*type), Str("global")));
  // The constant's content is an annotation of the allocation.
  auto annotations = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("constant"), attrValue(v[0])}});
  emit(withSpan(make<tir::Allocate>(var, *type, extents, tir::boolImm(true), annotations), statementSpan_));
  return var;
}

NodeRef Reader::tAssert(const Args& args, uint32_t) {
  if (args.values.size() < 2) return error(args.call, "script.argument", "T.Assert needs a condition and a message");
  PrimExpr test = toPrim(args.values[0], args.call);
  if (!test) return nullptr;
  Str kind("RuntimeError");
  std::vector<PrimExpr> parts;
  bool ok = true;
  auto part = [&](const NodeRef& value) {
    auto text = toText(value, args.call);
    ok &= text.has_value();
    if (text) parts.push_back(make<tir::StringImm>(*text));
  };
  const NodeRef& message = args.values[1];
  if (const auto* pair = as<ir::ArrayAttr>(message);
      pair && pair->items.size() == 2 && isa<ir::ArrayAttr>(pair->items[1])) {
    auto name = toText(pair->items[0], args.call);
    if (!name) return nullptr;
    kind = *name;
    for (const NodeRef& item : as<ir::ArrayAttr>(pair->items[1])->items) part(item);
  } else if (pair) {
    for (const NodeRef& item : pair->items) part(item);
  } else {
    part(message);
  }
  if (ok)
    emit(withSpan(make<tir::AssertStmt>(test, make<tir::StringImm>(kind), Array<PrimExpr>(std::move(parts))),
                  statementSpan_));
  return nothing();
}

NodeRef Reader::tEvaluate(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "T.evaluate takes one value");
  PrimExpr p = isa<tir::Buffer>(args.values[0]) ? PrimExpr(as<tir::Buffer>(args.values[0])->data)
                                                : toPrimOrVoid(args.values[0], args.call);
  if (p) emit(withSpan(make<tir::Evaluate>(p), statementSpan_));
  return nothing();
}

NodeRef Reader::tReturn(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "T.ret takes one value");
  PrimExpr p = toPrimOrVoid(args.values[0], args.call);
  return p ? make<tir::Call>(p->dtype, op::tirOp("ret"), Array<PrimExpr>{p}) : nullptr;
}

NodeRef Reader::tFuncAttr(const Args& args, uint32_t) {
  if (args.values.size() != 1 || !isa<ir::DictAttrs>(args.values[0]))
    return error(args.call, "script.argument", "T.func_attr takes a dictionary");
  // An attribute may not speak of what is bound further inside.
  if (frames_.empty() || top().kind != FrameKind::Function)
    return error(args.call, "tir.attribute", "T.func_attr does not stand right inside the function");
  takeFunctionAttrs(args.values[0], tirAttrs_);
  return nothing();
}

}  // namespace rx::script
