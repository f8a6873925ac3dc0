// StorageRewrite: allocations move to the beginning of the function, launch, parallel loop or part compiled apart
// around them and share memory where their lifetimes allow; memory accessed by whole vectors gets vectors as elements.
// PointerValueTypeRewrite: the last of these alone, for parameters too.
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/lower/storage_plan.h"
#include "core/lower/vector_types.h"
#include "core/pass/config.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;

namespace {

class Mover : public Rewriter {
 public:
  explicit Mover(const StoragePlan& plan) : plan_(plan) {
    for (const auto& storage : plan.storages) {
      if (storage->statement) at_[storage->place].push_back(storage->statement);
    }
  }

  Stmt moved(const Stmt& body) { return with(nullptr, rewrite(body)); }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* alloc = as<AllocBuffer>(statement)) {
      const Storage* storage = storageOf(alloc->buffer->data.get());
      if (!storage || storage->allocations[0] == alloc) {
        if (!storage || storage->offset == 0) return make<Evaluate>(intImm(0, DataType::Int(32)));
      }
      return make<DeclBuffer>(over(alloc->buffer, *storage));
    }
    if (const auto* view = as<DeclBuffer>(statement)) {
      const Storage* storage = storageOf(view->buffer->data.get());
      return storage ? Stmt(make<DeclBuffer>(over(view->buffer, *storage))) : parts(statement);
    }
    if (const auto* store = as<BufferStore>(statement)) return stored(statement, *store);
    if (at_.contains(statement.get())) return attached(statement);
    return parts(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      const Storage* storage = storageOf(load->buffer->data.get());
      if (!storage) return nullptr;
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      made->predicate = rewrite(load->predicate);
      made->indices = shifted(*load->buffer, load->indices, *storage);
      made->buffer = over(load->buffer, *storage);
      return result;
    }
    if (const auto* var = as<Var>(node)) {
      const Storage* storage = storageOf(var);
      return storage ? NodeRef(storage->pointer) : node;
    }
    const Call* call = asCallOf(node, "tvm_access_ptr");
    const auto* data = call && call->args.size() == 5 ? as<Var>(call->args[1]) : nullptr;
    const Storage* storage = data ? storageOf(data) : nullptr;
    if (!storage || storage->offset == 0) return nullptr;
    const DataType element = call->args[0]->dtype;
    auto* made = new Call(*call);
    made->args = {call->args[0], storage->pointer,
                  plus(rewrite(call->args[2]), storage->offset, element.bits * element.lanes), rewrite(call->args[3]),
                  call->args[4]};
    return NodeRef(made);
  }

 private:
  const Storage* storageOf(const Var* pointer) const {
    const auto found = plan_.of.find(pointer);
    return found == plan_.of.end() ? nullptr : found->second;
  }

  Stmt stored(const Stmt& statement, const BufferStore& store) {
    const Storage* storage = storageOf(store.buffer->data.get());
    if (!storage) return parts(statement);
    auto* made = new BufferStore(store);
    Stmt result(made);
    made->value = rewrite(store.value);
    made->predicate = rewrite(store.predicate);
    made->indices = shifted(*store.buffer, store.indices, *storage);
    made->buffer = over(store.buffer, *storage);
    return result;
  }

  Stmt attached(const Stmt& statement) {
    const Stmt inner = parts(statement);
    if (const auto* loop = as<For>(inner)) {
      auto* made = new For(*loop);
      made->body = with(statement.get(), loop->body);
      return Stmt(made);
    }
    auto* made = new AttrStmt(*as<AttrStmt>(inner));
    made->body = with(statement.get(), made->body);
    return Stmt(made);
  }

  /// The body after the allocations of its place.
  Stmt with(const StmtNode* place, const Stmt& body) const {
    const auto found = at_.find(place);
    if (found == at_.end()) return body;
    std::vector<Stmt> all = found->second;
    all.push_back(body);
    return inOrder(all);
  }

  /// The buffer over the memory of its storage; one object for each.
  BufferRef over(const BufferRef& buffer, const Storage& storage) {
    if (buffer->data == storage.pointer) return buffer;
    BufferRef& known = buffers_[buffer.get()];
    if (known) return known;
    kept_.push_back(buffer);
    auto* copy = new Buffer(*buffer);
    copy->data = storage.pointer;
    return known = BufferRef(copy);
  }

  static PrimExpr plus(const PrimExpr& index, uint64_t bits, int elementBits) {
    const auto elements = static_cast<int64_t>(bits / static_cast<uint64_t>(elementBits));
    return elements == 0 ? index : arith::add(arith::constantInt(index->dtype, elements), index);
  }

  Array<PrimExpr> shifted(const Buffer& buffer, const Array<PrimExpr>& old, const Storage& storage) {
    std::vector<PrimExpr> indices = rewrite(old).vector();
    if (!indices.empty()) indices.back() = plus(indices.back(), storage.offset, buffer.dtype.bits);
    return Array<PrimExpr>(std::move(indices));
  }

  const StoragePlan& plan_;
  std::unordered_map<const StmtNode*, std::vector<Stmt>> at_;
  std::unordered_map<const Buffer*, BufferRef> buffers_;
  std::vector<BufferRef> kept_;  // keys of buffers_ stay alive
};

StorageOptions optionsOf(const PrimFunc& function, const pass::PassContext& context) {
  StorageOptions options;
  // MergeSharedMemoryAllocations does it then.
  options.share = !pass::configFlag(context, "tirx.merge_static_smem");
  const std::string_view kind = ir::targetKind(ir::attrOf(function.attrs, "target"));
  options.sameType = target::hasTrait(kind, target::DeviceTrait::TypedMemory);
  return options;
}

}  // namespace

Result<PrimFuncRef> storageRewrite(const PrimFuncRef& func, Scope& scope) {
  RX_TRY(events, storageEvents(func->body));
  const StoragePlan plan = planStorage(events, optionsOf(*func, scope.context));
  const PrimFuncRef moved = withBody(func, Mover(plan).moved(func->body));
  return withVectorTypes(moved, {.params = false, .scalarReads = false});
}

Result<PrimFuncRef> pointerValueTypeRewrite(const PrimFuncRef& func, Scope&) {
  return withVectorTypes(func, {.params = true, .scalarReads = true});
}

}  // namespace rx::lower
