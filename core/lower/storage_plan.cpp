#include "core/lower/storage_plan.h"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <unordered_set>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/own_code.h"
#include "core/lower/thread_scope.h"

namespace rx::lower {

using namespace tir;

namespace {

bool isScalable(DataType dtype) { return dtype.lanes < -1; }
DataType elementOf(DataType dtype) {
  dtype.lanes = 1;
  return dtype;
}
uint64_t bitsOf(DataType dtype) {
  return isScalable(dtype) ? 0 : uint64_t{dtype.bits} * static_cast<uint64_t>(dtype.lanes);
}

/// Elements of a constant shape, 0 otherwise.
uint64_t constantSize(const Buffer& buffer) {
  uint64_t size = 1;
  for (const PrimExpr& extent : buffer.shape) size *= static_cast<uint64_t>(asInt(extent).value_or(0));
  return size;
}

/// What follows the rank in a scope: "global.vtcm" has ".vtcm", "wmma.matrix_a" has none.
std::string_view tagOf(std::string_view scope) {
  const size_t dot = scope.find('.');
  if (dot == std::string_view::npos || storageRank(scope) == StorageRank::Other) return {};
  return scope.substr(dot);
}
/// Memory of a device's own, all of which is allocated as one.
bool isSpecial(std::string_view scope) {
  const std::string_view tag = tagOf(scope);
  return !tag.empty() && tag != ".dyn" && tag != ".workspace" && tag != ".vtcm";
}

class Planner {
 public:
  Planner(const StorageEvents& events, const StorageOptions& options) : events_(events), options_(options) {}

  StoragePlan run() {
    lifetimes_ = storageLifetimes(events_.sequence);
    for (const StorageEvent& event : events_.sequence) {
      const auto lifetime = lifetimes_.find(event.statement);
      if (lifetime != lifetimes_.end() && event.kind != StorageEvent::Kind::End) begin(event, lifetime->second);
      turn(*event.statement, event.kind);
      if (lifetime == lifetimes_.end() || event.kind == StorageEvent::Kind::Begin) continue;
      for (const Var* pointer : lifetime->second.ends) {
        if (!inPlace_.contains(pointer)) release(*plan_.of[pointer]);
      }
    }
    allocate();
    return std::move(plan_);
  }

 private:
  void begin(const StorageEvent& event, const StorageLifetime& lifetime) {
    for (const Var* pointer : lifetime.begins) {
      const AllocBuffer& alloc = *events_.allocations.at(pointer);
      Storage* storage = lifetime.begins.size() <= 2 ? overwritten(event, lifetime, pointer, alloc) : nullptr;
      if (!storage) storage = find(alloc);
      storage->allocations.push_back(&alloc);
      storage->isVolatile |= ir::attrOf(alloc.annotations, "tirx.volatile") != nullptr;
      plan_.of[pointer] = storage;
    }
  }

  /// The memory of an operand that ends here and that the result may take over.
  Storage* overwritten(const StorageEvent& event, const StorageLifetime& lifetime, const Var* pointer,
                       const AllocBuffer& alloc) {
    const Buffer& buffer = *alloc.buffer;
    if (isScalable(buffer.dtype)) return nullptr;
    for (const Var* source : lifetime.ends) {
      const auto known = plan_.of.find(source);
      if (inPlace_.contains(source) || known == plan_.of.end()) continue;
      Storage* storage = known->second;
      if (storage->scope != buffer.scope() || storage->place != place_ || storage->element != elementOf(buffer.dtype))
        continue;
      if (storage->bits != constantSize(buffer) * bitsOf(buffer.dtype)) continue;
      if (!worksInPlace(*event.statement, pointer, source)) continue;
      inPlace_.insert(source);
      return storage;
    }
    return nullptr;
  }

  Storage* make(const AllocBuffer& alloc, uint64_t bits) {
    auto storage = std::make_unique<Storage>();
    storage->place = place_;
    storage->scope = alloc.buffer->scope();
    storage->element = elementOf(alloc.buffer->dtype);
    storage->bits = bits;
    plan_.storages.push_back(std::move(storage));
    return plan_.storages.back().get();
  }

