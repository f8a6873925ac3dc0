// Buffers: addresses, loads and stores, allocation, views.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <bit>

#include "core/codegen/emitter.h"

namespace rx::codegen {

int64_t Emitter::elementBytes(DataType type) {
  return std::max<int64_t>(type.element().bytes(), 1) * std::max<int64_t>(type.lanes, 1);
}

BufferState Emitter::makeState(const tir::Buffer& node, Pointer memory) {
  BufferState state;
  state.memory = memory;
  llvm::Value* count = i64(1);
  state.extents.resize(node.shape.size());
  state.strides.resize(node.shape.size());
  for (size_t axis = node.shape.size(); axis-- > 0;) {
    state.strides[axis] = count;
    // The first one is for checks alone.
    state.extents[axis] = i64(INT64_MAX);
    if (axis == 0 && !options_.checkAccess) break;
    llvm::Value* extent = expr(node.shape[axis]);
    state.extents[axis] = extent ? index(extent, node.shape[axis]->dtype) : i64(0);
    count = builder_.CreateMul(count, state.extents[axis]);
  }
  if (!node.strides.empty() && node.strides.size() == node.shape.size()) {
    for (size_t axis = 0; axis < node.strides.size(); ++axis) {
      llvm::Value* stride = expr(node.strides[axis]);
      if (stride) state.strides[axis] = index(stride, node.strides[axis]->dtype);
    }
  }
  if (node.elemOffset) {
    llvm::Value* offset = expr(node.elemOffset);
    if (offset && !tir::asInt(node.elemOffset).has_value()) state.offset = index(offset, node.elemOffset->dtype);
    if (tir::asInt(node.elemOffset).value_or(0) != 0) state.offset = i64(*tir::asInt(node.elemOffset));
  }
  return state;
}

/// A buffer that no statement declared is a view of the pointer it names.
std::optional<BufferState> Emitter::buffer(const tir::Buffer& node) {
  const auto found = buffers_.find(&node);
  if (found != buffers_.end()) return found->second;
  const auto memory = known(*node.data);
  if (!memory) {
    refuse(node.span, fmt::format("the buffer {} has no memory here", node.name.view()));
    return std::nullopt;
  }
  // Not kept: its shape may use variables that are only known at this place.
  return makeState(node, *memory);
}

bool Emitter::fits(const tir::Buffer& node, const BufferState& state, size_t indices) {
  if (indices == state.strides.size()) return true;
  refuse(node.span, fmt::format("{} has {} dimensions, not {}", node.name.view(), state.strides.size(), indices));
  return false;
}

LaneAccess Emitter::laneAccess(const BufferState& state, const Array<tir::PrimExpr>& indices,
                               const std::vector<llvm::Value*>& values, int lane, llvm::Value* active) {
  LaneAccess access;
  access.flat = state.offset ? state.offset : i64(0);
  for (size_t axis = 0; axis < values.size(); ++axis) {
    llvm::Value* one = laneOf(values[axis], lane);
    access.indices.push_back(index(one, indices[axis]->dtype.element()));
    access.flat = builder_.CreateAdd(access.flat, builder_.CreateMul(access.indices[axis], state.strides[axis]));
  }
  access.active = laneOf(active, lane);
  return access;
}

LaneAccess Emitter::everyLane(const BufferState& state, const Array<tir::PrimExpr>& indices,
                              const std::vector<llvm::Value*>& values, int lanes, llvm::Value* active) {
  auto inAll = [&](llvm::Value* one) { return builder_.CreateVectorSplat(static_cast<unsigned>(lanes), one); };
  LaneAccess access;
  access.active = active;
  access.flat = inAll(state.offset ? state.offset : i64(0));
  for (size_t axis = 0; axis < values.size(); ++axis) {
    llvm::Value* at = index(values[axis], indices[axis]->dtype);
    access.indices.push_back(at->getType()->isVectorTy() ? at : inAll(at));
    access.flat = builder_.CreateAdd(access.flat, builder_.CreateMul(access.indices[axis], inAll(state.strides[axis])));
  }
  return access;
}

llvm::Value* Emitter::lanesOf(const tir::PrimExpr& predicate, int lanes) {
  auto shaped = [&](llvm::Value* bits) -> llvm::Value* {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(bits->getType());
    if (type ? static_cast<int>(type->getNumElements()) == lanes : lanes == 1) return bits;
    llvm::Value* any = type ? builder_.CreateOrReduce(bits) : bits;
    return lanes == 1 ? any : builder_.CreateVectorSplat(static_cast<unsigned>(lanes), any);
  };
  llvm::Value* active = activeLanes_ ? shaped(activeLanes_) : nullptr;
  llvm::Value* chosen = predicate ? expr(predicate) : nullptr;
  if (!chosen) return active;
  chosen = shaped(convert(chosen, predicate->dtype, DataType::Bool(predicate->dtype.lanes)));
  return active ? builder_.CreateAnd(active, chosen) : chosen;
}

llvm::Value* Emitter::laneOf(llvm::Value* lanes, int lane) {
  if (!lanes || !lanes->getType()->isVectorTy()) return lanes;
  return builder_.CreateExtractElement(lanes, static_cast<uint64_t>(lane));
}

llvm::Value* Emitter::elementPointer(const tir::Buffer& node, const BufferState& state, llvm::Value* flat) {
  // In bytes: types of odd widths take more of memory in LLVM than their elements are apart.
  return builder_.CreateGEP(builder_.getInt8Ty(), state.memory.base,
                            builder_.CreateMul(flat, i64(elementBytes(node.dtype))));
}

llvm::Value* Emitter::safePointer(const tir::Buffer& node, const BufferState& state, const LaneAccess& lane) {
  llvm::Value* at = elementPointer(node, state, lane.flat);
  if (!lane.active) return at;
  const auto size = static_cast<size_t>(elementBytes(node.dtype));
  if (scratch_.unusedBytes < size) {
    scratch_.unusedBytes = size;
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    auto* unused = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), size));
    unused->setAlignment(llvm::Align(64));
    scratch_.unused = unused;
  }
  return builder_.CreateSelect(lane.active, at, scratch_.unused);
}

