// Expressions: names, literals, calls. Chains of operators are folded in loops; real nesting continues on a
// larger stack when the present one runs low (its depth is bounded by the syntax).
#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"
#include "core/support/stack.h"
#include "core/target/device_kinds.h"

namespace rx::script {

using tir::PrimExpr;

NodeRef Reader::error(Span span, std::string rule, std::string message, std::string fix) {
  failed_ = true;
  if (diagnostics_.size() < options_.maxErrors) {
    Diagnostic d = errorAt(span, std::move(rule), std::move(message));
    d.fix = std::move(fix);
    diagnostics_.push_back(std::move(d));
  }
  return nullptr;
}

void Reader::warning(Span span, std::string rule, std::string message) {
  if (diagnostics_.size() < options_.maxErrors) {
    diagnostics_.push_back(warningAt(span, std::move(rule), std::move(message)));
  }
}

void Reader::takeSyntaxErrors() {
  auto& found = syntax_->diagnostics();
  if (found.empty()) return;
  // What follows a bracket that stays open is no news, and a head that is read twice is wrong once.
  auto open = std::find_if(found.begin(), found.end(), [](const Diagnostic& d) { return d.rule == "script.bracket"; });
  for (Diagnostic& d : found) {
    failed_ = true;
    const bool follows = open != found.end() && &d != &*open && d.span.begin >= open->span.begin;
    const bool known = std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& other) {
      return other.span.begin == d.span.begin && other.rule == d.rule;
    });
    if (!follows && !known && diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
  }
  found.clear();
}

NodeRef Reader::eval(NodeId id) {
  if (!id) return nullptr;
  const SynNode node = at(id);
  switch (node.kind) {
    case Syn::Name:
      return evalName(id);
    case Syn::Int: {
      uint64_t value = 0;
      if (!syntax_->intValue(id, value)) return error(id, "script.number", "this number does not fit 64 bits");
      return ir::intAttr(static_cast<int64_t>(value));
    }
    case Syn::Float:
      return ir::floatAttr(syntax_->floatValue(id));
    case Syn::Text: {
      std::string_view plain;
      return syntax_->plainText(id, plain) ? ir::strAttr(Str(plain)) : ir::strAttr(Str(syntax_->textValue(id)));
    }
    case Syn::True:
      return ir::boolAttr(true);
    case Syn::False:
      return ir::boolAttr(false);
    case Syn::NoneLit:
    case Syn::Ellipsis:
      return ir::nullAttr();
    case Syn::Attr:
      return withStack([&] { return evalAttr(id); });
    case Syn::Call:
      return withStack([&] { return evalCall(id); });
    case Syn::Index:
      return withStack([&] { return evalIndex(id); });
    case Syn::Tuple:
    case Syn::List:
      return withStack([&] { return evalList(node); });
    case Syn::Dict:
      return withStack([&] { return evalDict(node); });
    case Syn::Binary:
      return withStack([&] { return evalBinary(id); });
    case Syn::Unary:
      return withStack([&] { return evalUnary(id); });
    case Syn::Compare:
    case Syn::And:
    case Syn::Or:
    case Syn::Not:
    case Syn::IfExp:
      return withStack([&] { return evalLogic(id); });
    case Syn::Lambda:
      return error(id, "script.unsupported", "a lambda is only understood as an index map or a reducer");
    case Syn::Python:
      return error(id, "script.python", nameText(node.a) + " needs Python to be run, which this reader never does",
                   "print the module from Python and open the printed text");
    default:
      return error(id, "script.syntax", "this can not stand here");
  }
}

NodeRef Reader::evalName(NodeId id) {
  NameId name = at(id).a;
  const NodeRef& value = scope_.lookup(name);
  if (const auto* var = as<relax::Var>(value)) {  // a void value is the empty tuple
    const auto* tuple = as<relax::TupleStructInfo>(var->sinfo);
    if (tuple && tuple->items.empty()) return make<relax::Tuple>(Array<relax::Expr>());
  }
  if (value) {
    noteSelf(value);
    return value;
  }
  std::string text = nameText(name);
  if (hints_.era == Era::Rfc2022 && newSymbols_) {
    // The first text let a new name in a shape define a dimension; `_` is one that is not known.
    NodeRef symbol = make<tir::Var>(names_.str(name), DataType::Int(64));
    if (text != "_") scope_.define(name, symbol);
    return symbol;
  }
  if (isDialect(name)) return dialectAsValue(id, name);
  if (NodeRef function = bareMember(name)) return function;
  return undefined(id, name);
}

NodeRef Reader::dialectAsValue(NodeId id, NameId name) {
  return error(id, "script.syntax", "'" + nameText(name) + "' is the dialect itself, not a value");
}

bool Reader::dottedPath(NodeId callee, NameId& base, std::string& path) const {
  NameId parts[8];
  int count = 0;
  NodeId id = callee;
  while (at(id).kind == Syn::Attr) {
    if (count == 8) return false;
    parts[count++] = at(id).b;
    id = at(id).a;
  }
  if (at(id).kind != Syn::Name) return false;
  base = dialectOf(at(id).a);
  path.clear();
  while (count--) {
    if (!path.empty()) path += '.';
    path += names_.text(parts[count]);
  }
  return true;
}