  Storage* find(const AllocBuffer& alloc) {
    const Buffer& buffer = *alloc.buffer;
    const uint64_t element = bitsOf(buffer.dtype), bits = constantSize(buffer) * element;
    // Small and private arrays become registers.
    const bool isSmall = tagOf(buffer.scope()).empty() &&
                         (storageRank(buffer.scope()) >= StorageRank::Warp || (bits != 0 && bits <= 32));
    if (isScalable(buffer.dtype) || !options_.share || isSmall || buffer.shape.size() != 1) return make(alloc, bits);
    auto fits = [&](const Storage& storage) { return storage.place == place_ && storage.scope == buffer.scope(); };
    auto sameType = [&](const Storage& storage) { return !options_.sameType || storage.element == buffer.dtype; };
    if (bits == 0) {
      for (auto it = freeSymbolic_.begin(); it != freeSymbolic_.end(); ++it) {
        if (!fits(**it) || (*it)->element != elementOf(buffer.dtype)) continue;
        return take(freeSymbolic_, it);
      }
      return make(alloc, bits);
    }
    constexpr uint64_t kRange = 16;
    const auto first = free_.lower_bound(bits / kRange), middle = free_.lower_bound(bits),
               last = free_.upper_bound(bits * kRange);
    for (auto it = middle; it != last; ++it) {
      if (fits(*it->second) && it->second->offset % element == 0 && sameType(*it->second)) return take(it, bits);
    }
    for (auto it = middle; it != first;) {
      --it;
      if (!fits(*it->second) || it->second->element != elementOf(buffer.dtype) || !sameType(*it->second)) continue;
      return take(it, bits);
    }
    return make(alloc, bits);
  }

  Storage* take(std::list<Storage*>& list, std::list<Storage*>::iterator it) {
    Storage* storage = *it;
    list.erase(it);
    return storage;
  }
  Storage* take(std::multimap<uint64_t, Storage*>::iterator it, uint64_t bits) {
    Storage* storage = it->second;
    storage->bits = std::max(bits, storage->bits);
    free_.erase(it);
    return storage;
  }

  void release(Storage& storage) {
    if (tagOf(storage.scope).empty()) {
      if (storageRank(storage.scope) >= StorageRank::Warp || isScalable(storage.allocations[0]->buffer->dtype)) return;
      if (storage.bits > 0 && storage.bits <= 32) return;
    }
    if (storage.bits != 0) {
      free_.insert({storage.bits, &storage});
    } else {
      freeSymbolic_.push_back(&storage);
    }
  }

  /// Launches and parallel loops hold what is allocated in them, the outermost of them alone; what is compiled apart
  /// holds what is allocated beside them.
  void turn(const StmtNode& statement, StorageEvent::Kind kind) {
    if (kind == StorageEvent::Kind::Leaf) return;
    const auto* attr = as<AttrStmt>(&statement);
    const auto* loop = as<For>(&statement);
    const bool launch = attr && (attr->key == "thread_extent" || attr->key == "virtual_thread");
    const bool parallel = loop && loop->forKind == ForKind::Parallel;
    const bool apart = attr && attr->key == kOwnCode;
    if (!launch && !parallel && !apart) return;
    if (kind == StorageEvent::Kind::Begin) {
      if (place_ && (apart || place_ != apart_)) return;
      place_ = &statement;
      if (apart) apart_ = place_;
    } else if (place_ == &statement) {
      std::erase_if(free_, [&](const auto& entry) { return entry.second->place == place_; });
      std::erase_if(freeSymbolic_, [&](const Storage* storage) { return storage->place == place_; });
      if (apart) apart_ = nullptr;
      place_ = apart_;
    }
  }

  /// Special memory of one place is one allocation; everything else has its own.
  void allocate() {
    std::map<std::pair<size_t, std::string>, Storage*> special;
    std::unordered_map<const StmtNode*, size_t> places;
    std::unordered_map<Storage*, std::vector<Storage*>> children;
    for (const auto& storage : plan_.storages) {
      storage->pointer = storage->allocations[0]->buffer->data;
      if (!isSpecial(storage->scope) || storage->bits == 0) continue;
      const size_t place = places.try_emplace(storage->place, places.size()).first->second;
      auto [entry, fresh] = special.try_emplace({place, storage->scope}, storage.get());
      if (!fresh) children[entry->second].push_back(storage.get());
    }
    std::unordered_set<const Storage*> inside;
    for (auto& [parent, inner] : children) {
      joined(*parent, inner);
      inside.insert(inner.begin(), inner.end());
    }
    for (const auto& storage : plan_.storages) {
      if (!storage->statement && !inside.contains(storage.get())) storage->statement = own(*storage);
    }
  }

