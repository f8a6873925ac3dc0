// Calls. Operators whose text is not `R.name(arguments, attribute=value)` have a row in kSpecial.
#include "core/ir/structural_equal.h"
#include "core/op/op_table.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {
/// Attributes that operators have since v0.27; older texts mean the default.
struct YoungAttr {
  std::string_view op, attr;
};
constexpr YoungAttr kSinceV027[] = {{"relax.image.affine_grid", "align_corners"},
                                    {"relax.vision.multibox_transform_loc", "apply_softmax"}};
}  // namespace

bool Printer::leavesOut(const relax::Call& call, size_t attr) const {
  if (era(Dialect::V027)) return false;
  const auto* op = as<relax::Op>(call.op);
  for (const YoungAttr& young : kSinceV027) {
    if (!op || op->name != young.op || call.attrs->keys[attr] != young.attr) continue;
    const op::OpRow* row = op::rowOf(op);
    const int index = row ? row->paramIndex(young.attr) : -1;
    return index >= 0 && structuralEqual(row->params[static_cast<size_t>(index)].fallback, call.attrs->values[attr]);
  }
  return false;
}

void Printer::callAttrs(const relax::Call& call, bool& first) {
  const ir::Attrs& attrs = call.attrs;
  for (size_t k = 0; attrs && k < attrs->size(); ++k) {
    if (leavesOut(call, k)) continue;
    if (!first) text(", ");
    first = false;
    text(attrs->keys[k].view());
    text("=");
    const Node* value = attrs->values[k].get();
    if (const auto* mesh = as<ir::DeviceMesh>(value)) {
      deviceMesh(*mesh);
    } else if (const auto* type = as<ir::TypeAttr>(value); type && type->value.isVoid() && era(Dialect::V027)) {
      text("None");
    } else {
      attr(attrs->values[k]);
    }
  }
}

void Printer::sinfoArgs(const Array<relax::StructInfo>& list, bool& first) {
  if (list.empty()) return;
  if (!first) text(", ");
  first = false;
  text(sinfoWord("sinfo_args=(", "ty_args=("));
  commas(list, [&](const relax::StructInfo& info) { sinfo(info); });
  text(list.size() == 1 ? ",)" : ")");
}

void Printer::call(const relax::Call& call) {
  using Method = void (Printer::*)(const relax::Call&);
  static const std::unordered_map<std::string_view, Method> kSpecial = {
      {"relax.call_tir", &Printer::callTir},
      {"relax.call_dps_packed", &Printer::callTir},
      {"relax.call_tir_with_grad", &Printer::callTir},
      {"relax.call_tir_inplace", &Printer::callTir},
      {"relax.call_py_func", &Printer::callTir},
      {"relax.dist.call_tir_local_view", &Printer::callTir},
      {"relax.call_pure_packed", &Printer::callFunctionFirst},
      {"relax.call_inplace_packed", &Printer::callFunctionFirst},
      {"relax.call_builtin_with_ctx", &Printer::callFunctionFirst},
      {"relax.make_closure", &Printer::callFunctionFirst},
      {"relax.print", &Printer::callPrint},
      {"relax.assert_op", &Printer::callAssert},
      {"relax.hint_on_device", &Printer::callHint},
  };
  const auto* op = as<relax::Op>(call.op);
  if (!op) {
    if (isa<relax::ExternFunc>(call.op)) return callPacked(call);
    expr(call.op);
    return callArguments(call);
  }
  std::string_view name = op->name.view();
  if (auto special = kSpecial.find(name); special != kSpecial.end()) return (this->*special->second)(call);
  if (name.starts_with("relax.")) name.remove_prefix(6);
  opName(call, name);
  callArguments(call);
}

void Printer::opName(const relax::Call& call, std::string_view name) {
  beginName(&call, NameRole::Operator);
  r(name);
  endName();
}

void Printer::callArguments(const relax::Call& call) {
  bool first = true;
  text("(");
  for (const relax::Expr& arg : call.args) {
    if (!first) text(", ");
    first = false;
    expr(arg);
  }
  callAttrs(call, first);
  sinfoArgs(call.sinfoArgs, first);
  text(")");
}

void Printer::callPacked(const relax::Call& call) {
  r("call_packed(");
  quoted(as<relax::ExternFunc>(call.op)->globalSymbol.view());
  bool first = false;
  for (const relax::Expr& arg : call.args) {
    text(", ");
    expr(arg);
  }
  callAttrs(call, first);
  sinfoArgs(call.sinfoArgs, first);
  text(")");
}

