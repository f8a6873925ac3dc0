// Buffers: addresses, loads and stores, allocation, views.
#include <algorithm>

#include "core/codegen/emitter.h"

namespace rx::codegen {

BufferState Emitter::makeState(const tir::Buffer& node, llvm::Value* base) {
  BufferState state;
  state.base = base;
  llvm::Value* count = i64(1);
  std::vector<llvm::Value*> compact(node.shape.size());
  for (size_t axis = node.shape.size(); axis-- > 0;) {
    compact[axis] = count;
    llvm::Value* extent = expr(node.shape[axis]);
    count = builder_.CreateMul(count, extent ? index(extent, node.shape[axis]->dtype) : i64(0));
  }
  state.strides = std::move(compact);
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
  const auto limit = limits_.find(node.data.get());
  if (limit != limits_.end()) {
    state.limit = builder_.CreateUDiv(limit->second, i64(std::max<int64_t>(node.dtype.bytes(), 1)));
  }
  return state;
}

/// A buffer that no statement declared is a view of the pointer it names.
std::optional<BufferState> Emitter::buffer(const tir::Buffer& node) {
  const auto found = buffers_.find(&node);
  if (found != buffers_.end()) return found->second;
  const auto base = vars_.find(node.data.get());
  if (base == vars_.end()) {
    refuse(node.span, fmt::format("the buffer {} has no memory here", node.name.view()));
    return std::nullopt;
  }
  // Not kept: its shape may use variables that are only known at this place.
  return makeState(node, base->second);
}

llvm::Value* Emitter::flatIndex(const tir::Buffer& node, const BufferState& state,
                                const std::vector<llvm::Value*>& indices) {
  if (indices.size() != state.strides.size())
    return refuse(node.span,
                  fmt::format("{} has {} dimensions, not {}", node.name.view(), state.strides.size(), indices.size()));
  llvm::Value* flat = state.offset ? state.offset : i64(0);
  for (size_t axis = 0; axis < indices.size(); ++axis)
    flat = builder_.CreateAdd(flat, builder_.CreateMul(indices[axis], state.strides[axis]));
  auto byAddress = [](const tir::VarRef& a, const tir::VarRef& b) { return a.get() < b.get(); };
  const bool proven = std::binary_search(proven_.begin(), proven_.end(), node.data, byAddress);
  if (options_.checkAccess && state.limit && !proven) {
    failWhen(builder_.CreateICmpUGE(flat, state.limit),
             fmt::format("an index of {} is out of range", node.name.view()));
  }
  return flat;
}

llvm::Value* Emitter::elementPointer(const tir::Buffer& node, const BufferState& state, llvm::Value* flat) {
  llvm::Type* type = memoryType(node.dtype);
  if (node.dtype.lanes > 1) flat = builder_.CreateMul(flat, i64(node.dtype.lanes));
  return builder_.CreateGEP(type, state.base, flat);
}

std::vector<llvm::Value*> Emitter::laneIndices(const Array<tir::PrimExpr>& indices,
                                               const std::vector<llvm::Value*>& values, int lane) {
  std::vector<llvm::Value*> result;
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::Value* one =
        indices[i]->dtype.lanes > 1 ? builder_.CreateExtractElement(values[i], static_cast<uint64_t>(lane)) : values[i];
    result.push_back(index(one, indices[i]->dtype.element()));
  }
  return result;
}

llvm::Value* Emitter::contiguous(const tir::Buffer& buffer, const BufferState& state,
                                 const Array<tir::PrimExpr>& indices, const std::vector<llvm::Value*>& values) {
  const auto* ramp = indices.size() == 1 ? as<tir::Ramp>(indices[0]) : nullptr;
  const DataType element = buffer.dtype;
  if (!ramp || tir::asInt(ramp->stride) != 1 || element.lanes != 1) return nullptr;
  // What memory holds in another form than a register goes lane by lane.
  if (registerType(element) != memoryType(element)) return nullptr;
  const int last = indices[0]->dtype.lanes - 1;
  llvm::Value* flat = flatIndex(buffer, state, laneIndices(indices, values, 0));
  if (!flat || !flatIndex(buffer, state, laneIndices(indices, values, last))) return nullptr;
  return elementPointer(buffer, state, flat);
}

llvm::Align Emitter::alignment(DataType element) {
  return llvm::Align(static_cast<uint64_t>(std::max<int64_t>(element.bytes(), 1)));
}

