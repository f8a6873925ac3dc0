// MergeSharedMemoryAllocations: what a launch allocates of dynamic shared memory (of static too, where the config asks
// for it) becomes one array of bytes, in which allocations that are not needed at one time lie over each other.
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/lower/storage_events.h"
#include "core/lower/walk_nested.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

using Allocations = std::vector<const AllocBuffer*>;

Allocations allocationsIn(const Stmt& body, std::string_view scope) {
  Allocations found;
  walkNested(
      *body,
      [&](const Node& node) {
        const auto* alloc = as<AllocBuffer>(&node);
        if (alloc && alloc->buffer->scope() == scope) found.push_back(alloc);
        return isa<StmtNode>(&node);
      },
      [](const Node&) {});
  return found;
}

/// Allocations that share a place, in layers: those of one layer lie side by side, layers lie over each other.
struct Place {
  uint64_t bits = 0;  ///< 0 where the size is not constant
  std::vector<std::vector<const Buffer*>> layers;
};

/// Where each allocation lies in the bytes of one launch.
class Layout {
 public:
  Layout(const StorageEvents& events, const Allocations& allocations) {
    for (const AllocBuffer* alloc : allocations) buffers_[alloc->buffer->data.get()] = alloc->buffer.get();
    const auto lifetimes = storageLifetimes(events.sequence);
    for (const StorageEvent& event : events.sequence) {
      const auto found = lifetimes.find(event.statement);
      if (found == lifetimes.end()) continue;
      const StorageLifetime& lifetime = found->second;
      auto onlyHere = [&](const Var* pointer) {
        return event.kind == StorageEvent::Kind::Leaf &&
               std::find(lifetime.begins.begin(), lifetime.begins.end(), pointer) != lifetime.begins.end();
      };
      if (event.kind != StorageEvent::Kind::Begin) {
        for (const Var* pointer : lifetime.ends) release(onlyHere(pointer) ? nullptr : pointer);
      }
      if (event.kind != StorageEvent::Kind::End) {
        for (const Var* pointer : lifetime.begins) take(pointer);
      }
      if (event.kind != StorageEvent::Kind::Begin) {
        for (const Var* pointer : lifetime.ends) release(onlyHere(pointer) ? pointer : nullptr);
      }
    }
    place();
  }

  /// In bytes.
  std::unordered_map<const Var*, PrimExpr> offsets;
  PrimExpr size = int32(0);

 private:
  static uint64_t bitsOf(const Buffer& buffer) {
    uint64_t count = 1;
    for (const PrimExpr& extent : buffer.shape) count *= static_cast<uint64_t>(asInt(extent).value_or(0));
    return count * static_cast<uint64_t>(buffer.dtype.bits) * static_cast<uint64_t>(buffer.dtype.lanes);
  }

  Place* fresh(uint64_t bits, std::vector<std::vector<const Buffer*>> layers) {
    places_.push_back({bits, std::move(layers)});
    return &places_.back();
  }

  void take(const Var* pointer) {
    const auto known = buffers_.find(pointer);
    if (known != buffers_.end()) of_[pointer] = find(*known->second);
  }

  Place* find(const Buffer& buffer) {
    const uint64_t bits = bitsOf(buffer);
    if (bits == 0) {
      if (freeSymbolic_.empty()) return fresh(0, {{&buffer}});
      Place* place = freeSymbolic_.front();
      freeSymbolic_.pop_front();
      place->layers.push_back({&buffer});
      return place;
    }
    constexpr uint64_t kSmall = 32, kRange = 16;
    if (bits <= kSmall) return fresh(bits, {{&buffer}});
    const auto middle = free_.lower_bound(bits);
    if (middle != free_.upper_bound(bits * kRange)) {
      Place* place = middle->second;
      free_.erase(middle);
      place->bits = std::max(bits, place->bits);
      place->layers.push_back({&buffer});
      return place;
    }
    return joined(buffer, bits, middle);
  }

  /// Smaller places side by side, the largest first, until they are enough.
  Place* joined(const Buffer& buffer, uint64_t bits, std::multimap<uint64_t, Place*>::iterator end) {
    std::vector<std::vector<const Buffer*>> layers;
    uint64_t total = 0;
    auto begin = end;
    while (begin != free_.begin() && total < bits) {
      --begin;
      total += begin->second->bits;
      const auto& inner = begin->second->layers;
      if (layers.size() < inner.size()) layers.resize(inner.size());
      for (size_t i = 0; i < inner.size(); ++i) layers[i].insert(layers[i].end(), inner[i].begin(), inner[i].end());
    }
    free_.erase(begin, end);
    layers.push_back({&buffer});
    return fresh(std::max(bits, total), std::move(layers));
  }

