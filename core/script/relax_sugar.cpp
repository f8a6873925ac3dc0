// What may be written on Relax values (operators, attributes, indices), and the calls of `I.`.
#include <cmath>
#include <limits>

#include "core/arith/fold.h"
#include "core/script/relax_reader.h"
#include "core/target/target.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

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
    if (*i < 0 || *i >= size) {
      return error(id, "relax.index",
                   "field " + std::to_string(*i) + " is asked for, but the tuple has " + std::to_string(size) +
                       (size == 1 ? " field" : " fields") + ", counted from 0");
    }
  }
  if (*i < 0) return error(id, "relax.index", "an index can not be negative here");
  return withSpan(make<relax::TupleGetItem>(refAs<relax::ExprNode>(value), *i), spanOf(id));
}

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
    NodeRef target = isNone(v[0]) ? ir::strAttr(Str("")) : target::targetForm(attrValue(v[0]));
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