int64_t Emitter::laneStride(const tir::Buffer& buffer, const BufferState& state,
                            const Array<tir::PrimExpr>& indices) const {
  const auto* ramp = indices.empty() ? nullptr : as<tir::Ramp>(indices[indices.size() - 1]);
  if (!ramp || buffer.dtype.lanes != 1) return 0;
  for (size_t axis = 0; axis + 1 < indices.size(); ++axis) {
    if (indices[axis]->dtype.lanes != 1) return 0;
  }
  const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(state.strides.back());
  return stride && stride->isOne() ? tir::asInt(ramp->stride).value_or(0) : 0;
}

/// That of a single element, whatever vectors of them the buffer is of: tensors of a caller begin anywhere, and the
/// size of a vector need be no power of two.
llvm::Align Emitter::alignment(DataType element) {
  return llvm::Align(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(element.element().bytes(), 1))));
}

/// What memory holds in another form than a register goes lane by lane, but for bfloat16.
bool Emitter::movesAsVector(DataType element) {
  return registerType(element) == memoryType(element) || element.code == TypeCode::BFloat;
}

llvm::Value* Emitter::partOf(llvm::Value* vector, DataType element, int part) {
  return part ? builder_.CreateGEP(builder_.getInt8Ty(), vector, i64(part * elementBytes(element))) : vector;
}

/// As many vectors as the lanes are apart, and of them the elements that count. The last one ends with the last lane:
/// nothing is read but what lies between elements that are.
llvm::Value* Emitter::stridedVector(const tir::BufferLoad& node, const BufferState& state, const LaneAccess& first,
                                    int stride) {
  const int lanes = node.dtype.lanes, last = (lanes - 1) * (stride - 1);
  llvm::Value* result = nullptr;
  for (int piece = 0; piece < stride; ++piece) {
    const int begin = piece + 1 < stride ? piece * lanes : last;
    llvm::Value* at = elementPointer(*node.buffer, state, builder_.CreateAdd(first.flat, i64(begin)));
    llvm::Value* vector = builder_.CreateAlignedLoad(registerType(node.dtype), at, alignment(node.buffer->dtype));
    std::vector<int> chosen;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool here = std::min(lane * stride / lanes, stride - 1) == piece;
      chosen.push_back(here ? lanes + lane * stride - begin : lane);
    }
    result = builder_.CreateShuffleVector(result ? result : vector, vector, chosen);
  }
  return result;
}

