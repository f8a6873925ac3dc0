#include "core/store/frame_log.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace rx::store {
namespace {

constexpr size_t kInline = sizeof(uint64_t) - 1;

}  // namespace

bool FrameLog::add(ActivationRow row) {
  ActivationRow* place = table_.next();
  if (!place) return false;
  row.heads = heap_.allocate(sizeof(uint32_t) * std::max<uint64_t>(row.registers, 1));
  if (row.heads == 0) return false;
  *place = row;
  table_.push();
  alive_.push_back({row.number, place, &space_.as<uint32_t>(row.heads)});
  return true;
}

bool FrameLog::push(uint32_t number, uint32_t function, uint32_t registers, uint32_t state, uint32_t callInstruction) {
  const auto depth = static_cast<uint32_t>(alive_.size()) + 1;
  return add({number, function, running(), state, kNone, depth, callInstruction, registers, 0});
}

void FrameLog::pop(uint32_t step) {
  RX_ASSERT(!alive_.empty(), "a return at step {} without a frame", step);
  storeRelease(alive_.back().row->returnStep, step);
  alive_.pop_back();
}

const FrameLog::Alive* FrameLog::find(uint32_t activation) const {
  // A step sets registers of its own frame, of the one it called, or of its caller.
  const auto at = std::find_if(alive_.rbegin(), alive_.rend(), [&](const Alive& a) { return a.number <= activation; });
  return at != alive_.rend() && at->number == activation ? &*at : nullptr;
}

uint64_t FrameLog::payloadOf(std::string_view encoded, VersionKind& kind) {
  kind = VersionKind::RegisterInline;
  if (encoded.size() <= kInline) {
    uint64_t payload = 0;
    std::memcpy(&payload, encoded.data(), encoded.size());
    return payload << 8 | encoded.size();
  }
  kind = VersionKind::RegisterDescribed;
  // Registers of a loop, or of tensors in memory that is used again, often get what one of them had.
  uint64_t& known = known_[XXH3_64bits(encoded.data(), encoded.size()) % known_.size()];
  if (known == 0 || heap_.countedAt(known) != encoded) known = heap_.counted(encoded);
  return known;
}

uint64_t FrameLog::payloadOf(const TensorPlace& tensor, VersionKind& kind) {
  KnownTensor& known = tensors_[(tensor.storage + static_cast<uint64_t>(tensor.offset) / 64) % tensors_.size()];
  if (known.is(tensor)) {
    kind = known.kind;
    return known.payload;
  }
  encoder_.clear();
  encoder_.tensor(tensor);
  const uint64_t payload = payloadOf(encoder_.bytes(), kind);
  if (tensor.shape.size() > KnownTensor::kMostRank) return payload;
  known = {tensor.storage, tensor.dtype, tensor.offset, tensor.shape.size(), {}, kind, payload};
  std::copy(tensor.shape.begin(), tensor.shape.end(), known.shape.begin());
  return payload;
}

bool FrameLog::set(uint32_t activation, uint32_t reg, const TensorPlace& tensor, uint32_t state) {
  VersionKind kind = VersionKind::None;
  const uint64_t payload = payloadOf(tensor, kind);
  return put(activation, reg, kind, payload, state);
}

bool FrameLog::set(uint32_t activation, uint32_t reg, std::string_view encoded, uint32_t state) {
  VersionKind kind = VersionKind::None;
  const uint64_t payload = payloadOf(encoded, kind);
  return put(activation, reg, kind, payload, state);
}

bool FrameLog::put(uint32_t activation, uint32_t reg, VersionKind kind, uint64_t payload, uint32_t state) {
  const Alive* frame = find(activation);
  RX_ASSERT(frame && reg < frame->row->registers, "register {} of activation {} is set", reg, activation);
  if (!space_.stopped().empty()) return false;
  const uint32_t head = versions_.append(frame->heads[reg], kind, state, activation, reg, payload);
  if (head == 0) return false;
  storeRelease(frame->heads[reg], head);
  return true;
}

bool FrameLog::carry(const FrameLog& old) {
  for (const Alive& frame : old.alive_) {
    if (!add(*frame.row)) return false;
    const Alive& mine = alive_.back();
    for (uint32_t reg = 0; reg < frame.row->registers; ++reg) {
      if (frame.heads[reg] == 0) continue;
      Version version = old.versions_[frame.heads[reg]];
      const VersionKind kind = kindOf(version);
      if (kind == VersionKind::RegisterDescribed) version.payload = heap_.counted(old.heap_.countedAt(version.payload));
      if (!space_.stopped().empty()) return false;
      mine.heads[reg] = versions_.append(0, kind, version.state, version.owner, version.part, version.payload);
      if (mine.heads[reg] == 0) return false;
    }
  }
  return true;
}

}  // namespace rx::store
