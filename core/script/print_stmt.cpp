// TIR statements.
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/op/tir_intrinsics.h"
#include "core/script/printer.h"

namespace rx::script {

namespace {
bool isReturn(const tir::PrimExpr& e) {
  const auto* call = as<tir::Call>(e);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  const op::TirIntrinsic* row = op ? op::findTirIntrinsic(op->name.view()) : nullptr;
  return row && row->name == "ret" && call->args.size() == 1;
}
/// The thread that an attribute statement launches, or null.
const tir::IterVar* launchedThread(const tir::AttrStmt& s) {
  if (!(s.key == "thread_extent") && !(s.key == "virtual_thread")) return nullptr;
  return as<tir::IterVar>(s.node);
}
bool usesAny(const tir::PrimExpr& e, const std::vector<const tir::For*>& loops) {
  bool found = false;
  walk(*e, Into::Parts, [&](const Node& node) {
    for (const tir::For* loop : loops) found = found || &node == loop->loopVar.get();
    return !found;
  });
  return found;
}
/// The store of the first value of a scalar right behind its allocation, which is written as one with it; or null.
const tir::BufferStore* firstValue(const tir::Buffer& scalar, const tir::Stmt& next) {
  const auto* store = as<tir::BufferStore>(next);
  if (scalar.scope() != "local" || !store || store->buffer.get() != &scalar || store->predicate ||
      store->indices.size() != 1 || !arith::isZero(store->indices[0])) {
    return nullptr;
  }
  bool ofItself = false;
  walk(*store->value, Into::Parts, [&](const Node& node) {
    ofItself = ofItself || &node == &scalar || &node == scalar.data.get();
    return !ofItself;
  });
  return ofItself ? nullptr : store;
}
}  // namespace

void Printer::body(const tir::Stmt& s) {
  indent();
  stmt(s);
  dedent();
}

void Printer::runSeq(const void* p, uint64_t x) {
  const auto& list = static_cast<const tir::SeqStmt*>(p)->seq;
  for (size_t k = x; k < list.size(); ++k) {
    const auto* scalar = as<tir::AllocBuffer>(list[k]);
    const bool pair = scalar && k + 1 < list.size() && writtenAsScalar(*scalar->buffer);
    const tir::BufferStore* first = pair ? firstValue(*scalar->buffer, list[k + 1]) : nullptr;
    if (first) {
      newline();
      const size_t mark = anchor(scalar);
      allocScalar(*scalar, first);
      endAnchor(mark);
      ++k;
    } else {
      runStmt(list[k].get(), k + 1 == list.size());
    }
    if (waiting() && k + 1 < list.size()) return later(&Printer::runSeq, p, k + 1);
  }
}

void Printer::runStmt(const void* p, uint64_t last) {
  const Node* node = static_cast<const Node*>(p);
  if (const auto* s = as<tir::SeqStmt>(node)) return runSeq(s, 0);
  if (const auto* s = as<tir::BlockRealize>(node)) return block(s, *s->block);
  newline();
  const size_t mark = anchor(node);
  if (!node) {
    text("pass");
  } else if (const auto* s = as<tir::BufferStore>(node)) {
    bufferStore(*s);
  } else if (const auto* s = as<tir::Evaluate>(node)) {
    evaluate(*s);
  } else if (const auto* s = as<tir::Bind>(node)) {
    bind(*s);
  } else if (const auto* s = as<tir::For>(node)) {
    forLoop(*s);
  } else if (const auto* s = as<tir::IfThenElse>(node)) {
    ifThenElse(*s);
  } else if (const auto* s = as<tir::While>(node)) {
    text("while ");
    prim(s->condition);
    text(":");
    enterScope();
    body(s->body);
    leaveScope();
  } else if (const auto* s = as<tir::AssertStmt>(node)) {
    assertStmt(*s);
  } else if (const auto* s = as<tir::AttrStmt>(node)) {
    attrStmt(*s, last != 0);
  } else if (const auto* s = as<tir::Allocate>(node)) {
    allocate(*s);
  } else if (const auto* s = as<tir::AllocBuffer>(node)) {
    if (writtenAsScalar(*s->buffer)) {
      allocScalar(*s, nullptr);
    } else {
      allocBuffer(*s);
    }
  } else if (const auto* s = as<tir::DeclBuffer>(node)) {
    bufferDecl(*s->buffer, "decl_buffer", nullptr, {}, false);
  } else if (const auto* s = as<tir::Block>(node)) {
    block(nullptr, *s);
  }
  endAnchor(mark);
}

void Printer::bufferStore(const tir::BufferStore& s) {
  if (s.predicate) {
    bufferRef(*s.buffer);
    text(".vstore([");
    commas(s.indices, [&](const tir::PrimExpr& index) { prim(index); });
    text("], ");
    prim(s.value);
    text(", predicate=");
    prim(s.predicate);
    return text(")");
  }
  element(*s.buffer, s.indices);
  text(" = ");
  prim(s.value);
}

void Printer::evaluate(const tir::Evaluate& s) {
  if (isReturn(s.value)) {
    text("return ");
    return prim(as<tir::Call>(s.value)->args[0]);
  }
  if (isa<tir::Call>(s.value)) return prim(s.value);
  t("evaluate(");
  prim(s.value);
  text(")");
}

void Printer::bind(const tir::Bind& s) {
  // A variable that was named before its value is known keeps its name.
  if (const std::string_view known = names_.find(s.var.get()); !known.empty()) {
    t(era(Dialect::V018) ? "LetStmt(" : "bind(");
    prim(s.value);
    text(", var=");
    text(known);
    return text(")");
  }
  if (isa<tir::SizeVar>(s.var)) {  // the short form makes a plain variable
    declareFree(*s.var);
    return bind(s);
  }
  text(names_.define(s.var.get(), s.var->name.view()));
  text(": ");
  const bool bare = era(Dialect::V018);
  if (!bare) t("let[");
  type(s.var->annotation, s.var.get());
  text(bare ? " = " : "] = ");
  prim(s.value);
  definedHere(s.var.get(), 0);
}

void Printer::definedHere(const Node* var, int deeper) {
  if (!waiting()) dataPlaces_[var] = {out_.size(), indent_ + deeper};
}

void Printer::forLoop(const tir::For& first) {
  std::vector<const tir::For*> grid;
  for (const tir::For* loop = &first; loop; loop = as<tir::For>(loop->body)) {
    const bool plain = loop->forKind == tir::ForKind::Serial && arith::isZero(loop->min) &&
                       (!loop->annotations || loop->annotations->size() == 0) &&
                       (!loop->step || arith::isOne(loop->step));
    if (!plain || (!grid.empty() && !isa<tir::IntImm>(loop->extent) && usesAny(loop->extent, grid))) break;
    grid.push_back(loop);
  }
  enterScope();
  text("for ");
  if (grid.size() > 1) {
    commas(grid, [&](const tir::For* loop) {
      loops_[loop->loopVar.get()] = loop;
      text(names_.define(loop->loopVar.get(), loop->loopVar->name.view()));
    });
    text(" in ");
    t("grid(");
    commas(grid, [&](const tir::For* loop) { prim(loop->extent); });
    text("):");
    for (const tir::For* loop : grid) definedHere(loop->loopVar.get(), 1);
    body(grid.back()->body);
    return leaveScope();
  }
  loops_[first.loopVar.get()] = &first;
  text(names_.define(first.loopVar.get(), first.loopVar->name.view()));
  text(" in ");
  static constexpr std::string_view kKinds[] = {"serial", "parallel", "vectorized", "unroll", "thread_binding"};
  const bool annotated = first.annotations && first.annotations->size() > 0;
  const bool stepped = first.step && !arith::isOne(first.step);
  if (first.forKind == tir::ForKind::Serial && !annotated && !stepped) {
    text("range");
  } else {
    t(kKinds[static_cast<size_t>(first.forKind) % std::size(kKinds)]);
  }
  text("(");
  if (arith::isZero(first.min) && !stepped) {
    prim(first.extent);
  } else {
    prim(first.min);
    text(", ");
    const auto min = tir::asInt(first.min), extent = tir::asInt(first.extent);
    tir::PrimExpr stop;
    if (min && extent) {
      // Wraps as the difference did that made the extent.
      stop = tir::intImm(static_cast<int64_t>(static_cast<uint64_t>(*min) + static_cast<uint64_t>(*extent)),
                         first.loopVar->dtype);
    } else if (arith::isZero(first.min)) {
      stop = first.extent;
    } else {
      stop = make<tir::Add>(first.min, first.extent);
    }
    owned_.push_back(stop);
    prim(stop);
  }
  if (first.threadBinding) {
    text(", thread=");
    quoted(first.threadBinding->threadTag.view());
  }
  if (annotated) {
    text(", annotations=");
    dict(first.annotations);
  }
  if (stepped) {
    text(", step=");
    prim(first.step);
  }
  text("):");
  definedHere(first.loopVar.get(), 1);
  body(first.body);
  leaveScope();
}

void Printer::ifThenElse(const tir::IfThenElse& s) {
  text("if ");
  prim(s.condition);
  text(":");
  enterScope();
  body(s.thenCase);
  leaveScope();
  if (s.elseCase) later(&Printer::runElse, s.elseCase.get());
}

void Printer::runElse(const void* p, uint64_t) {
  // `elif` keeps a chain of any length at one indentation.
  if (const auto* chained = as<tir::IfThenElse>(static_cast<const Node*>(p))) {
    newline();
    text("el");
    return ifThenElse(*chained);
  }
  newline();
  text("else:");
  enterScope();
  body(tir::Stmt(static_cast<const tir::StmtNode*>(p)));
  leaveScope();
}

void Printer::assertStmt(const tir::AssertStmt& s) {
  text("assert ");
  prim(s.condition);
  const auto* kind = as<tir::StringImm>(s.errorKind);
  if (era(Dialect::V018)) {
    std::string message;
    for (const tir::PrimExpr& part : s.message) {
      if (const auto* piece = as<tir::StringImm>(part)) message += piece->value.string();
    }
    if (kind && !(kind->value == "RuntimeError")) warn("v0.18 asserts raise RuntimeError only");
    if (s.message.size() > 1) warn("v0.18 asserts have a message of one part");
    text(", ");
    return quoted(message);
  }
  text(", (");
  prim(s.errorKind);
  text(", [");
  commas(s.message, [&](const tir::PrimExpr& part) { prim(part); });
  text("])");
}

void Printer::attrStmt(const tir::AttrStmt& s, bool last) {
  enterScope();
  const tir::IterVar* thread = launchedThread(s);
  if (!thread) {
    text("with ");
    t("attr(");
    attr(s.node);
    text(", ");
    quoted(s.key.view());
    text(", ");
    prim(s.value);
    text("):");
    body(s.body);
    return leaveScope();
  }
  std::string_view name = names_.find(thread->var.get());
  const bool shared = threadUses_[thread->var.get()] > 1;
  if (shared && name.empty()) {
    name = names_.defineForFunction(thread->var.get(), thread->var->name.view());
    usesT_ = true;
    insertions_.push_back({top_, "\n" + std::string(static_cast<size_t>(topIndent_) * 4, ' ') + std::string(name) +
                                     " = T.env_thread(\"" + thread->threadTag.string() + "\")"});
  }
  auto launch = [&](bool byName) {
    t("launch_thread(");
    byName ? text(name) : quoted(thread->threadTag.view());
    text(", ");
    prim(s.value);
    text(")");
  };
  if (last && !shared) {
    text(names_.define(thread->var.get(), thread->var->name.view()));
    text(" = ");
    launch(false);
    definedHere(thread->var.get(), 0);
    stmt(s.body);
    return leaveScope();
  }
  text("with ");
  launch(shared);
  if (!shared) {
    text(" as ");
    text(names_.define(thread->var.get(), thread->var->name.view()));
  }
  text(":");
  definedHere(thread->var.get(), 1);
  body(s.body);
  leaveScope();
}

void Printer::allocate(const tir::Allocate& s) {
  text(names_.define(s.var.get(), s.var->name.view()));
  text(" = ");
  t("allocate([");
  commas(s.extents, [&](const tir::PrimExpr& extent) { prim(extent); });
  text("], ");
  dtypeText(s.dtype);
  const auto* pointer = as<tir::PointerType>(s.var->annotation);
  text(", ");
  quoted(pointer && !pointer->scope.empty() ? pointer->scope.view() : std::string_view("global"));
  if (s.condition && !arith::isOne(s.condition)) {
    text(", condition=");
    prim(s.condition);
  }
  if (s.annotations && s.annotations->size() > 0) {
    text(", annotations=");
    dict(s.annotations);
  }
  text(")");
  dataPlaces_[s.var.get()] = {out_.size(), indent_};
}

void Printer::allocBuffer(const tir::AllocBuffer& s) {
  std::string_view kind = "alloc_buffer";
  if (era(Dialect::V018)) {
    kind = "decl_buffer";
    if (s.annotations && s.annotations->size() > 0) warn("v0.18 has no annotations on buffer allocations");
    if (tir::isScalar(*s.buffer)) warn("v0.18 has no scalars: they are written as buffers of one element");
    return bufferDecl(*s.buffer, kind, nullptr, {}, true);
  }
  if (s.buffer->scope() == "local") kind = "alloc_local";
  if (s.buffer->scope() == "shared") kind = "alloc_shared";
  // What stood before the allocation may have named its pointer.
  const bool definesData = names_.find(s.buffer->data.get()).empty();
  bufferDecl(*s.buffer, kind, nullptr, {}, definesData, s.annotations);
}

void Printer::allocScalar(const tir::AllocBuffer& s, const tir::BufferStore* first) {
  const tir::Buffer& buffer = *s.buffer;
  const std::string name(names_.define(&buffer, buffer.name.view()));
  scalars_[&buffer] = name;
  if (names_.find(buffer.data.get()).empty()) names_.alias(buffer.data.get(), name + ".buffer.data");
  text(keep(name));
  if (buffer.scope() != "local") {
    // An annotation would say that it is local.
    text(" = ");
    t("alloc_scalar(");
    dtypeText(buffer.dtype);
    text(", ");
    quoted(buffer.scope());
    return text(")");
  }
  text(": ");
  t(keep(buffer.dtype.str()));
  if (!first) return;
  text(" = ");
  const size_t mark = anchor(first);
  prim(first->value);
  endAnchor(mark);
}

}  // namespace rx::script