/// All elements at once, those that do not count as zero.
llvm::Value* Emitter::wholeVector(const tir::BufferLoad& node, const BufferState& state, const LaneAccess& first,
                                  llvm::Value* active) {
  const DataType element = node.buffer->dtype.element();
  llvm::Type* type = registerType(node.dtype)->getWithNewType(memoryType(element));
  llvm::Value* at = elementPointer(*node.buffer, state, first.flat);
  const llvm::Align aligned = alignment(node.buffer->dtype);
  llvm::Value* raw = active ? builder_.CreateMaskedLoad(type, at, aligned, active, llvm::Constant::getNullValue(type))
                            : static_cast<llvm::Value*>(builder_.CreateAlignedLoad(type, at, aligned));
  return fromMemory(raw, element);
}

/// Lanes that are read with what lies between them: at most so far apart, and so many at least.
constexpr int64_t kMostApart = 4;
constexpr int kLeastApart = 8;

llvm::Value* Emitter::load(const tir::BufferLoad& node) {
  std::vector<llvm::Value*> values;
  int indexLanes = 1;
  for (const tir::PrimExpr& i : node.indices) {
    values.push_back(expr(i));
    if (!values.back()) return nullptr;
    indexLanes = std::max<int>(indexLanes, i->dtype.lanes);
  }
  const auto state = buffer(*node.buffer);
  if (!state || !fits(*node.buffer, *state, values.size())) return nullptr;
  const DataType element = node.buffer->dtype.element();
  const int inner = node.buffer->dtype.lanes;
  if (indexLanes * inner != node.dtype.lanes)
    return refuse(node.span, "a load has another number of lanes than its indices");
  llvm::Value* active = lanesOf(node.predicate, indexLanes);
  std::vector<LaneAccess> lanes;
  for (int lane = 0; lane < indexLanes; ++lane) lanes.push_back(laneAccess(*state, node.indices, values, lane, active));
  const int64_t stride = indexLanes > 1 ? laneStride(*node.buffer, *state, node.indices) : 0;
  const bool onePiece = stride == 1;
  const LaneAccess every = indexLanes > 1 ? everyLane(*state, node.indices, values, indexLanes, active) : LaneAccess{};
  checkAccess(*node.buffer, *state, lanes, indexLanes > 1 && !(onePiece && !active) ? &every : nullptr);
  const bool guarded = checks_ == Checks::Ahead && checked(*node.buffer);
  if (guarded) stayInside(*node.buffer, *state, lanes);
  const bool whole = onePiece || (indexLanes == 1 && inner > 1 && !active);
  if (whole && !guarded && movesAsVector(element)) return wholeVector(node, *state, lanes[0], active);
  const bool apart = stride > 1 && stride <= kMostApart && indexLanes >= kLeastApart && !active;
  if (apart && !guarded && registerType(element) == memoryType(element))
    return stridedVector(node, *state, lanes[0], static_cast<int>(stride));
  llvm::Value* result =
      node.dtype.lanes > 1 ? static_cast<llvm::Value*>(llvm::PoisonValue::get(registerType(node.dtype))) : nullptr;
  llvm::Constant* nothing = llvm::Constant::getNullValue(registerType(element));
  for (int lane = 0; lane < indexLanes; ++lane) {
    const LaneAccess& access = lanes[static_cast<size_t>(lane)];
    llvm::Value* at = safePointer(*node.buffer, *state, access);
    for (int part = 0; part < inner; ++part) {
      llvm::Value* address = partOf(at, element, part);
      auto* raw = builder_.CreateAlignedLoad(memoryType(element), address, alignment(element));
      llvm::Value* one = fromMemory(raw, element);
      if (access.active) one = builder_.CreateSelect(access.active, one, nothing);
      if (!result) return one;
      result = builder_.CreateInsertElement(result, one, static_cast<uint64_t>(lane * inner + part));
    }
  }
  return result;
}