  void release(const Var* pointer) {
    const auto found = of_.find(pointer);
    if (found == of_.end()) return;
    if (found->second->bits == 0) {
      freeSymbolic_.push_back(found->second);
    } else {
      free_.insert({found->second->bits, found->second});
    }
  }

  void place() {
    std::vector<const Place*> all;
    for (const auto& [bits, place] : free_) all.push_back(place);
    all.insert(all.end(), freeSymbolic_.begin(), freeSymbolic_.end());
    std::vector<int64_t> align;
    for (const Place* place : all) {
      align.resize(std::max(align.size(), place->layers.size()), 1);
      for (size_t i = 0; i < place->layers.size(); ++i) {
        for (const Buffer* buffer : place->layers[i]) align[i] = std::max(align[i], buffer->dtype.bytes());
      }
    }
    for (const Place* place : all) {
      PrimExpr most = int32(0);
      for (size_t i = 0; i < place->layers.size(); ++i) {
        PrimExpr inner = int32(0);
        for (const Buffer* buffer : place->layers[i]) {
          const int64_t unit = std::max({align[i], buffer->dtype.bytes(), buffer->dataAlignment});
          const PrimExpr begin = arith::add(size, inner);
          inner = arith::add(inner, padding(begin, unit));
          offsets[buffer->data.get()] = arith::add(size, inner);
          const PrimExpr count = buffer->shape.empty() ? int32(1) : buffer->shape[0];
          inner = arith::add(inner, arith::mul(count, arith::constantInt(count->dtype, buffer->dtype.bytes())));
        }
        most = arith::max(most, inner);
      }
      size = arith::add(size, most);
    }
  }

  static PrimExpr padding(const PrimExpr& begin, int64_t unit) {
    const PrimExpr by = arith::constantInt(begin->dtype, unit);
    return arith::floorMod(arith::sub(by, arith::floorMod(begin, by)), by);
  }

  std::list<Place> places_;
  std::unordered_map<const Var*, const Buffer*> buffers_;
  std::unordered_map<const Var*, Place*> of_;
  std::multimap<uint64_t, Place*> free_;  ///< by bits
  std::list<Place*> freeSymbolic_;
};