  static Stmt allocation(BufferRef buffer, bool isVolatile) {
    if (!isVolatile) return rx::make<AllocBuffer>(std::move(buffer));
    return rx::make<AllocBuffer>(std::move(buffer), ir::withAttr(nullptr, Str("tirx.volatile"), ir::boolAttr(true)));
  }

  static BufferRef flat(const Buffer& like, DataType dtype, PrimExpr size) {
    auto* buffer = new Buffer();
    buffer->data = like.data;
    buffer->name = like.name;
    buffer->dtype = dtype;
    buffer->shape = {std::move(size)};
    return BufferRef(buffer);
  }

  static void joined(Storage& parent, const std::vector<Storage*>& children) {
    auto aligned = [](uint64_t bits) { return (bits + 31) / 32 * 32; };
    uint64_t total = aligned(parent.bits);
    bool isVolatile = parent.isVolatile;
    for (Storage* child : children) {
      child->offset = total;
      child->pointer = parent.pointer;
      total += aligned(child->bits);
      isVolatile |= child->isVolatile;
    }
    const Buffer& first = *parent.allocations[0]->buffer;
    const uint64_t element = bitsOf(parent.element);
    const PrimExpr size =
        arith::constantInt(first.shape[0]->dtype, static_cast<int64_t>((total + element - 1) / element));
    parent.statement = allocation(flat(first, parent.element, size), isVolatile);
  }

  static bool sameAllocation(const Buffer& a, const Buffer& b) {
    return a.dtype == b.dtype && arith::sameExprs(a.shape, b.shape);
  }

  /// The allocation of a storage: that of its only kind, or one as large as the largest.
  static Stmt own(const Storage& storage) {
    const BufferRef& first = storage.allocations[0]->buffer;
    const bool same = std::all_of(storage.allocations.begin(), storage.allocations.end(),
                                  [&](const AllocBuffer* alloc) { return sameAllocation(*alloc->buffer, *first); });
    if (same) return allocation(first, storage.isVolatile);
    DataType dtype = first->dtype;
    PrimExpr most;
    for (const AllocBuffer* alloc : storage.allocations) {
      if (alloc->buffer->dtype.lanes > dtype.lanes) dtype = alloc->buffer->dtype;
    }
    for (const AllocBuffer* alloc : storage.allocations) {
      PrimExpr size = alloc->buffer->shape[0];
      const auto bits = static_cast<int64_t>(bitsOf(alloc->buffer->dtype));
      const auto count = asInt(size);
      if (count && *count > std::numeric_limits<int32_t>::max() / bits) size = intImm(*count);
      size = arith::mul(size, arith::constantInt(size->dtype, bits));
      most = most ? arith::max(most, size) : size;
    }
    arith::Analyzer analyzer;
    const PrimExpr unit = arith::constantInt(most->dtype, static_cast<int64_t>(bitsOf(dtype)));
    const bool even = analyzer.canProveEqual(arith::floorMod(most, unit), arith::constantInt(most->dtype, 0));
    PrimExpr size = arith::floorDiv(most, unit);
    if (!even) size = arith::add(size, arith::constantInt(size->dtype, 1));
    return allocation(flat(*first, dtype, analyzer.simplify(size)), storage.isVolatile);
  }

  const StorageEvents& events_;
  const StorageOptions options_;
  StoragePlan plan_;
  std::unordered_map<const StmtNode*, StorageLifetime> lifetimes_;
  std::unordered_set<const Var*> inPlace_;
  std::multimap<uint64_t, Storage*> free_;  ///< by bits
  std::list<Storage*> freeSymbolic_;
  const StmtNode* place_ = nullptr;
  const StmtNode* apart_ = nullptr;  ///< the part around that is compiled apart
};

}  // namespace

StoragePlan planStorage(const StorageEvents& events, const StorageOptions& options) {
  return Planner(events, options).run();
}

}  // namespace rx::lower