void Emitter::store(const tir::BufferStore& node) {
  std::vector<llvm::Value*> values;
  int indexLanes = 1;
  for (const tir::PrimExpr& i : node.indices) {
    values.push_back(expr(i));
    if (!values.back()) return;
    indexLanes = std::max<int>(indexLanes, i->dtype.lanes);
  }
  llvm::Value* value = expr(node.value);
  const auto state = value ? buffer(*node.buffer) : std::nullopt;
  if (!state || !fits(*node.buffer, *state, values.size())) return;
  const DataType element = node.buffer->dtype.element();
  const int inner = node.buffer->dtype.lanes;
  const DataType given = node.value->dtype;
  if (given.lanes != 1 && given.lanes != indexLanes * inner)
    return void(refuse(node.span, "a store has another number of lanes than its indices"));
  if (given.element() != element) value = convert(value, given, element.withLanes(given.lanes));
  llvm::Value* active = lanesOf(node.predicate, indexLanes);
  std::vector<LaneAccess> lanes;
  for (int lane = 0; lane < indexLanes; ++lane) lanes.push_back(laneAccess(*state, node.indices, values, lane, active));
  const bool onePiece = indexLanes > 1 && laneStride(*node.buffer, *state, node.indices) == 1;
  const LaneAccess every = indexLanes > 1 ? everyLane(*state, node.indices, values, indexLanes, active) : LaneAccess{};
  checkAccess(*node.buffer, *state, lanes, indexLanes > 1 && !(onePiece && !active) ? &every : nullptr);
  if (checks_ == Checks::Ahead) return;
  const bool whole = (onePiece || (indexLanes == 1 && inner > 1 && !active)) && given.lanes > 1;
  if (whole && movesAsVector(element)) {
    llvm::Value* at = elementPointer(*node.buffer, *state, lanes[0].flat);
    llvm::Value* kept = toMemory(value, element);
    if (active) return void(builder_.CreateMaskedStore(kept, at, alignment(element), active));
    if (streamed_) return streamedStore(kept, at, element);
    return void(builder_.CreateAlignedStore(kept, at, alignment(element)));
  }
  for (int lane = 0; lane < indexLanes; ++lane) {
    llvm::Value* at = safePointer(*node.buffer, *state, lanes[static_cast<size_t>(lane)]);
    for (int part = 0; part < inner; ++part) {
      llvm::Value* one =
          given.lanes > 1 ? builder_.CreateExtractElement(value, static_cast<uint64_t>(lane * inner + part)) : value;
      llvm::Value* address = partOf(at, element, part);
      builder_.CreateAlignedStore(toMemory(one, element), address, alignment(element));
    }
  }
}

void Emitter::streamedStore(llvm::Value* vector, llvm::Value* at, DataType element) {
  constexpr uint64_t kLeast = 16, kMost = 64;  // bytes of a register
  const uint64_t bytes = module_.getDataLayout().getTypeStoreSize(vector->getType()).getFixedValue();
  const auto stored = [&](llvm::Align align) { return builder_.CreateAlignedStore(vector, at, align); };
  if (bytes < kLeast || bytes > kMost || !llvm::isPowerOf2_64(bytes)) return void(stored(alignment(element)));
  llvm::Value* behind = builder_.CreateAnd(builder_.CreatePtrToInt(at, builder_.getInt64Ty()), bytes - 1);
  ifThen(
      builder_.CreateICmpEQ(behind, builder_.getInt64(0)),
      [&] {
        auto* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
        stored(llvm::Align(bytes))->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context_, one));
      },
      [&] { stored(alignment(element)); });
}

void Emitter::streamedStoresDone() { builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); }

llvm::Value* Emitter::stackMemory(int64_t bytes) {
  constexpr uint64_t kAlign = 64;
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  auto* memory =
      entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), static_cast<uint64_t>(std::max<int64_t>(bytes, 1))));
  memory->setAlignment(llvm::Align(kAlign));
  return memory;
}

llvm::Value* Emitter::hostMemory(llvm::Value* bytes) {
  const auto allocateOnHost = host("rx_allocate", builder_.getPtrTy(), {builder_.getPtrTy(), builder_.getInt64Ty()});
  llvm::CallInst* memory = builder_.CreateCall(allocateOnHost, {host_, bytes});
  memory->addRetAttr(llvm::Attribute::NoAlias);
  failNoted(builder_.CreateIsNull(memory));
  return memory;
}

