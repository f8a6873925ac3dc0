// Parts of buffers that have a name, `B = A[2:6]`: another name of these elements, or, as v0.25 prints it, the
// declaration of a buffer over them.
#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/lines.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

/// True in a function that stores to a named part: only what v0.25 prints for T.decl_buffer does, so all of its named
/// parts are declarations. Looks at the statements of the function, once a function.
bool Reader::partsAreViews() {
  if (partsAreViews_) return *partsAreViews_;
  std::unordered_set<NameId> parts, stored;
  const auto end = static_cast<uint32_t>(text_.size());
  Syntax ahead(text_, afterLine(text_, primBody_, end), end, file_, names_);
  auto indexed = [&](NodeId id) {
    return ahead.node(id).kind == Syn::Index ? ahead.node(ahead.node(id).a) : SynNode();
  };
  Statement s;
  for (ahead.next(s); s.kind != StmtKind::End; ahead.next(s)) {
    if (s.kind == StmtKind::Def || s.kind == StmtKind::Class) break;
    if (s.kind != StmtKind::Assign || s.items.size() != 1) continue;
    const SynNode target = ahead.node(s.items[0]);
    if (const SynNode base = indexed(s.items[0]); base.kind == Syn::Name) stored.insert(base.a);
    if (target.kind != Syn::Name || indexed(s.b).kind != Syn::Name) continue;
    for (NodeId index : ahead.kids(ahead.node(s.b))) {
      if (ahead.node(index).kind == Syn::Slice) parts.insert(target.a);
    }
  }
  bool views = false;
  for (NameId name : parts) views |= stored.count(name) > 0;
  return *(partsAreViews_ = views);
}

/// Declares a buffer of the elements of a part of a buffer of one dimension; null for other parts.
NodeRef Reader::viewOfPart(const tir::BufferRegion& part, NodeId at) {
  if (part.region.size() != 1) return nullptr;
  const PrimExpr& begin = part.region[0]->min;
  PrimExpr extent = part.region[0]->extent;
  const auto first = tir::asInt(begin);
  // It is printed so where the type of the size is not that of the buffer's own.
  if (auto size = tir::asInt(extent); size && *size <= INT32_MAX) extent = tir::intImm(*size, DataType::Int(32));
  Args decl;
  decl.call = at;
  decl.values = {ir::arrayAttr({extent}), ir::typeAttr(part.buffer->dtype), part.buffer->data};
  decl.keywords.emplace_back(names_.intern("scope"), ir::strAttr(Str(part.buffer->scope())));
  if (first != 0) decl.keywords.emplace_back(names_.intern("elem_offset"), begin);
  return tDeclBuffer(decl, 0);
}

/// An element, or a part, of a part of a buffer.
NodeRef Reader::indexPart(const tir::BufferRegion& part, std::span<const NodeRef> indices, NodeId id) {
  if (!fitsRank(*part.buffer, indices.size(), id)) return nullptr;
  auto from = [&](size_t i, PrimExpr offset) -> PrimExpr {
    PrimExpr begin = part.region[i]->min;
    const auto constant = tir::asInt(begin);
    if (constant == 0) return offset;
    if (constant) begin = arith::constantInt(offset->dtype.element(), *constant);
    return arith::matchTypes(begin, offset) ? arith::add(begin, offset) : nullptr;
  };
  std::vector<NodeRef> moved;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto* slice = as<ir::DictAttrs>(indices[i]);
    if (!slice) {
      PrimExpr index = toIndex(indices[i], id);
      if (!index || !(index = from(i, index))) return nullptr;
      moved.push_back(index);
      continue;
    }
    auto bound = [&](std::string_view key, const PrimExpr& fallback) {
      const NodeRef value = slice->get(key);
      PrimExpr p = isNone(value) ? fallback : toIndex(value, id);
      return p ? from(i, p) : nullptr;
    };
    PrimExpr begin = bound("begin", arith::constantInt(part.region[i]->extent->dtype, 0));
    PrimExpr end = bound("end", part.region[i]->extent);
    if (!begin || !end) return nullptr;
    moved.push_back(make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{
        {Str("begin"), begin}, {Str("end"), end}, {Str("step"), slice->get("step")}}));
  }
  return indexBuffer(part.buffer, std::move(moved), id);
}

}  // namespace rx::script