llvm::Value* Emitter::load(const tir::BufferLoad& node) {
  std::vector<llvm::Value*> values;
  int indexLanes = 1;
  for (const tir::PrimExpr& i : node.indices) {
    values.push_back(expr(i));
    if (!values.back()) return nullptr;
    indexLanes = std::max<int>(indexLanes, i->dtype.lanes);
  }
  if (node.predicate) return refuse(node.span, "a load with a predicate has no machine code");
  const auto known = buffer(*node.buffer);
  if (!known) return nullptr;
  const BufferState state = *known;
  const DataType element = node.buffer->dtype.element();
  const int inner = node.buffer->dtype.lanes;
  if (indexLanes * inner != node.dtype.lanes)
    return refuse(node.span, "a load has another number of lanes than its indices");
  if (llvm::Value* whole = contiguous(*node.buffer, state, node.indices, values))
    return builder_.CreateAlignedLoad(registerType(node.dtype), whole, alignment(element));
  llvm::Value* result =
      node.dtype.lanes > 1 ? static_cast<llvm::Value*>(llvm::PoisonValue::get(registerType(node.dtype))) : nullptr;
  for (int lane = 0; lane < indexLanes; ++lane) {
    llvm::Value* flat = flatIndex(*node.buffer, state, laneIndices(node.indices, values, lane));
    if (!flat) return nullptr;
    llvm::Value* at = elementPointer(*node.buffer, state, flat);
    for (int part = 0; part < inner; ++part) {
      llvm::Value* address = part ? builder_.CreateGEP(memoryType(element), at, i64(part)) : at;
      auto* raw = builder_.CreateAlignedLoad(memoryType(element), address, alignment(element));
      llvm::Value* one = fromMemory(raw, element);
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
  const auto known = value ? buffer(*node.buffer) : std::nullopt;
  if (!known) return;
  if (node.predicate) return void(refuse(node.span, "a store with a predicate has no machine code"));
  const BufferState state = *known;
  const DataType element = node.buffer->dtype.element();
  const int inner = node.buffer->dtype.lanes;
  const DataType given = node.value->dtype;
  if (given.lanes != 1 && given.lanes != indexLanes * inner)
    return void(refuse(node.span, "a store has another number of lanes than its indices"));
  if (given.element() != element) value = convert(value, given, element.withLanes(given.lanes));
  if (llvm::Value* whole = given.lanes > 1 ? contiguous(*node.buffer, state, node.indices, values) : nullptr)
    return void(builder_.CreateAlignedStore(value, whole, alignment(element)));
  for (int lane = 0; lane < indexLanes; ++lane) {
    llvm::Value* flat = flatIndex(*node.buffer, state, laneIndices(node.indices, values, lane));
    if (!flat) return;
    llvm::Value* at = elementPointer(*node.buffer, state, flat);
    for (int part = 0; part < inner; ++part) {
      llvm::Value* one =
          given.lanes > 1 ? builder_.CreateExtractElement(value, static_cast<uint64_t>(lane * inner + part)) : value;
      llvm::Value* address = part ? builder_.CreateGEP(memoryType(element), at, i64(part)) : at;
      builder_.CreateAlignedStore(toMemory(one, element), address, alignment(element));
    }
  }
}

/// Small memory of known size is on the stack, once a call; the rest comes from the host and goes back to it at the
/// end of the scope.
llvm::Value* Emitter::allocateBytes(llvm::Value* bytes) {
  constexpr int64_t kMaxOnStack = 16 << 10;
  constexpr int64_t kMaxStackTotal = 128 << 10;
  constexpr uint64_t kAlign = 64;
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes)) {
    const int64_t size = known->getSExtValue();
    if (size >= 0 && size <= kMaxOnStack && stackBytes_ + size <= kMaxStackTotal) {
      stackBytes_ += size;
      llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
      auto* memory = entry.CreateAlloca(
          llvm::ArrayType::get(entry.getInt8Ty(), static_cast<uint64_t>(std::max<int64_t>(size, 1))));
      memory->setAlignment(llvm::Align(kAlign));
      return memory;
    }
  }
  const auto allocateOnHost = host("rx_allocate", builder_.getPtrTy(), {builder_.getPtrTy(), builder_.getInt64Ty()});
  llvm::Value* memory = builder_.CreateCall(allocateOnHost, {host_, bytes});
  failWhen(builder_.CreateIsNull(memory), "");
  hostAllocations_.push_back(memory);
  return memory;
}

void Emitter::leaveScope(size_t count) {
  const auto release = host("rx_release", builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getPtrTy()});
  while (hostAllocations_.size() > count) {
    builder_.CreateCall(release, {host_, hostAllocations_.back()});
    hostAllocations_.pop_back();
  }
}

void Emitter::allocate(const tir::Buffer& node) {
  llvm::Value* bytes = i64(node.dtype.bytes());
  for (const tir::PrimExpr& extent : node.shape) {
    llvm::Value* value = expr(extent);
    if (!value) return;
    bytes = builder_.CreateMul(bytes, index(value, extent->dtype));
  }
  llvm::Value* memory = allocateBytes(bytes);
  vars_[node.data.get()] = memory;
  limits_[node.data.get()] = bytes;
  buffers_[&node] = makeState(node, memory);
}

}  // namespace rx::codegen