/// Small memory is on the stack, once a call, and so is some for what a run may find to be small; the rest comes from
/// the host and goes back to it at the end of the scope.
llvm::Value* Emitter::allocateBytes(llvm::Value* bytes) {
  constexpr int64_t kMaxOnStack = 256 << 10;
  constexpr int64_t kMaxStackTotal = 512 << 10;
  // Half of what is left of this is for what a run finds to be small: the host takes as long as a small kernel.
  constexpr int64_t kMaxUnknownTotal = 384 << 10, kLeastUnknown = 4 << 10;
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes)) {
    const int64_t size = known->getSExtValue();
    if (size >= 0 && size <= kMaxOnStack && stackBytes_ + size <= kMaxStackTotal) {
      stackBytes_ += size;
      return stackMemory(size);
    }
  } else if (const int64_t size = (kMaxUnknownTotal - unknownBytes_) / 2; size >= kLeastUnknown) {
    unknownBytes_ += size;
    llvm::Value* near = stackMemory(size);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::Value *far = nullptr, *none = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    llvm::BasicBlock* behindFar = nullptr;
    ifThen(builder_.CreateICmpSGT(bytes, i64(size)), [&] {
      far = hostMemory(bytes);
      behindFar = builder_.GetInsertBlock();
    });
    const auto either = [&](llvm::Value* otherwise) {
      llvm::PHINode* chosen = builder_.CreatePHI(builder_.getPtrTy(), 2);
      chosen->addIncoming(far, behindFar);
      chosen->addIncoming(otherwise, before);
      return chosen;
    };
    llvm::Value* memory = either(near);
    hostAllocations_.push_back({either(none), false});
    return memory;
  }
  hostAllocations_.push_back({hostMemory(bytes), true});
  return hostAllocations_.back().memory;
}

void Emitter::leaveScope(size_t count) {
  if (hostAllocations_.size() <= count) return;
  const auto release = host("rx_release", builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getPtrTy()});
  while (hostAllocations_.size() > count) {
    const HostAllocation last = hostAllocations_.back();
    hostAllocations_.pop_back();
    const auto give = [&] { builder_.CreateCall(release, {host_, last.memory}); };
    if (last.always) {
      give();
    } else {
      ifThen(builder_.CreateIsNotNull(last.memory), give);
    }
  }
}

llvm::Value* Emitter::byteCount(DataType type, const Array<tir::PrimExpr>& extents) {
  llvm::Value* bytes = i64(elementBytes(type));
  for (const tir::PrimExpr& extent : extents) {
    llvm::Value* value = expr(extent);
    if (value) bytes = builder_.CreateMul(bytes, index(value, extent->dtype));
  }
  return bytes;
}

llvm::Value* Emitter::byteCountChecked(std::string_view name, DataType type, const Array<tir::PrimExpr>& extents) {
  llvm::Value* bytes = i64(elementBytes(type));
  llvm::Value *negative = builder_.getFalse(), *empty = builder_.getFalse(), *overflows = builder_.getFalse();
  for (const tir::PrimExpr& extent : extents) {
    llvm::Value* value = expr(extent);
    if (!value) return nullptr;
    value = index(value, extent->dtype);
    negative = builder_.CreateOr(negative, builder_.CreateICmpSLT(value, i64(0)));
    empty = builder_.CreateOr(empty, builder_.CreateICmpEQ(value, i64(0)));
    const auto *factor = llvm::dyn_cast<llvm::ConstantInt>(value), *before = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    if (factor && before) {
      int64_t product = 0;
      if (__builtin_mul_overflow(before->getSExtValue(), factor->getSExtValue(), &product))
        overflows = builder_.getTrue();
      bytes = i64(product);
      continue;
    }
    llvm::Value* product = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow, bytes, value);
    overflows = builder_.CreateOr(overflows, builder_.CreateExtractValue(product, 1));
    bytes = builder_.CreateExtractValue(product, 0);
  }
  // What has an empty dimension has no elements, however large the others are.
  overflows = builder_.CreateAnd(overflows, builder_.CreateNot(empty));
  failWhen(builder_.CreateOr(negative, overflows), vm::KernelFault::Size, vm::sizeText(name));
  return builder_.CreateSelect(empty, i64(0), bytes);
}

void Emitter::allocate(const tir::Buffer& node) {
  llvm::Value* bytes = byteCountChecked(node.name.view(), node.dtype, node.shape);
  if (!bytes) return;
  const Pointer memory{allocateBytes(bytes), bytes};
  if (!memory.base) return;
  ownMemory_.insert(memory.base);
  define(*node.data, memory);
  BufferState state = makeState(node, memory);
  state.whole = node.strides.empty() && !state.offset;
  buffers_[&node] = std::move(state);
}

}  // namespace rx::codegen