NodeRef Reader::evalAttr(NodeId id) {
  const SynNode node = at(id);
  NameId base;
  std::string path;
  if (dottedPath(id, base, path) && !scope_.lookup(base)) {
    if (base == kT_) return callT(kNoNode, path, id);
    if (base == kR_) {
      NodeRef named = callR(kNoNode, path, id);
      if (!isa<relax::Op>(named)) return named;
      return error(id, "relax.operator-value", "an operator by itself is no value", "call it");
    }
    if (base == kI_) return callI(kNoNode, path, id);
  }
  NodeRef value = eval(node.a);
  if (!value) return nullptr;
  if (value == moduleMarker_ && moduleMarker_) return moduleMember(node.b, id);
  std::string_view name = names_.text(node.b);
  if (const auto* buffer = as<tir::Buffer>(value)) {
    if (name == "data") return buffer->data;
    if (name == "ty") return value;  // since v0.26 what describes a buffer is its type
    if (name == "shape") return ir::arrayAttr(Array<NodeRef>(buffer->shape));
    if (name == "strides") return ir::arrayAttr(Array<NodeRef>(buffer->strides));
    if (name == "dtype") return ir::strAttr(Str(buffer->dtype.str()));
    if (name == "elem_offset")
      return buffer->elemOffset ? NodeRef(buffer->elemOffset) : NodeRef(tir::intImm(0, DataType::Int(32)));
    return error(id, "tir.attribute", "a buffer has no attribute '" + std::string(name) + "' here");
  }
  if (const auto* expr = as<tir::ExprNode>(value)) {
    if (name == "dtype") return ir::strAttr(Str(expr->dtype.str()));
    if (const auto* load = as<tir::BufferLoad>(value); load && name == "buffer") return load->buffer;
    if (name == "ty" || name == "var" || name == "value") return value;
  }
  if (const auto* iter = as<tir::IterVar>(value); iter && name == "var") return iter->var;
  if (isa<relax::ExprNode>(value)) return relaxAttr(value, node.b, id);
  if (const auto* part = as<ir::DictAttrs>(value); part && part->get("relax.dtype")) {
    std::string op = "relax.inspect.tensor_dtype_" + std::string(name == "type_code" ? "code" : name);
    Args args;
    args.call = id;
    args.values = {part->get("relax.dtype")};
    args.nodes = {kNoNode};
    if (const op::OpRow* row = op::findOp(op)) return callOp(*row, args);
  }
  return error(id, "script.attribute", "'" + std::string(name) + "' is not an attribute of this value");
}

bool Reader::isAttribute(const NodeRef& value, NodeId at) {
  if (!moduleMarker_ || value != moduleMarker_) return true;
  error(at, "script.argument", "the module by itself is no value");
  return false;
}

NodeRef Reader::evalList(const SynNode& node) {
  std::vector<NodeRef> items;
  bool ok = true;
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  items.reserve(kids.size());
  for (NodeId kid : kids) {
    bool star = at(kid).kind == Syn::Star;
    NodeRef value = eval(star ? at(kid).a : kid);
    if (!value || !isAttribute(value, kid)) {
      ok = false;
    } else if (star) {
      const auto* array = as<ir::ArrayAttr>(value);
      if (!array) {
        error(kid, "script.argument", "'*' needs a list or tuple that is known here");
        ok = false;
      } else {
        items.insert(items.end(), array->items.begin(), array->items.end());
      }
    } else {
      items.push_back(std::move(value));
    }
  }
  if (!ok) return nullptr;
  return ir::arrayAttr(std::move(items));
}

NodeRef Reader::evalDict(const SynNode& node) {
  std::vector<std::pair<Str, NodeRef>> entries;
  bool ok = true;
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  for (size_t i = 0; i + 1 < kids.size(); i += 2) {
    NodeRef key = eval(kids[i]);
    NodeRef value = eval(kids[i + 1]);
    if (!key || !value || !isAttribute(value, kids[i + 1])) {
      ok = false;
      continue;
    }
    const auto* text = as<ir::StrAttr>(key);
    if (!text) {
      error(kids[i], "script.argument", "the keys of a dictionary must be texts");
      ok = false;
      continue;
    }
    entries.emplace_back(text->value, std::move(value));
  }
  if (!ok) return nullptr;
  return make<ir::DictAttrs>(entries);
}

NodeRef Reader::evalCall(NodeId id) {
  const NodeId callee = at(id).a;
  if (at(callee).kind == Syn::Name) return callName(id, callee);
  if (at(callee).kind != Syn::Attr) {
    NodeRef value = eval(callee);
    return value ? callValue(id, value) : nullptr;
  }
  NameId base;
  std::string path;
  if (dottedPath(callee, base, path) && !scope_.lookup(base)) {
    if (base == kT_) return callT(id, path, callee);
    if (base == kR_) return callR(id, path, callee);
    if (base == kI_) return callI(id, path, callee);
    std::string_view root = names_.text(base);
    if (root == "tir" || root == "tirx" || root == "relax" || ofPython(root)) {
      return callPackage(id, root, path, callee);
    }
  }
  return callMethod(id, callee);
}

