#include "core/lower/thread_reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/reducers.h"

namespace rx::lower {

using namespace tir;

namespace {

BufferRef localBuffer(const std::string& name, DataType dtype) {
  return newBuffer(Str(name), dtype, {int32(1)}, "local");
}

Ref<BufferLoad> load(const BufferRef& buffer, PrimExpr index) {
  return make<BufferLoad>(buffer, Array<PrimExpr>{std::move(index)}, buffer->dtype);
}
Stmt store(const BufferRef& buffer, PrimExpr value, PrimExpr index) {
  return make<BufferStore>(buffer, std::move(value), Array<PrimExpr>{std::move(index)});
}
Stmt sync(std::string_view scope) { return effect("tvm_storage_sync", {make<StringImm>(Str(scope))}); }

/// Types that a shuffle can move.
bool canShuffle(DataType type) {
  if (type.code == TypeCode::Float && type.bits == 16) return type.lanes <= 2;
  return type.lanes == 1 && type.bytes() >= 4 && type.bytes() <= 8;
}

}  // namespace

bool ThreadReducer::fitsWarps(const ThreadReduction& r) const {
  if (!facts_.shuffles || r.neighbours != r.threads) return false;
  if (!std::all_of(r.types.begin(), r.types.end(), canShuffle)) return false;
  if (facts_.wholeWarps) {
    const bool words = std::all_of(r.types.begin(), r.types.end(), [](DataType type) { return type.bytes() == 4; });
    return words && r.threads == facts_.warpSize;
  }
  if (r.threads == 1) return false;
  const bool part = facts_.warpSize % r.threads == 0;
  const bool many = facts_.mostThreads != -1 && facts_.mostThreads <= facts_.warpSize * facts_.warpSize &&
                    r.threads % facts_.warpSize == 0;
  return part || many || (r.groups == 1 && r.threads <= facts_.warpSize);
}

PrimExpr ThreadReducer::shuffle(std::string_view name, const BufferRef& mask, const PrimExpr& value,
                                const PrimExpr& lane) const {
  const PrimExpr taking = mask ? PrimExpr(load(mask, int32(0))) : int32(0);
  const PrimExpr width = int32(facts_.warpSize);
  return intrinsic(value->dtype, name, {taking, value, lane, width, width});
}

/// Halves the distance of the values that are combined until one is left. A shuffle stands in a statement of its own,
/// so that no thread can leave it out.
ThreadReducer::InWarp ThreadReducer::shuffled(const ThreadReduction& r, const std::vector<PrimExpr>& values,
                                              int64_t threads, const PrimExpr& predicate) {
  InWarp made;
  std::vector<Stmt> loads;
  for (size_t i = 0; i < values.size(); ++i) {
    made.results.push_back(localBuffer(fmt::format("red_buf{}", i), r.types[i]));
    made.locals.push_back(localBuffer(fmt::format("t{}", i), r.types[i]));
    loads.push_back(store(made.results[i], values[i], int32(0)));
  }
  if (predicate) {
    code_.push_back(make<IfThenElse>(predicate, seq(loads)));
  } else {
    code_.insert(code_.end(), loads.begin(), loads.end());
  }
  if (facts_.masks) {
    made.mask = localBuffer("mask", DataType::UInt(32));
    code_.push_back(store(made.mask, intrinsic(DataType::UInt(32), "tvm_warp_activemask", {}), int32(0)));
    made.locals.push_back(made.mask);
  }
  int64_t offset = 1;
  while (offset * 2 < threads) offset *= 2;
  for (; offset > 0; offset /= 2) {
    std::vector<PrimExpr> left, right;
    for (size_t i = 0; i < values.size(); ++i) {
      left.push_back(load(made.results[i], int32(0)));
      code_.push_back(
          store(made.locals[i], shuffle("tvm_warp_shuffle_down", made.mask, left[i], int32(offset)), int32(0)));
      right.push_back(load(made.locals[i], int32(0)));
    }
    std::vector<PrimExpr> results = combined(*r.combiner, left, right);
    std::vector<Stmt> stores;
    for (size_t i = 0; i < results.size(); ++i) stores.push_back(store(made.results[i], results[i], int32(0)));
    // Threads beyond the last one hold nothing that may be combined.
    if (offset * 2 > threads) {
      const PrimExpr inside = arith::lt(arith::add(r.thread, int32(offset)), int32(threads));
      code_.push_back(make<IfThenElse>(inside, seq(stores)));
    } else {
      code_.insert(code_.end(), stores.begin(), stores.end());
    }
  }
  return made;
}

LoweredReduction ThreadReducer::finished(const std::vector<BufferRef>& allocated,
                                         std::vector<Ref<BufferLoad>> results) {
  std::vector<Stmt> list;
  for (const BufferRef& buffer : allocated) list.push_back(make<AllocBuffer>(buffer));
  list.insert(list.end(), code_.begin(), code_.end());
  code_.clear();
  return {seq(list), std::move(results)};
}

LoweredReduction ThreadReducer::inOneWarp(const ThreadReduction& r) {
  const InWarp made = shuffled(r, r.values, r.threads, nullptr);
  const PrimExpr zero = arith::constantInt(r.thread->dtype, 0);
  std::vector<Ref<BufferLoad>> results;
  for (const BufferRef& buffer : made.results) {
    // All threads get the value of the first, so that all can store it.
    const PrimExpr first = arith::mul(int32(r.threads), r.group);
    code_.push_back(store(buffer, shuffle("tvm_warp_shuffle", made.locals.back(), load(buffer, zero), first), zero));
    results.push_back(load(buffer, int32(0)));
  }
  return finished(made.locals, std::move(results));
}

/// Each warp by itself, then the results of the warps in the first one, over shared memory.
LoweredReduction ThreadReducer::inManyWarps(const ThreadReduction& r) {
  const DataType index = r.thread->dtype;
  const PrimExpr zero = arith::constantInt(index, 0), size = int32(facts_.warpSize);
  const int64_t warps = r.threads / facts_.warpSize;
  std::vector<BufferRef> allocated, staging;
  for (size_t i = 0; i < r.values.size(); ++i) {
    staging.push_back(newBuffer(Str("red_buf_staging"), r.types[i], {intImm(warps * r.groups, index)}, "shared"));
  }
  allocated = staging;
  const InWarp first = shuffled(r, r.values, facts_.warpSize, nullptr);
  allocated.insert(allocated.end(), first.locals.begin(), first.locals.end());
  const PrimExpr firstOfGroup = arith::mul(r.group, int32(warps));
  std::vector<Stmt> writes;
  std::vector<PrimExpr> values;
  for (size_t i = 0; i < staging.size(); ++i) {
    allocated.push_back(first.results[i]);
    writes.push_back(
        store(staging[i], load(first.results[i], int32(0)), arith::add(firstOfGroup, arith::floorDiv(r.thread, size))));
    values.push_back(load(staging[i], arith::add(firstOfGroup, r.thread)));
  }
  code_.push_back(make<IfThenElse>(arith::eq(arith::floorMod(r.thread, size), zero), seq(writes)));
  code_.push_back(sync("shared"));
  const InWarp second = shuffled(r, values, warps, arith::lt(r.thread, intImm(warps, index)));
  allocated.insert(allocated.end(), second.locals.begin(), second.locals.end());
  std::vector<Ref<BufferLoad>> results;
  writes.clear();
  for (size_t i = 0; i < staging.size(); ++i) {
    allocated.push_back(second.results[i]);
    BufferRef shared = newBuffer(Str("red_result"), r.types[i], {intImm(r.groups, index)}, "shared");
    writes.push_back(store(shared, load(second.results[i], int32(0)), r.group));
    results.push_back(load(shared, r.group));
  }
  code_.push_back(make<IfThenElse>(arith::eq(r.thread, zero), seq(writes)));
  code_.push_back(sync("shared"));
  return finished(allocated, std::move(results));
}

/// Element of the shared buffer that belongs to a thread of the group.
PrimExpr ThreadReducer::place(const ThreadReduction& r, const PrimExpr& thread) {
  if (asInt(r.group) == 0) return thread;
  return analyzer_.simplify(arith::add(arith::mul(r.group, int32(r.threads)), thread));
}

/// The values of the threads combined with those of the threads `offset` further on.
std::vector<PrimExpr> ThreadReducer::pairs(const ThreadReduction& r, const std::vector<BufferRef>& shared,
                                           int64_t offset) {
  std::vector<PrimExpr> left, right;
  for (const BufferRef& buffer : shared) {
    right.push_back(load(buffer, place(r, arith::add(r.thread, int32(offset)))));
    left.push_back(load(buffer, place(r, r.thread)));
  }
  return combined(*r.combiner, left, right);
}

namespace {
std::vector<Stmt> storesTo(const std::vector<BufferRef>& buffers, const std::vector<PrimExpr>& values,
                           const PrimExpr& index) {
  std::vector<Stmt> stores;
  for (size_t i = 0; i < buffers.size(); ++i) stores.push_back(store(buffers[i], values[i], index));
  return stores;
}
}  // namespace

/// Threads of one warp run together, so no branch divides them; what one reads is read before another writes it.
void ThreadReducer::inWarpTree(const ThreadReduction& r, const std::vector<BufferRef>& shared, int64_t width) {
  std::vector<Stmt> list;
  const PrimExpr takesPart = arith::lt(r.thread, int32(width / 2));
  while (width > 1) {
    width /= 2;
    std::vector<PrimExpr> values = pairs(r, shared, width), kept;
    for (size_t i = 0; i < values.size(); ++i) {
      auto var = make<Var>(Str(fmt::format("w_{}_{}", width, i)), values[i]->dtype);
      list.push_back(make<Bind>(var, values[i]));
      kept.push_back(var);
    }
    list.push_back(sync("warp"));
    for (Stmt& one : storesTo(shared, kept, place(r, r.thread))) list.push_back(std::move(one));
    list.push_back(sync("warp"));
  }
  code_.push_back(make<IfThenElse>(takesPart, seq(list)));
  code_.push_back(sync("shared"));
}

void ThreadReducer::tree(const ThreadReduction& r, const std::vector<BufferRef>& shared) {
  int64_t width = 1;
  while (width < r.threads) width *= 2;
  auto halved = [&](int64_t offset, int64_t limit) {
    const std::vector<Stmt> stores = storesTo(shared, pairs(r, shared, offset), place(r, r.thread));
    code_.push_back(make<IfThenElse>(arith::lt(r.thread, int32(limit)), seq(stores)));
    code_.push_back(sync("shared"));
  };
  if (width > r.threads) {
    width /= 2;
    halved(width, r.threads - width);
  }
  const bool aligned = r.groups == 1 || r.neighbours % facts_.warpSize == 0;
  while (width > 1 && (width > r.neighbours || width > facts_.warpSize || !aligned)) {
    width /= 2;
    halved(width, width);
  }
  if (width > 1) inWarpTree(r, shared, width);
}

LoweredReduction ThreadReducer::inSharedMemory(const ThreadReduction& r) {
  // Reads of the round before may not be over yet.
  code_.push_back(sync("shared"));
  std::vector<BufferRef> shared;
  for (size_t i = 0; i < r.values.size(); ++i) {
    shared.push_back(newBuffer(Str(fmt::format("red_buf{}", i)), r.types[i],
                               {intImm(r.groups * r.threads, r.group->dtype)}, "shared"));
    code_.push_back(store(shared[i], r.values[i], place(r, r.thread)));
  }
  code_.push_back(sync("shared"));
  tree(r, shared);
  std::vector<Ref<BufferLoad>> results;
  for (const BufferRef& buffer : shared)
    results.push_back(load(buffer, place(r, arith::constantInt(r.thread->dtype, 0))));
  return finished({}, std::move(results));
}

LoweredReduction ThreadReducer::lower(const ThreadReduction& reduction) {
  if (!fitsWarps(reduction)) return inSharedMemory(reduction);
  return reduction.threads <= facts_.warpSize ? inOneWarp(reduction) : inManyWarps(reduction);
}

}  // namespace rx::lower
