#include "core/script/names.h"

#include <algorithm>
#include <cstring>

namespace rx::script {

bool isIdentifier(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), isIdentifierPart);
}

namespace {
uint32_t hashOf(std::string_view text) {
  uint64_t h = 0x9E3779B97F4A7C15ULL ^ text.size();
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, text.data() + at, text.size() - at);
  h = (h ^ tail) * 0xff51afd7ed558ccdULL;
  return static_cast<uint32_t>(h ^ (h >> 29));
}
}  // namespace

Names::Names() : slots_(1024, 0) {}

NameId Names::find(std::string_view text) const {
  uint32_t hash = hashOf(text);
  size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask; slots_[at]; at = (at + 1) & mask) {
    NameId id = slots_[at] - 1;
    if (hashes_[id] == hash && strs_[id].view() == text) return id;
  }
  return kNone;
}

NameId Names::intern(std::string_view text) {
  uint32_t hash = hashOf(text);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at]; at = (at + 1) & mask) {
    NameId id = slots_[at] - 1;
    if (hashes_[id] == hash && strs_[id].view() == text) return id;
  }
  NameId id = static_cast<NameId>(strs_.size());
  strs_.emplace_back(text);
  hashes_.push_back(hash);
  slots_[at] = id + 1;
  if (strs_.size() * 2 > slots_.size()) grow();
  return id;
}

void Names::grow() {
  slots_.assign(slots_.size() * 2, 0);
  size_t mask = slots_.size() - 1;
  for (NameId id = 0; id < strs_.size(); ++id) {
    size_t at = hashes_[id] & mask;
    while (slots_[at]) at = (at + 1) & mask;
    slots_[at] = id + 1;
  }
}

}  // namespace rx::script