NodeRef Reader::callPackage(NodeId id, std::string_view root, const std::string& path, NodeId callee) {
  if (root == "relax") return callR(id, path, callee);
  if (root == "tir" || root == "tirx") return callT(id, path, callee);
  if (root == "tvm") {
    if (const auto device = target::deviceTypeNamed(path)) return callDevice(id, *device);
    // Makers of values that TVMScript has too, by their Python names.
    auto under = [&](std::string_view prefix) { return path.starts_with(prefix); };
    if (under("tir.") && knowsT(path.substr(4))) return callT(id, path.substr(4), callee);
    if (under("tirx.") && knowsT(path.substr(5))) return callT(id, path.substr(5), callee);
    if (path == "ir.VDevice") return callI(id, "vdevice", callee);
    if (path == "ir.Range") return callI(id, "Range", callee);
    if (path == "target.Target") return callT(id, "target", callee);
    if (path == "relax.const" || path == "relax.ShapeExpr" || path == "relax.PrimValue" || path == "relax.ExternFunc") {
      return callR(id, path.substr(6), callee);
    }
  }
  return pythonCall(id, std::string(root) + "." + path);
}

/// `tvm.cuda(0)`: the number of the device may be left out.
NodeRef Reader::callDevice(NodeId id, int64_t type) {
  Args args;
  if (!readArgs(id, args)) return nullptr;
  NodeRef index = args.values.empty() ? ir::intAttr(0) : args.values[0];
  return make<ir::DictAttrs>(
      std::vector<std::pair<Str, NodeRef>>{{Str("device_type"), ir::intAttr(type)}, {Str("index"), index}});
}

/// Methods of values; a member of the module is a function.
NodeRef Reader::callMethod(NodeId id, NodeId callee) {
  const SynNode member = at(callee);
  NodeRef object = eval(member.a);
  if (!object) return nullptr;
  if (object == moduleMarker_ && moduleMarker_) {
    NodeRef function = moduleMember(member.b, callee);
    return function ? callValue(id, function) : nullptr;
  }
  std::string_view method = names_.text(member.b);
  if (isa<tir::Buffer>(object)) {
    Args args;
    if (!readArgs(id, args)) return nullptr;
    return bufferMethod(refAs<tir::Buffer>(object), method, args);
  }
  if (isa<tir::ExprNode>(object)) {
    Args args;
    if (!readArgs(id, args)) return nullptr;
    return exprMethod(refAs<tir::ExprNode>(object), method, args);
  }
  if (isa<relax::ExprNode>(object)) return relaxMethod(object, member.b, id);
  return error(id, "script.attribute", "this value has no method '" + std::string(method) + "'");
}

NodeRef Reader::callName(NodeId id, NodeId callee) {
  NameId name = at(callee).a;
  const NodeRef& value = scope_.lookup(name);
  if (value) {
    noteSelf(value);
    return callValue(id, NodeRef(value));
  }
  if (isDialect(name)) return dialectAsValue(id, name);
  if (NodeRef function = bareMember(name)) return callValue(id, function);
  std::string_view text = names_.text(name);
  if (text == "range" && inTir_) return callT(id, "serial", callee);
  if (text == "max" || text == "min") return callT(id, std::string(text), callee);
  if (text == "float" || text == "int" || text == "bool") return callConversion(id, text);
  if (text == "len") {
    Args args;
    if (!readArgs(id, args)) return nullptr;
    const auto* array = args.values.size() == 1 ? as<ir::ArrayAttr>(args.values[0]) : nullptr;
    if (array) return ir::intAttr(static_cast<int64_t>(array->items.size()));
  }
  // Before 2023 the names of the dialect stood alone: Tensor(...), Shape(...), DTensor(...).
  return callR(id, std::string(text), callee);
}

/// Python's `float`, `int` and `bool` of a value that is known here.
NodeRef Reader::callConversion(NodeId id, std::string_view type) {
  Args args;
  if (!readArgs(id, args)) return nullptr;
  double real = 0;
  int64_t integer = 0;
  bool isInt = false;
  if (args.values.size() == 1 && pythonNumber(args.values[0], real, integer, isInt)) {
    if (type == "float") return ir::floatAttr(real);
    if (type == "bool") return ir::boolAttr(real != 0);
    return ir::intAttr(isInt ? integer : static_cast<int64_t>(std::clamp(real, -9.2e18, 9.2e18)));
  }
  const auto* word = args.values.size() == 1 ? as<ir::StrAttr>(args.values[0]) : nullptr;
  if (word && type == "float") {
    std::string_view w = word->value.view();
    if (w == "inf" || w == "+inf") return ir::floatAttr(INFINITY);
    if (w == "-inf") return ir::floatAttr(-INFINITY);
    if (w == "nan") return ir::floatAttr(NAN);
  }
  return error(id, "script.argument", "this conversion is not understood");
}

}  // namespace rx::script