class Merger : public CheckedRewriter {
 public:
  explicit Merger(std::string_view scope) : scope_(scope) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    auto attr = refAs<AttrStmt>(statement);
    if (attr && attr->key == "thread_extent" && !inLaunch_) return launch(attr);
    if (!layout_) return parts(statement);
    if (const auto* alloc = as<AllocBuffer>(statement); alloc && alloc->buffer->scope() == scope_) {
      return make<Evaluate>(int32(0));
    }
    if (const auto* view = as<DeclBuffer>(statement); view && offsetOf(view->buffer->data.get())) {
      return make<Evaluate>(int32(0));
    }
    const auto* store = as<BufferStore>(statement);
    if (!store || !offsetOf(store->buffer->data.get())) return parts(statement);
    auto* made = new BufferStore(*store);
    Stmt result(made);
    made->value = rewrite(store->value);
    made->predicate = rewrite(store->predicate);
    made->indices = moved(*store->buffer, store->indices, store->span);
    made->buffer = merged(store->buffer);
    return result;
  }

  NodeRef enter(const NodeRef& node) override {
    if (!layout_) return nullptr;
    if (const auto* load = as<BufferLoad>(node)) {
      if (!offsetOf(load->buffer->data.get())) return nullptr;
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      made->predicate = rewrite(load->predicate);
      made->indices = moved(*load->buffer, load->indices, load->span);
      made->buffer = merged(load->buffer);
      return result;
    }
    if (const auto* var = as<Var>(node)) return offsetOf(var) ? NodeRef(pointer_) : node;
    if (const Call* call = asCallOf(node, "tvm_access_ptr")) return pointerCall(*call, 1, 2, call->args[0]->dtype, 1);
    if (const Call* call = asCallOf(node, "ptx_cp_async")) {
      const auto* data = call->args.empty() ? nullptr : as<Var>(call->args[0]);
      const auto* type = data ? as<PointerType>(data->annotation) : nullptr;
      const auto* element = type ? as<PrimType>(type->element) : nullptr;
      // The array is one of bytes: so is the offset.
      return element ? pointerCall(*call, 0, 1, element->dtype, element->dtype.bytes()) : nullptr;
    }
    return nullptr;
  }

 private:
  const PrimExpr* offsetOf(const Var* pointer) const {
    if (!layout_) return nullptr;
    const auto found = layout_->offsets.find(pointer);
    return found == layout_->offsets.end() ? nullptr : &found->second;
  }

  Stmt launch(const Ref<AttrStmt>& attr) {
    inLaunch_ = true;
    const Allocations allocations = allocationsIn(attr->body, scope_);
    Stmt made = allocations.size() > 1 ? joined(attr, allocations) : parts(attr);
    inLaunch_ = false;
    return made;
  }

  Stmt joined(const Ref<AttrStmt>& attr, const Allocations& allocations) {
    auto events = storageEvents(attr);
    if (!events) {
      for (const Diagnostic& error : events.diagnostics()) refuse(error.rule, error.message, error.span);
      return attr;
    }
    const Layout layout(*events, allocations);
    layout_ = &layout;
    const BufferRef bytes =
        newBuffer(Str(scope_ == "shared" ? "buf_shmem" : "buf_dyn_shmem"), DataType::UInt(8), {layout.size}, scope_);
    pointer_ = bytes->data;
    const bool isVolatile = std::any_of(allocations.begin(), allocations.end(), [](const AllocBuffer* alloc) {
      return ir::attrOf(alloc->annotations, "tirx.volatile") != nullptr;
    });
    const ir::Attrs annotations =
        isVolatile ? ir::withAttr(nullptr, Str("tirx.volatile"), ir::boolAttr(true)) : nullptr;
    const Stmt all[] = {make<AllocBuffer>(bytes, annotations), rewrite(attr->body)};
    layout_ = nullptr;
    buffers_.clear();
    auto* copy = new AttrStmt(*attr);
    copy->body = inOrder(all);
    return Stmt(copy);
  }

  /// The buffer over the bytes; one object for each.
  BufferRef merged(const BufferRef& buffer) {
    BufferRef& known = buffers_[buffer.get()];
    if (known) return known;
    kept_.push_back(buffer);
    auto* copy = new Buffer(*buffer);
    copy->data = pointer_;
    return known = BufferRef(copy);
  }

  /// The offset of the allocation in elements of a type.
  static PrimExpr inElements(const PrimExpr& offset, DataType dtype) {
    return arith::floorDiv(offset, arith::constantInt(offset->dtype, dtype.bytes()));
  }

  Array<PrimExpr> moved(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    if (indices.size() != 1) {
      refuse("lower.order", fmt::format("the buffer {} is not flat: FlattenBuffer comes first", buffer.name.view()),
             span);
      return indices;
    }
    return {arith::add(rewrite(indices[0]), inElements(*offsetOf(buffer.data.get()), buffer.dtype))};
  }

  /// A call that takes a pointer and an offset in elements, over the bytes.
  NodeRef pointerCall(const Call& call, size_t data, size_t offset, DataType dtype, int64_t scale) {
    const auto* pointer = call.args.size() > offset ? as<Var>(call.args[data]) : nullptr;
    const PrimExpr* base = pointer ? offsetOf(pointer) : nullptr;
    if (!base) return nullptr;
    std::vector<PrimExpr> args = call.args.vector();
    for (size_t i = 0; i < args.size(); ++i) {
      if (i != data) args[i] = rewrite(args[i]);
    }
    args[data] = pointer_;
    args[offset] = arith::add(inElements(*base, dtype), args[offset]);
    args[offset] = arith::mul(args[offset], arith::constantInt(args[offset]->dtype, scale));
    auto* made = new Call(call);
    made->args = Array<PrimExpr>(std::move(args));
    return NodeRef(made);
  }

  const std::string_view scope_;
  bool inLaunch_ = false;
  const Layout* layout_ = nullptr;  ///< of the present launch
  VarRef pointer_;
  std::unordered_map<const Buffer*, BufferRef> buffers_;
  std::vector<BufferRef> kept_;  // keys of buffers_ stay alive
};

}  // namespace

Result<PrimFuncRef> mergeSharedMemory(const PrimFuncRef& func, Scope& scope) {
  Stmt body = func->body;
  const bool alsoStatic = pass::configFlag(scope.context, "tirx.merge_static_smem");
  for (const std::string_view memory : {"shared.dyn", "shared"}) {
    if (memory == "shared" && !alsoStatic) continue;
    if (allocationsIn(body, memory).size() <= 1) continue;
    RX_TRY(merged, Merger(memory).run(body));
    body = merged;
  }
  return withBody(func, body);
}

}  // namespace rx::lower
