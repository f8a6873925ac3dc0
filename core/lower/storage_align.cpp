#include "core/lower/storage_align.h"

#include <optional>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

namespace {

std::optional<int64_t> intOf(const NodeRef& node) {
  if (const auto* value = as<ir::IntAttr>(node)) return value->value;
  if (const auto* value = as<IntImm>(node)) return value->value;
  return std::nullopt;
}

/// Hands each entry of four numbers to `take`.
template <class Take>
void eachEntry(const ir::Attrs& annotations, Take take) {
  const NodeRef list = ir::attrOf(annotations, kDimAlign);
  const auto* entries = as<ir::ArrayAttr>(list);
  if (!entries) return;
  for (const NodeRef& entry : entries->items) {
    const auto* tuple = as<ir::ArrayAttr>(entry);
    if (!tuple || tuple->items.size() != 4) continue;
    int64_t numbers[4];
    bool known = true;
    for (size_t i = 0; i < 4; ++i) {
      const auto value = intOf(tuple->items[i]);
      known = known && value;
      numbers[i] = value.value_or(0);
    }
    if (known) take(numbers[0], DimAlign{numbers[1], numbers[2], numbers[3]});
  }
}

}  // namespace

StorageAligns storageAligns(const Stmt& body) {
  StorageAligns found;
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* block = as<Block>(&node)) {
      eachEntry(block->annotations, [&](int64_t index, const DimAlign& align) {
        if (index < 0 || index >= static_cast<int64_t>(block->writes.size())) return;
        found[block->writes[static_cast<size_t>(index)]->buffer->data.get()].push_back(align);
      });
    } else if (const auto* alloc = as<AllocBuffer>(&node)) {
      eachEntry(alloc->annotations,
                [&](int64_t, const DimAlign& align) { found[alloc->buffer->data.get()].push_back(align); });
    }
    return isa<StmtNode>(&node);
  });
  return found;
}

NodeRef alignAnnotation(const std::vector<DimAlign>& aligns) {
  std::vector<NodeRef> entries;
  for (const DimAlign& align : aligns) {
    const int64_t numbers[] = {-1, align.dim, align.factor, align.offset};
    entries.push_back(ir::intArrayAttr(numbers));
  }
  return ir::arrayAttr(Array<NodeRef>(std::move(entries)));
}

}  // namespace rx::lower
