// T.prim_func.
#include "core/ir/reflect.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {

bool isConstantShape(const tir::Buffer& buffer) {
  for (const tir::PrimExpr& e : buffer.shape) {
    if (!isa<tir::IntImm>(e)) return false;
  }
  return true;
}

bool containsBlock(const tir::Stmt& s) {
  bool found = false;
  walk(*s, Into::Parts, [&](const Node& node) {
    found = found || isa<tir::BlockRealize>(&node);
    return !found && isa<tir::StmtNode>(&node);
  });
  return found;
}

/// The root block that a reader adds around a body with blocks, or null when the text has to say it.
const tir::Block* impliedRoot(const tir::PrimFunc& func) {
  const auto* realize = as<tir::BlockRealize>(func.body);
  if (!realize || !realize->iterValues.empty()) return nullptr;
  const auto predicate = tir::asInt(realize->predicate);
  if (!predicate || *predicate != 1) return nullptr;
  const tir::Block& root = *realize->block;
  if ((root.annotations && root.annotations->size() > 0) || !root.iterVars.empty() || !root.matchBuffers.empty() ||
      !root.reads.empty() || !root.writes.empty() || root.init) {
    return nullptr;
  }
  const auto* inner = as<tir::BlockRealize>(root.body);
  const bool implied =
      !root.allocBuffers.empty() || (inner && !inner->block->iterVars.empty()) || (!inner && containsBlock(root.body));
  return implied ? &root : nullptr;
}

}  // namespace

bool Printer::inlineParam(const tir::PrimFunc& func, size_t k) const {
  const tir::BufferRef& buffer = func.buffers[k];
  if (!buffer || !isConstantShape(*buffer) || !buffer->strides.empty()) return false;
  if (buffer->elemOffset) {
    const auto offset = tir::asInt(buffer->elemOffset);
    if (!offset || *offset != 0) return false;
  }
  if (buffer->scope() != "global" || buffer->dataAlignment != 64 || buffer->offsetFactor != 1 ||
      buffer->autoBroadcast || !buffer->axisSeparators.empty()) {
    return false;
  }
  if (usedParams_.contains(func.params[k].get())) return false;
  for (size_t j = 0; j < func.buffers.size(); ++j) {
    if (j != k && func.buffers[j] && func.buffers[j]->data == buffer->data) return false;
  }
  return true;
}

/// Finds the parameters that the body names although they have buffers: those keep their names. No text can name one
/// that was made for its buffer.
void Printer::findUsedParams(const tir::PrimFunc& func) {
  usedParams_.clear();
  std::unordered_set<const Node*> named;
  for (size_t k = 0; k < func.params.size(); ++k) {
    const tir::BufferRef& buffer = func.buffers[k];
    if (buffer && func.params[k]->name.string() != buffer->name.string() + "_handle")
      named.insert(func.params[k].get());
  }
  if (named.empty()) return;
  walk(*func.body, Into::Parts, [&](const Node& node) {
    if (named.contains(&node)) usedParams_.insert(&node);
    return true;
  });
}

void Printer::primFuncParams(const tir::PrimFunc& func) {
  for (size_t k = 0; k < func.params.size(); ++k) {
    if (k) text(", ");
    if (inlineParam(func, k)) {
      const tir::Buffer& buffer = *func.buffers[k];
      const std::string name(defineBuffer(buffer));
      text(keep(name));
      text(": ");
      t("Buffer((");
      commas(buffer.shape, [&](const tir::PrimExpr& e) { prim(e); });
      text(buffer.shape.size() == 1 ? ",), " : "), ");
      dtypeText(buffer.dtype);
      text(")");
      names_.alias(buffer.data.get(), name + ".data");
      continue;
    }
    text(names_.define(func.params[k].get(), func.params[k]->name.view()));
    text(": ");
    type(func.params[k]->annotation, func.params[k].get());
  }
}

void Printer::primFunc(const tir::PrimFunc& func, std::string_view name) {
  names_.enter();
  bareInt_ = DataType::Int(32);
  clsUsed_ = false;
  loops_.clear();
  threadUses_.clear();
  dataPlaces_.clear();
  findUsedParams(func);
  scalars_.clear();
  walk(*func.body, Into::Parts, [&](const Node& node) {
    if (const auto* s = as<tir::AttrStmt>(&node)) {
      if (const auto* iter = as<tir::IterVar>(s->node)) ++threadUses_[iter->var.get()];
    }
    return isa<tir::StmtNode>(&node);
  });
  newline();
  text("@");
  t("prim_func");
  const bool isPrivate = !ir::attrOf(func.attrs, "global_symbol");
  if (era(Dialect::V018)) {
    text(isPrivate ? "(private=True)" : "");
  } else {
    text(isPrivate ? "(private=True, s_tir=True)" : "(s_tir=True)");
  }
  newline();
  text("def ");
  named(name, &func, NameRole::Definition);
  text("(");
  primFuncParams(func);
  text(")");
  const auto* none = as<tir::TupleType>(func.retType);
  const auto* prim = as<tir::PrimType>(func.retType);
  if (func.retType && !(none && none->items.empty()) && !(prim && prim->dtype.isVoid())) {
    text(" -> ");
    type(func.retType, nullptr);
  }
  text(":");
  indent();
  top_ = out_.size();  // of what the attributes speak of
  topIndent_ = indent_;
  functionAttrs(func.attrs, name, true, false);
  top_ = out_.size();
  for (size_t k = 0; k < func.params.size(); ++k) {
    if (!func.buffers[k] || inlineParam(func, k)) continue;
    newline();
    const bool shared = !names_.find(func.buffers[k]->data.get()).empty();
    bufferDecl(*func.buffers[k], "match_buffer", nullptr, names_.find(func.params[k].get()), !shared);
  }
  const DataPlace place{out_.size(), indent_};
  for (const tir::BufferRef& buffer : func.buffers) {
    if (buffer) dataPlaces_[buffer->data.get()] = place;
  }
  for (const tir::VarRef& param : func.params) dataPlaces_[param.get()] = place;
  if (const tir::Block* root = impliedRoot(func)) {
    newline();
    text("# with ");
    t(blockWord("block(\"root\"):", "sblock(\"root\"):"));
    blockBuffers(*root);
    stmt(root->body);
  } else {
    stmt(func.body);
  }
  dedent();
  leaveScope();
}

}  // namespace rx::script
