// Parts of buffers that have a name, `B = A[2:6]`: another name of these elements, or, as v0.25 prints it, the
// declaration of a buffer over them.
#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

namespace {
std::string_view takeName(std::string_view& line) {
  size_t size = 0;
  while (size < line.size() && isIdentifierPart(line[size])) ++size;
  std::string_view name = line.substr(0, size);
  line.remove_prefix(size);
  return name;
}

/// Takes `[...]` off the line; empty where it does not begin with one that ends on it.
std::string_view takeBrackets(std::string_view& line) {
  if (!line.starts_with('[')) return {};
  size_t open = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '[') ++open;
    if (line[i] != ']' || --open) continue;
    std::string_view inside = line.substr(0, i + 1);
    line.remove_prefix(i + 1);
    return inside;
  }
  return {};
}

bool takeAssign(std::string_view& line) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (!line.starts_with('=') || line.starts_with("==")) return false;
  line.remove_prefix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}
}  // namespace

/// True in a function that stores to a named part: only what v0.25 prints for T.decl_buffer does, so all of its named
/// parts are declarations. Looks at the lines from this statement to the end of the function, once a function.
bool Reader::partsAreViews() {
  if (partsAreViews_) return *partsAreViews_;
  std::unordered_set<std::string_view> parts, stored;
  size_t at = statementSpan_.begin;
  while (at < text_.size()) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, end - at);
    at = end + 1;
    const size_t indent = line.find_first_not_of(" \t");
    if (indent == std::string_view::npos) continue;
    line.remove_prefix(indent);
    if (line.starts_with("def ") || line.starts_with("class ") || line.starts_with('@')) break;
    std::string_view name = takeName(line);
    if (name.empty()) continue;
    if (!takeBrackets(line).empty()) {
      if (takeAssign(line)) stored.insert(name);
    } else if (takeAssign(line) && !takeName(line).empty()) {
      if (takeBrackets(line).find(':') != std::string_view::npos && line.find_first_not_of(" \r") == line.npos)
        parts.insert(name);
    }
  }
  bool views = false;
  for (std::string_view name : parts) views |= stored.count(name) > 0;
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
