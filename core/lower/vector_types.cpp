#include "core/lower/vector_types.h"

#include <numeric>
#include <optional>
#include <set>

#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

DataType withLanes(DataType dtype, int64_t lanes) {
  dtype.lanes = static_cast<int16_t>(lanes);
  return dtype;
}
/// Truth values lie in memory as bytes.
DataType inMemory(DataType dtype) { return dtype.isBool() ? DataType::Int(8, dtype.lanes) : dtype; }
bool isScalable(DataType dtype) { return dtype.lanes < -1; }

/// All values of an index are coefficient * k + base.
struct Residue {
  int64_t coefficient = 0, base = 0;
  bool multipleOf(int64_t n) const { return coefficient % n == 0 && base % n == 0; }
};
Residue residueOf(const PrimExpr& index) {
  if (!arith::isIndexType(index->dtype)) return {1, 0};
  arith::Linear sum(index->dtype);
  sum.addExpr(index, 1);
  if (sum.overflow) return {1, 0};
  Residue made{0, sum.constant};
  for (const arith::Split& term : sum.terms) made.coefficient = std::gcd(made.coefficient, term.scale);
  if (made.coefficient != 0) made.base = arith::floorModInt(made.base, made.coefficient);
  return made;
}

/// The lanes of a ramp over adjacent places, 0 for anything else.
int64_t adjacentLanes(const PrimExpr& index) {
  const auto* ramp = as<Ramp>(index);
  return ramp && arith::isOne(ramp->stride) ? asInt(ramp->lanes).value_or(0) : 0;
}

using Types = std::set<std::tuple<int, int, int>>;
std::tuple<int, int, int> key(DataType dtype) { return {static_cast<int>(dtype.code), dtype.bits, dtype.lanes}; }
DataType typeOf(const std::tuple<int, int, int>& key) {
  return {static_cast<TypeCode>(std::get<0>(key)), static_cast<uint8_t>(std::get<1>(key)),
          static_cast<int16_t>(std::get<2>(key))};
}

/// How the memory behind a pointer is declared and used.
struct Memory {
  VarRef pointer;
  DataType element;
  PrimExpr extent;  ///< of the last dimension; null where it is not known
  bool isParam = false;
  Types accesses, scalarReads;

  DataType preferred() const {
    Types bases;
    for (const Types* types : {&accesses, &scalarReads}) {
      for (const auto& type : *types) bases.insert(key(withLanes(typeOf(type), 1)));
    }
    if (bases.size() != 1) return element;
    const DataType base = typeOf(*bases.begin());
    if (element.lanes != 1 || accesses.size() != 1) return withLanes(base, element.lanes);
    const int lanes = typeOf(*accesses.begin()).lanes;
    for (const auto& type : scalarReads) {
      if (typeOf(type).lanes % lanes != 0) return element;
    }
    const bool even = !extent || residueOf(extent).multipleOf(lanes);
    return withLanes(base, even ? lanes : element.lanes);
  }
};

class Survey {
 public:
  Survey(const PrimFunc& function, bool scalarReads) : scalarReads_(scalarReads) {
    for (size_t i = 0; i < function.params.size(); ++i) {
      if (const BufferRef& buffer = function.buffers[i]) {
        declare(buffer->data, buffer->dtype, lastOf(*buffer), true);
      } else {
        declarePointer(function.params[i], true);
      }
    }
    walkNested(
        *function.body,
        [&](const Node& node) {
          look(node);
          return true;
        },
        [](const Node&) {});
  }

  std::vector<Memory> memory;  ///< in the order of declaration

 private:
  static PrimExpr lastOf(const Buffer& buffer) { return buffer.shape.empty() ? nullptr : buffer.shape.back(); }

  void declare(const VarRef& pointer, DataType element, PrimExpr extent, bool isParam) {
    if (!places_.try_emplace(pointer.get(), memory.size()).second) return;
    memory.push_back({pointer, inMemory(element), std::move(extent), isParam, {}, {}});
  }
  void declarePointer(const VarRef& var, bool isParam) {
    const auto* pointer = as<PointerType>(var->annotation);
    const auto* element = pointer ? as<PrimType>(pointer->element) : nullptr;
    if (element && !element->dtype.isVoid()) declare(var, element->dtype, nullptr, isParam);
  }

