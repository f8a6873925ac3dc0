// T.sblock and the declarations of buffers.
#include <map>

#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/script/printer.h"

namespace rx::script {

void Printer::block(const tir::BlockRealize* realize, const tir::Block& block) {
  if (realize) newline();
  const size_t mark = realize ? anchor(realize) : SIZE_MAX;
  text("with ");
  t(blockWord("block(", "sblock("));
  quoted(block.name.view());
  text(realize ? "):" : ", no_realize=True):");
  enterScope();
  indent();
  iterVars(realize, block);
  if (realize && realize->predicate) {
    const auto value = tir::asInt(realize->predicate);
    if (!value || *value != 1) {
      newline();
      t("where(");
      prim(realize->predicate);
      text(")");
    }
  }
  regions("reads(", block.reads);
  regions("writes(", block.writes);
  if (block.annotations && block.annotations->size() > 0) {
    newline();
    t(blockWord("block_attr(", "sblock_attr("));
    dict(block.annotations);
    text(")");
  }
  blockBuffers(block);
  if (block.init) {
    newline();
    text("with ");
    t("init():");
    enterScope();
    body(block.init);
    leaveScope();
  }
  stmt(block.body);
  dedent();
  leaveScope();
  endAnchor(mark);
}

void Printer::iterVars(const tir::BlockRealize* realize, const tir::Block& block) {
  auto remaps = [&](size_t k) {
    if (!realize || k >= realize->iterValues.size()) return false;
    const tir::IterVar& iter = *block.iterVars[k];
    if (iter.iterType != tir::IterType::DataPar && iter.iterType != tir::IterType::CommReduce) return false;
    auto loop = loops_.find(realize->iterValues[k].get());
    return loop != loops_.end() && iter.dom && structuralEqual(loop->second->min, iter.dom->min) &&
           structuralEqual(loop->second->extent, iter.dom->extent);
  };
  for (size_t k = 0; k < block.iterVars.size();) {
    size_t end = k;
    while (end < block.iterVars.size() && remaps(end)) ++end;
    if (end - k < 2) {
      iterVar(realize, block, k++);
      continue;
    }
    newline();
    const size_t begin = k;
    for (; k < end; ++k) {
      if (k > begin) text(", ");
      text(names_.define(block.iterVars[k]->var.get(), block.iterVars[k]->var->name.view()));
    }
    text(" = ");
    t("axis.remap(\"");
    for (size_t j = begin; j < end; ++j) text(block.iterVars[j]->iterType == tir::IterType::DataPar ? "S" : "R");
    text("\", [");
    for (size_t j = begin; j < end; ++j) {
      if (j > begin) text(", ");
      prim(realize->iterValues[j]);
    }
    text("])");
  }
}

void Printer::iterVar(const tir::BlockRealize* realize, const tir::Block& block, size_t k) {
  const tir::IterVar& iter = *block.iterVars[k];
  newline();
  text(names_.define(iter.var.get(), iter.var->name.view()));
  text(" = ");
  std::string_view kind = "axis.opaque(";
  if (iter.iterType == tir::IterType::DataPar) kind = "axis.spatial(";
  if (iter.iterType == tir::IterType::CommReduce) kind = "axis.reduce(";
  if (iter.iterType == tir::IterType::Ordered) kind = "axis.scan(";
  t(kind);
  if (!iter.dom) {
    text("None");
  } else if (arith::isZero(iter.dom->min)) {
    prim(iter.dom->extent);
  } else {
    text("(");
    prim(iter.dom->min);
    text(", ");
    const auto min = tir::asInt(iter.dom->min), extent = tir::asInt(iter.dom->extent);
    tir::PrimExpr stop = min && extent ? tir::intImm(*min + *extent, iter.var->dtype)
                                       : tir::PrimExpr(make<tir::Add>(iter.dom->min, iter.dom->extent));
    owned_.push_back(stop);
    prim(stop);
    text(")");
  }
  if (realize && k < realize->iterValues.size()) {
    text(", ");
    prim(realize->iterValues[k]);
  }
  text(")");
}

void Printer::regions(std::string_view name, const Array<Ref<tir::BufferRegion>>& list) {
  newline();
  t(name);
  commas(list, [&](const Ref<tir::BufferRegion>& item) { region(*item); });
  text(")");
}

void Printer::blockBuffers(const tir::Block& block) {
  for (const tir::BufferRef& buffer : block.allocBuffers) {
    newline();
    bufferDecl(*buffer, blockWord("alloc_buffer", "sblock_alloc_buffer"), nullptr, {}, true);
  }
  for (const auto& match : block.matchBuffers) {
    newline();
    bufferDecl(*match->buffer, "match_buffer", match->source.get(), {}, true);
  }
}

std::string_view Printer::defineBuffer(const tir::Buffer& buffer) { return names_.define(&buffer, buffer.name.view()); }

bool Printer::isNewVar(const tir::PrimExpr& e) const { return isa<tir::Var>(e) && names_.find(e.get()).empty(); }

void Printer::bufferVars(const tir::Buffer& buffer, std::string_view kind) {
  std::map<const Node*, int> uses;
  for (const auto* list : {&buffer.shape, &buffer.strides}) {
    for (const tir::PrimExpr& e : *list) ++uses[e.get()];
  }
  if (buffer.elemOffset) ++uses[buffer.elemOffset.get()];
  // Only a match gives the variables values, others may stand in other places of the function too.
  std::vector<const tir::Var*> fresh;
  auto introduce = [&](const tir::PrimExpr& e) {
    const auto* var = as<tir::Var>(e);
    if (kind != "match_buffer" && indent_ > topIndent_) return static_cast<void>(declareFree(*var));
    names_.define(var, var->name.view());
    fresh.push_back(var);
  };
  for (const tir::PrimExpr& e : buffer.shape) {
    if (isNewVar(e)) introduce(e);
  }
  // Strides in quotes, and what `offset_factor=` alone makes, are of the type of the indices when they are read.
  const DataType indexType = tir::indexType(buffer.shape);
  auto needsLine = [&](const tir::PrimExpr& e) {
    return isNewVar(e) && (uses[e.get()] > 1 || e->dtype != indexType || isa<tir::SizeVar>(e));
  };
  for (const tir::PrimExpr& e : buffer.strides) {
    if (needsLine(e)) introduce(e);
  }
  if (needsLine(buffer.elemOffset)) introduce(buffer.elemOffset);
  if (fresh.empty()) return;
  commas(fresh, [&](const tir::Var* var) { text(names_.find(var)); });
  text(" = ");
  commas(fresh, [&](const tir::Var* var) { varCreation(*var); });
  newline();
}

void Printer::bufferStrides(const tir::Buffer& buffer, const std::string& name) {
  if (buffer.strides.empty()) return;
  text(", strides=(");
  size_t k = 0;
  commas(buffer.strides, [&](const tir::PrimExpr& e) {
    if (isNewVar(e)) {
      quoted(as<tir::Var>(e)->name.view());
      names_.alias(e.get(), name + ".strides[" + std::to_string(k) + "]");
    } else {
      prim(e);
    }
    ++k;
  });
  text(buffer.strides.size() == 1 ? ",)" : ")");
}

bool Printer::bufferOffset(const tir::Buffer& buffer, const std::string& name) {
  if (!buffer.elemOffset) return false;
  if (isNewVar(buffer.elemOffset)) {
    names_.alias(buffer.elemOffset.get(), name + ".elem_offset");
    return true;
  }
  if (!arith::isZero(buffer.elemOffset) || buffer.elemOffset->dtype != tir::indexType(buffer.shape)) {
    text(", elem_offset=");
    prim(buffer.elemOffset);
  }
  return false;
}

void Printer::bufferAxisSeparators(const tir::Buffer& buffer) {
  if (buffer.axisSeparators.empty()) return;
  text(", axis_separators=[");
  const DataType outer = std::exchange(bareInt_, DataType::Int(32));
  commas(buffer.axisSeparators, [&](const tir::PrimExpr& e) {
    const auto value = tir::asInt(e);
    value ? number(*value) : prim(e);
  });
  bareInt_ = outer;
  text("]");
}

void Printer::bufferKeywords(const tir::Buffer& buffer, std::string_view kind, const std::string& name,
                             const ir::Attrs& annotations) {
  bufferStrides(buffer, name);
  const bool newOffset = bufferOffset(buffer, name);
  const bool scopeInKind = kind == "alloc_local" || kind == "alloc_shared";
  if (buffer.scope() != "global" && !scopeInKind) {
    text(", scope=");
    quoted(buffer.scope());
  }
  if (buffer.dataAlignment != 64) {
    text(", align=");
    number(buffer.dataAlignment);
  }
  if (newOffset || buffer.offsetFactor != 1) {
    text(", offset_factor=");
    number(buffer.offsetFactor);
  }
  if (buffer.autoBroadcast) text(", buffer_type=\"auto\"");
  bufferAxisSeparators(buffer);
  if (annotations && annotations->size() > 0) {
    text(", annotations=");
    dict(annotations);
  }
}

void Printer::bufferDecl(const tir::Buffer& buffer, std::string_view kind, const tir::BufferRegion* source,
                         std::string_view leading, bool definesData, const ir::Attrs& annotations) {
  const std::string name(defineBuffer(buffer));
  bufferVars(buffer, kind);
  // A declaration without data would allocate.
  const bool declares = kind == "decl_buffer" && !definesData && !loose_;
  if (declares && buffer.data && names_.find(buffer.data.get()).empty()) declareFree(*buffer.data);
  const bool namesData = !names_.find(buffer.data.get()).empty();
  text(keep(name));
  text(" = ");
  t(kind);
  text("(");
  if (source) {
    region(*source);
    text(", ");
  }
  if (!leading.empty()) {
    text(leading);
    text(", ");
  }
  text("(");
  commas(buffer.shape, [&](const tir::PrimExpr& e) { prim(e); });
  text(buffer.shape.size() == 1 ? ",)" : ")");
  if (buffer.dtype != DataType::Float(32)) {
    text(", ");
    dtypeText(buffer.dtype);
  }
  if (buffer.data && namesData && !definesData) {
    text(", data=");
    prim(buffer.data);
  } else if (buffer.data && !namesData) {
    names_.alias(buffer.data.get(), name + ".data");
  }
  bufferKeywords(buffer, kind, name, annotations);
  text(")");
  if (buffer.data && !waiting()) dataPlaces_.emplace(buffer.data.get(), DataPlace{out_.size(), indent_});
}

std::string_view Printer::declareFreeBuffer(const tir::Buffer& buffer) {
  DataPlace place{top_, topIndent_};
  // Behind all variables that it is made of.
  auto behind = [&](const Node& node) {
    if (auto at = dataPlaces_.find(&node); at != dataPlaces_.end() && at->second.at > place.at) place = at->second;
    return true;
  };
  if (buffer.data) behind(*buffer.data);
  for (const tir::PrimExpr& e : buffer.shape) walk(*e, Into::Parts, behind);
  for (const tir::PrimExpr& e : buffer.strides) walk(*e, Into::Parts, behind);
  if (buffer.elemOffset) walk(*buffer.elemOffset, Into::Parts, behind);
  for (const tir::PrimExpr& e : buffer.shape) {
    const auto* var = place.indent > topIndent_ ? as<tir::Var>(e) : nullptr;
    if (var && names_.find(var).empty()) declareFree(*var);
  }
  // A printer of its own writes the declaration: this one may be in the middle of a line.
  Printer side(options_);
  side.names_ = names_;
  side.module_ = module_;
  side.indent_ = place.indent;
  side.bareInt_ = bareInt_;
  side.top_ = 0;
  side.topIndent_ = place.indent;
  side.bufferDecl(buffer, "Buffer", nullptr, {}, false);
  side.drain();
  const std::string made(side.names_.find(&buffer));
  usesT_ = true;
  std::string lines;
  for (const Insertion& insertion : side.insertions_) lines += insertion.text;
  lines += "\n" + std::string(static_cast<size_t>(place.indent) * 4, ' ') + side.out_;
  std::string_view name = names_.defineForFunction(&buffer, buffer.name.view());
  if (names_.find(buffer.data.get()).empty()) names_.alias(buffer.data.get(), std::string(name) + ".data");
  if (isa<tir::Var>(buffer.elemOffset) && names_.find(buffer.elemOffset.get()).empty()) {
    names_.alias(buffer.elemOffset.get(), std::string(name) + ".elem_offset");
  }
  insertions_.push_back({place.at, std::move(lines)});
  return name;
}

}  // namespace rx::script
