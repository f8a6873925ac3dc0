// StructInfo.
#include "core/ir/reflect.h"
#include "core/op/sinfo_text.h"
#include "core/script/printer.h"

namespace rx::script {

void Printer::runSinfo(const void* p, uint64_t) {
  const Node* node = static_cast<const Node*>(p);
  if (!node || isa<relax::ObjectStructInfo>(node)) return r(sinfoWord("Object", "Any"));
  if (const auto* v = as<relax::PrimStructInfo>(node)) {
    if (era(Dialect::V027)) {
      if (v->value) warn("v0.27 has no primitive value of known content (R.Prim(value=...)); its type is written");
      return t(keep(v->dtype.str()));
    }
    r("Prim(");
    if (v->value) {
      text("value=");
      dim(v->value);
    } else {
      dtypeText(v->dtype);
    }
    return text(")");
  }
  if (const auto* v = as<relax::ShapeStructInfo>(node)) {
    r("Shape(");
    if (v->known) {
      text("[");
      shapeDims(v->values, false);
      text("]");
    } else {
      text("ndim=");
      number(v->ndim);
    }
    return text(")");
  }
  if (const auto* v = as<relax::TensorStructInfo>(node)) return tensorSinfo(*v);
  if (const auto* v = as<relax::TupleStructInfo>(node)) {
    r("Tuple");
    if (v->items.empty()) return;
    text("(");
    commas(v->items, [&](const relax::StructInfo& item) { sinfo(item); });
    return text(")");
  }
  if (const auto* v = as<relax::FuncStructInfo>(node)) return funcSinfo(*v);
  dtensorSinfo(*as<relax::DTensorStructInfo>(node));
}

void Printer::shapeDims(const Array<tir::PrimExpr>& dims, bool tuple) {
  commas(dims, [&](const tir::PrimExpr& e) { dim(e); });
  if (tuple && dims.size() == 1) text(",");
}

void Printer::dim(const tir::PrimExpr& e) {
  bool quote = false;
  if (signature_ && !isa<tir::IntImm>(e)) {
    walk(*e, Into::Parts, [&](const Node& node) {
      quote = quote || isa<tir::Var>(&node);
      return !quote;
    });
  }
  if (!quote) return prim(e);
  text("\"");
  const size_t begin = out_.size();
  const bool whole = !waiting();
  prim(e);
  if (whole && !waiting()) {
    // Texts inside the text (T.Cast("int64", n)).
    for (size_t at = out_.find('"', begin); at != std::string::npos; at = out_.find('"', at + 2))
      out_.insert(at, 1, '\\');
  }
  text("\"");
}

void Printer::tensorSinfo(const relax::TensorStructInfo& info) {
  r("Tensor");
  if (!info.shape && info.dtype.isVoid() && info.ndim == relax::kUnknownDim && !info.vdevice) return;
  text("(");
  bool first = true;
  auto comma = [&] {
    if (!first) text(", ");
    first = false;
  };
  if (const auto* shape = as<relax::ShapeExpr>(info.shape)) {
    comma();
    text("(");
    shapeDims(shape->values, true);
    text(")");
  } else if (info.shape) {
    comma();
    expr(info.shape);
  }
  if (!info.dtype.isVoid()) {
    comma();
    text("dtype=");
    dtypeText(info.dtype);
  }
  if (!info.shape && info.ndim != relax::kUnknownDim) {
    comma();
    text("ndim=");
    number(info.ndim);
  }
  if (info.vdevice) {
    comma();
    text("vdevice=");
    quoted(vdeviceText(*info.vdevice));
  }
  text(")");
}

void Printer::funcSinfo(const relax::FuncStructInfo& info) {
  r("Callable");
  if (!info.paramsKnown) {
    const bool plain = isa<relax::ObjectStructInfo>(info.ret) && info.deriveFunc.empty();
    if (plain && !info.purity) return;
    text("(");
    bool first = true;
    auto keyword = [&](std::string_view name) {
      if (!first) text(", ");
      first = false;
      text(name);
    };
    if (!info.deriveFunc.empty()) {
      keyword("derive_func=");
      quoted(info.deriveFunc.view());
    } else if (!plain) {
      keyword("ret=");
      sinfo(info.ret);
    }
    keyword(info.purity ? "purity=True" : "purity=False");
    return text(")");
  }
  text("((");
  commas(info.params, [&](const relax::StructInfo& param) { sinfo(param); });
  text(info.params.size() == 1 ? ",), " : "), ");
  sinfo(info.ret);
  text(info.purity ? ", True)" : ", False)");
}

void Printer::dtensorSinfo(const relax::DTensorStructInfo& info) {
  r("DTensor(");
  const auto* shape = as<relax::ShapeExpr>(info.tensor->shape);
  if (shape) {
    text("(");
    shapeDims(shape->values, true);
    text(")");
  } else if (info.tensor->shape) {
    expr(info.tensor->shape);
  } else {
    text("None");
  }
  text(", ");
  dtypeText(info.tensor->dtype);
  text(", ");
  deviceMesh(*info.deviceMesh);
  text(", ");
  quoted(op::placementText(*info.placement));
  if (!info.tensor->shape && info.tensor->ndim != relax::kUnknownDim) {
    text(", ndim=");
    number(info.tensor->ndim);
  }
  text(")");
}

}  // namespace rx::script