  void look(const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) {
      access(*load->buffer, load->dtype, load->indices, true);
    } else if (const auto* store = as<BufferStore>(&node)) {
      access(*store->buffer, store->value->dtype, store->indices, false);
    } else if (const auto* alloc = as<AllocBuffer>(&node)) {
      declare(alloc->buffer->data, alloc->buffer->dtype, lastOf(*alloc->buffer), false);
    } else if (const auto* view = as<DeclBuffer>(&node)) {
      declare(view->buffer->data, view->buffer->dtype, lastOf(*view->buffer), true);
    } else if (const auto* bind = as<Bind>(&node)) {
      declarePointer(bind->var, false);
    } else if (const auto* let = as<Let>(&node)) {
      declarePointer(let->var, false);
    } else if (const Call* call = asCallOf(NodeRef(&node), "tvm_access_ptr")) {
      pointerAccess(*call);
    } else if (const Call* call = asCallOf(NodeRef(&node), "address_of")) {
      const auto* load = call->args.empty() ? nullptr : as<BufferLoad>(call->args[0]);
      if (load) access(*load->buffer, load->dtype, load->indices, false);
    }
  }

  void pointerAccess(const Call& call) {
    const auto* data = call.args.size() == 5 ? as<Var>(call.args[1]) : nullptr;
    if (!data) return;
    const DataType type = call.args[0]->dtype;
    record(data, type, std::span(&call.args[2], 1), false);
  }

  void access(const Buffer& buffer, DataType type, const Array<PrimExpr>& indices, bool isLoad) {
    record(buffer.data.get(), type, indices, isLoad);
  }

  void record(const Var* pointer, DataType type, std::span<const PrimExpr> indices, bool isLoad) {
    const auto place = places_.find(pointer);
    if (place == places_.end() || isScalable(type)) return;
    Memory& known = memory[place->second];
    type = inMemory(type);
    int64_t lanes = known.element.lanes;
    const int64_t indexLanes = indices.empty() ? 1 : indices.back()->dtype.lanes;
    if (indexLanes * known.element.lanes != type.lanes) {
      lanes = 1;
      known.element = withLanes(known.element, 1);
    }
    if (!indices.empty()) {
      const int64_t adjacent = adjacentLanes(indices.back());
      if (adjacent > 0 && residueOf(as<Ramp>(indices.back())->base).multipleOf(adjacent)) lanes = adjacent;
      if (scalarReads_ && isLoad && indexLanes == 1) {
        known.scalarReads.insert(key(withLanes(type, residueOf(indices.back()).coefficient)));
        return;
      }
    }
    known.accesses.insert(key(withLanes(type, lanes)));
  }

  const bool scalarReads_;
  std::unordered_map<const Var*, size_t> places_;
};

/// A pointer's new form.
struct Change {
  VarRef pointer;
  DataType element;
  int64_t factor;  ///< old elements in a new one
};
using Changes = std::unordered_map<const Var*, Change>;

class Retyper : public Rewriter {
 public:
  explicit Retyper(const Changes& changes) : changes_(changes) {}

