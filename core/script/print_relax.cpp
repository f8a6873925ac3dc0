// Relax expressions, except calls.
#include "core/script/printer.h"

namespace rx::script {

namespace {
/// Constants that R.const can write: no dimensions, a type of Python's numbers.
bool isScalarLiteral(const HostTensor& data) {
  if (data.rank() != 0) return false;
  const DataType d = data.dtype();
  if (d.lanes != 1) return false;
  if (d.isBool()) return true;
  if (d.isInt()) return d.bits == 8 || d.bits == 16 || d.bits == 32 || d.bits == 64;
  return d.code == TypeCode::Float && (d.bits == 16 || d.bits == 32 || d.bits == 64);
}
}  // namespace

void Printer::runExpr(const void* p, uint64_t flags) {
  const Node* node = static_cast<const Node*>(p);
  if (!node) return text("None");
  if (const auto* v = as<relax::Var>(node)) return relaxVar(*v);
  if (const auto* v = as<relax::Call>(node)) return call(*v);
  if (const auto* v = as<relax::Constant>(node)) return constant(*v);
  if (const auto* v = as<relax::GlobalVar>(node)) return globalVar(*v);
  if (const auto* v = as<relax::Tuple>(node)) return tupleExpr(*v, (flags & kBareTuple) != 0);
  if (const auto* v = as<relax::TupleGetItem>(node)) {
    const bool plain = !isa<relax::Tuple>(v->tuple) || as<relax::Tuple>(v->tuple)->items.empty();
    if (!plain && as<relax::Tuple>(v->tuple)->items.empty()) text("(");
    expr(v->tuple);
    text("[");
    number(v->index);
    return text("]");
  }
  if (const auto* v = as<relax::ShapeExpr>(node)) {
    r("shape([");
    shapeDims(v->values, false);
    return text("])");
  }
  if (const auto* v = as<relax::PrimValue>(node)) {
    if (era(Dialect::V027)) return prim(v->value);
    r("prim_value(");
    prim(v->value);
    return text(")");
  }
  if (const auto* v = as<relax::StringImm>(node)) {
    r("str(");
    quoted(v->value.view());
    return text(")");
  }
  if (const auto* v = as<relax::DataTypeImm>(node)) {
    r("dtype(");
    dtypeText(v->value);
    return text(")");
  }
  if (const auto* v = as<relax::ExternFunc>(node)) {
    r("ExternFunc(");
    quoted(v->globalSymbol.view());
    const auto* info = as<relax::FuncStructInfo>(v->sinfo);
    const bool plain = !info || (!info->paramsKnown && !info->purity && info->deriveFunc.empty() &&
                                 isa<relax::ObjectStructInfo>(info->ret));
    if (!plain) {
      text(", ");
      sinfo(v->sinfo);
    }
    return text(")");
  }
  if (const auto* v = as<relax::Op>(node)) {
    text("\"");
    text(v->name.view());
    return text("\"");
  }
  if (const auto* v = as<relax::If>(node)) {
    // Only of use in messages: as a value an If is always bound.
    text("if ");
    expr(v->cond);
    return text(": ...");
  }
  if (isa<relax::SeqExpr>(node)) return text("...");
  text("<function>");
}

void Printer::relaxVar(const relax::Var& var) {
  std::string_view name = names_.find(&var);
  if (name.empty()) name = loose_ || functionDepth_ == 0 ? var.name.view() : declareFreeVar(var);
  named(name, &var, NameRole::Use);
}

std::string_view Printer::declareFreeVar(const relax::Var& var) {
  const std::string_view name = names_.defineForFunction(&var, var.name.view());
  // A printer of its own writes the declaration: this one may be in the middle of a line.
  Printer side(options_);
  side.names_ = names_;
  side.module_ = module_;
  side.bareInt_ = bareInt_;
  side.functionDepth_ = 1;
  side.topIndent_ = topIndent_;
  if (var.sinfo) side.sinfo(var.sinfo);
  side.drain();
  for (const Insertion& insertion : side.insertions_) insertions_.push_back({top_, insertion.text});
  for (const std::string& symbol : side.typeVars_) typeVar(symbol);
  usesT_ = usesT_ || side.usesT_;
  insertions_.push_back({top_, "\n" + std::string(static_cast<size_t>(topIndent_) * 4, ' ') + std::string(name) + ": " +
                                   (var.sinfo ? side.out_ : std::string("R.Object"))});
  return name;
}

void Printer::globalVar(const relax::GlobalVar& var) {
  if (module_ && !loose_) {
    if (!clsUsed_) {
      clsUsed_ = true;
      insertions_.push_back(
          {top_, "\n" + std::string(static_cast<size_t>(topIndent_) * 4, ' ') + "cls = " + options_.moduleName});
    }
    text("cls.");
  }
  named(var.name.view(), &var, NameRole::Use);
}

void Printer::tupleExpr(const relax::Tuple& tuple, bool bare) {
  if (tuple.items.empty()) {
    r("tuple(");
    return text(")");
  }
  const bool parens = !bare || tuple.items.size() == 1;
  if (parens) text("(");
  now(&Printer::runExprs, &tuple, 0);
  if (parens) text(tuple.items.size() == 1 ? ",)" : ")");
}

void Printer::runExprs(const void* p, uint64_t x) {
  const auto& items = static_cast<const relax::Tuple*>(p)->items;
  for (size_t k = x; k < items.size(); ++k) {
    if (k) text(", ");
    expr(items[k]);
    if (waiting() && k + 1 < items.size()) return later(&Printer::runExprs, p, k + 1);
  }
}

void Printer::exprs(const Array<relax::Expr>& list) {
  commas(list, [&](const relax::Expr& e) { expr(e); });
}

void Printer::constant(const relax::Constant& c) {
  if (!c.data) {
    return text(c.unresolved.empty() ? std::string_view("metadata[\"relax.expr.Constant\"][0]") : c.unresolved.view());
  }
  if (!isScalarLiteral(*c.data)) return metadataRef("relax.expr.Constant", c.data);
  const bool distributed = isa<relax::DTensorStructInfo>(c.sinfo);
  r(distributed ? "dist.const(" : "const(");
  if (c.data->dtype().isBool()) {
    text(c.data->intAt(0) ? "True" : "False");
  } else if (c.data->dtype().isInt()) {
    number(c.data->intAt(0));
  } else {
    real(c.data->at(0));
  }
  text(", ");
  distributed ? sinfo(c.sinfo) : dtypeText(c.data->dtype());
  text(")");
}

}  // namespace rx::script
