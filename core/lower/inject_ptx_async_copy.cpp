// InjectPTXAsyncCopy: copies from global to shared memory that are marked as
// asynchronous become cp.async.
#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Zeros of a float, in each lane.
bool isFloatZero(const PrimExpr& expr) {
  const auto* all = as<Broadcast>(expr);
  const PrimExpr& value = all ? all->value : expr;
  return isa<FloatImm>(value) && arith::isZero(value);
}

/// The first of the places that the index names; null where they do not follow
/// one another. An offset in bytes that is the same for all lanes comes from
/// memory that several buffers share.
PrimExpr firstPlace(const PrimExpr& index) {
  if (index->dtype.isScalar()) return index;
  if (const auto* ramp = as<Ramp>(index)) return ramp->base;
  const auto* sum = as<Add>(index);
  const auto* ramp = sum ? as<Ramp>(sum->a) : nullptr;
  const auto* offset = sum ? as<Broadcast>(sum->b) : nullptr;
  return ramp && offset ? PrimExpr(make<Add>(ramp->base, offset->value)) : nullptr;
}

DataType pointedAt(const Buffer& buffer) {
  const auto* pointer = as<PointerType>(buffer.data->annotation);
  const auto* element = pointer ? as<PrimType>(pointer->element) : nullptr;
  return element ? element->dtype : buffer.dtype;
}

class CopyInjector : public CheckedRewriter {
 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* attribute = as<AttrStmt>(statement); attribute && attribute->key == "async_scope") {
      if (asynchronous_) {
        refuse("lower.async-copy", "an async_scope in another one", attribute->span);
        return statement;
      }
      asynchronous_ = true;
      Stmt body = rewrite(attribute->body);
      asynchronous_ = false;
      return body;
    }
    const auto* store = as<BufferStore>(statement);
    if (!store || !asynchronous_) return parts(statement);
    const std::string_view scope = store->buffer->scope();
    if (scope != "shared" && scope != "shared.dyn") return parts(statement);
    Stmt made;
    if (const auto* load = as<BufferLoad>(store->value)) {
      made = copied(*store, *load, nullptr);
    } else if (const Call* choice = asCallOf(store->value, "if_then_else"); choice && choice->args.size() == 3) {
      // Where the predicate is false, cp.async writes zeros.
      const auto* guarded = as<BufferLoad>(choice->args[1]);
      if (guarded && isFloatZero(choice->args[2])) made = copied(*store, *guarded, choice->args[0]);
    }
    return made ? made : parts(statement);
  }

 private:
  /// The copy as one call; null where cp.async has no form for it.
  Stmt copied(const BufferStore& store, const BufferLoad& load, const PrimExpr& predicate) {
    if (load.buffer->scope() != "global") return nullptr;
    for (const auto& [buffer, rank] :
         {std::pair{load.buffer, load.indices.size()}, {store.buffer, store.indices.size()}}) {
      if (rank == 1) continue;
      refuse("lower.order", fmt::format("the buffer {} is not flat: FlattenBuffer comes first", buffer->name.view()),
             store.span);
      return nullptr;
    }
    const PrimExpr &from = load.indices[0], &to = store.indices[0];
    const int64_t bytes = from->dtype.lanes * load.buffer->dtype.bytes();
    if (from->dtype.lanes != to->dtype.lanes || (bytes != 4 && bytes != 8 && bytes != 16)) return nullptr;
    const DataType source = pointedAt(*load.buffer), target = pointedAt(*store.buffer);
    // Memory that was merged is one of bytes.
    const int64_t factor = source == target ? 1 : source.bytes();
    if (factor != 1 && target != DataType::UInt(8)) return nullptr;
    const PrimExpr first = from->dtype.isScalar() || isa<Ramp>(from) ? firstPlace(from) : nullptr;
    const PrimExpr place = firstPlace(to);
    if (!first || !place) return nullptr;
    std::vector<PrimExpr> args{store.buffer->data, arith::mul(place, arith::constantInt(place->dtype, factor)),
                               load.buffer->data, first, intImm(bytes, DataType::Int(32))};
    if (predicate) args.push_back(predicate);
    return make<Evaluate>(intrinsic(store.buffer->dtype, "ptx_cp_async", Array<PrimExpr>(std::move(args))));
  }

  bool asynchronous_ = false;
};

}  // namespace

Result<PrimFuncRef> injectPtxAsyncCopy(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, CopyInjector().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