  BufferRef retyped(const BufferRef& buffer) {
    const auto change = changes_.find(buffer->data.get());
    if (change == changes_.end()) return buffer;
    BufferRef& known = buffers_[buffer.get()];
    if (known) return known;
    kept_.push_back(buffer);
    auto* copy = new Buffer(*buffer);
    copy->data = change->second.pointer;
    copy->dtype = change->second.element;
    copy->layout = nullptr;
    std::vector<PrimExpr> shape = buffer->shape.vector();
    if (!shape.empty()) shape.back() = perVector(shape.back(), change->second.factor);
    copy->shape = Array<PrimExpr>(std::move(shape));
    return known = BufferRef(copy);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* store = as<BufferStore>(statement); store && changes_.contains(store->buffer->data.get())) {
      auto* made = new BufferStore(*store);
      Stmt result(made);
      made->value = rewrite(store->value);
      made->predicate = rewrite(store->predicate);
      made->indices = moved(*store->buffer, store->indices, nullptr);
      made->buffer = retyped(store->buffer);
      return result;
    }
    if (const auto* alloc = as<AllocBuffer>(statement)) {
      const BufferRef buffer = retyped(alloc->buffer);
      return buffer == alloc->buffer ? parts(statement) : Stmt(make<AllocBuffer>(buffer, alloc->annotations));
    }
    if (const auto* view = as<DeclBuffer>(statement)) {
      const BufferRef buffer = retyped(view->buffer);
      return buffer == view->buffer ? parts(statement) : Stmt(make<DeclBuffer>(buffer));
    }
    if (const auto* bind = as<Bind>(statement)) {
      const auto change = changes_.find(bind->var.get());
      if (change != changes_.end()) return make<Bind>(change->second.pointer, rewrite(bind->value));
    }
    return parts(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      return changes_.contains(load->buffer->data.get()) ? NodeRef(loaded(*load)) : nullptr;
    }
    if (const auto* var = as<Var>(node)) {
      const auto change = changes_.find(var);
      return change == changes_.end() ? node : NodeRef(change->second.pointer);
    }
    const Call* call = asCallOf(node, "tvm_access_ptr");
    const auto* data = call && call->args.size() == 5 ? as<Var>(call->args[1]) : nullptr;
    const auto change = data ? changes_.find(data) : changes_.end();
    if (change == changes_.end()) return nullptr;
    auto* made = new Call(*call);
    made->args = {intrinsic(change->second.element, "type_annotation", {}), change->second.pointer,
                  perVector(rewrite(call->args[2]), change->second.factor),
                  perVector(rewrite(call->args[3]), change->second.factor), call->args[4]};
    return NodeRef(made);
  }

 private:
  static PrimExpr perVector(const PrimExpr& index, int64_t factor) {
    return arith::truncDiv(index, arith::constantInt(index->dtype, factor));
  }

  /// The indices in vectors; `lane` gets which element of the vector a single place is, where it is asked for.
  Array<PrimExpr> moved(const Buffer& buffer, const Array<PrimExpr>& old, std::optional<int64_t>* lane) {
    std::vector<PrimExpr> indices = rewrite(old).vector();
    const int64_t factor = changes_.at(buffer.data.get()).factor;
    if (indices.empty() || factor == 1 || isScalable(indices.back()->dtype)) return Array<PrimExpr>(std::move(indices));
    PrimExpr& last = indices.back();
    if (const int64_t lanes = adjacentLanes(last); lanes > 0) {
      const auto* ramp = as<Ramp>(last);
      PrimExpr place = perVector(ramp->base, lanes);
      if (lanes != factor) {
        const int64_t vectors = lanes / factor;
        const PrimExpr count = intImm(vectors, DataType::Int(32));
        place = arith::mul(place, arith::constantInt(place->dtype, vectors));
        place = make<Ramp>(place, ramp->stride, count, withLanes(place->dtype, vectors));
      }
      last = place;
    } else if (last->dtype.lanes == 1) {
      if (lane) *lane = arith::floorModInt(residueOf(last).base, factor);
      last = perVector(last, factor);
    }
    return Array<PrimExpr>(std::move(indices));
  }

  PrimExpr loaded(const BufferLoad& load) {
    auto* made = new BufferLoad(load);
    PrimExpr result(made);
    std::optional<int64_t> lane;
    made->predicate = rewrite(load.predicate);
    made->indices = moved(*load.buffer, load.indices, &lane);
    made->buffer = retyped(load.buffer);
    const int64_t indexLanes = made->indices.empty() ? 1 : made->indices.back()->dtype.lanes;
    made->dtype = withLanes(made->buffer->dtype, made->buffer->dtype.lanes * indexLanes);
    if (!lane) return result;
    return make<Shuffle>(Array<PrimExpr>{result}, Array<PrimExpr>{intImm(*lane, DataType::Int(32))}, load.dtype);
  }

  const Changes& changes_;
  std::unordered_map<const Buffer*, BufferRef> buffers_;
  std::vector<BufferRef> kept_;  // keys of buffers_ stay alive
};

VarRef retypedPointer(const Var& pointer, DataType element) {
  const auto* type = as<PointerType>(pointer.annotation);
  return make<Var>(pointer.name, pointer.dtype, make<PointerType>(make<PrimType>(element), type ? type->scope : Str()));
}

}  // namespace

PrimFuncRef withVectorTypes(const PrimFuncRef& function, const VectorTypeOptions& options) {
  Changes changes;
  for (const Memory& memory : Survey(*function, options.scalarReads).memory) {
    const DataType preferred = memory.preferred();
    if (preferred == memory.element || (memory.isParam && !options.params)) continue;
    changes[memory.pointer.get()] = {retypedPointer(*memory.pointer, preferred), preferred,
                                     preferred.lanes / memory.element.lanes};
  }
  if (changes.empty()) return function;
  Retyper retyper(changes);
  auto* made = new PrimFunc(*withBody(function, retyper.rewrite(function->body)));
  PrimFuncRef result(made);
  std::vector<VarRef> params;
  std::vector<BufferRef> buffers;
  for (size_t i = 0; i < function->params.size(); ++i) {
    const auto change = changes.find(function->params[i].get());
    params.push_back(change == changes.end() ? function->params[i] : change->second.pointer);
    buffers.push_back(function->buffers[i] ? retyper.retyped(function->buffers[i]) : nullptr);
  }
  made->params = Array<VarRef>(std::move(params));
  made->buffers = Array<BufferRef>(std::move(buffers));
  return result;
}

}  // namespace rx::lower