void Printer::callTir(const relax::Call& call) {
  std::string_view name = as<relax::Op>(call.op)->name.view().substr(6);
  const bool distributed = name == "call_tir" && !call.sinfoArgs.empty() &&
                           (isa<relax::DTensorStructInfo>(call.sinfoArgs[0]) ||
                            (isa<relax::TupleStructInfo>(call.sinfoArgs[0]) &&
                             !as<relax::TupleStructInfo>(call.sinfoArgs[0])->items.empty() &&
                             isa<relax::DTensorStructInfo>(as<relax::TupleStructInfo>(call.sinfoArgs[0])->items[0])));
  opName(call, distributed ? "dist.call_tir" : name);
  text("(");
  for (size_t k = 0; k < call.args.size() && k < 2; ++k) {
    if (k) text(", ");
    if (const auto* packed = as<relax::ExternFunc>(call.args[k]); packed && k == 0) {
      quoted(packed->globalSymbol.view());
    } else if (const auto* string = as<relax::StringImm>(call.args[k]); string && k == 0) {
      quoted(string->value.view());
    } else {
      expr(call.args[k]);
    }
  }
  if (!call.sinfoArgs.empty()) {
    text(sinfoWord(", out_sinfo=", ", out_ty="));
    const auto* tuple = call.sinfoArgs.size() == 1 ? as<relax::TupleStructInfo>(call.sinfoArgs[0]) : nullptr;
    if (tuple || call.sinfoArgs.size() > 1) {
      text("[");
      commas(tuple ? tuple->items : call.sinfoArgs, [&](const relax::StructInfo& info) { sinfo(info); });
      text("]");
    } else {
      sinfo(call.sinfoArgs[0]);
    }
  }
  for (size_t k = 0; call.attrs && k < call.attrs->size(); ++k) {
    const auto* kwargs = as<ir::DictAttrs>(call.attrs->values[k]);
    if ((kwargs && kwargs->size() == 0) || !call.attrs->values[k] || isa<ir::NullAttr>(call.attrs->values[k])) continue;
    text(", ");
    text(call.attrs->keys[k].view());
    text("=");
    attr(call.attrs->values[k]);
  }
  if (call.args.size() > 2) {
    text(", tir_vars=");
    expr(call.args[2]);
  }
  text(")");
}

void Printer::callFunctionFirst(const relax::Call& call) {
  opName(call, as<relax::Op>(call.op)->name.view().substr(6));
  text("(");
  bool first = true;
  for (size_t k = 0; k < call.args.size(); ++k) {
    if (k) text(", ");
    first = false;
    const auto* packed = k == 0 ? as<relax::ExternFunc>(call.args[0]) : nullptr;
    packed ? quoted(packed->globalSymbol.view()) : expr(call.args[k]);
  }
  callAttrs(call, first);
  sinfoArgs(call.sinfoArgs, first);
  text(")");
}

void Printer::callPrint(const relax::Call& call) {
  opName(call, "print");
  text("(");
  for (size_t k = 1; k < call.args.size(); ++k) {
    expr(call.args[k]);
    text(", ");
  }
  if (!call.args.empty()) {
    text("format=");
    expr(call.args[0]);
  }
  text(")");
}

void Printer::callAssert(const relax::Call& call) {
  opName(call, "assert_op");
  text("(");
  for (size_t k = 0; k < call.args.size(); ++k) {
    if (k == 1) continue;
    if (k) text(", ");
    expr(call.args[k]);
  }
  if (call.args.size() > 1) {
    text(", format=");
    expr(call.args[1]);
  }
  text(")");
}

void Printer::callHint(const relax::Call& call) {
  opName(call, "hint_on_device");
  text("(");
  exprs(call.args);
  text(", ");
  const bool old = era(Dialect::V018);
  auto either = [&](std::string_view a, std::string_view b) {
    return ir::intAttrOf(call.attrs, a, ir::intAttrOf(call.attrs, b, 0));
  };
  r(old ? "device(dev_type=" : "device(device_type=");
  number(either("device_type", "dev_type"));
  text(old ? ", dev_id=" : ", index=");
  number(either("index", "dev_id"));
  text(")");
  const NodeRef scope = ir::attrOf(call.attrs, "memory_scope");
  if (!scope) return text(")");
  const auto* scopeText = as<ir::StrAttr>(scope);
  if (old) {
    if (scopeText && !(scopeText->value == "global")) warn("v0.18 has no memory scope on hint_on_device");
    return text(")");
  }
  text(", ");
  attr(scope);
  text(")");
}

}  // namespace rx::script
