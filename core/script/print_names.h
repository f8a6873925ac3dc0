// Names of variables while a text is printed: unique among those in scope, with TVM's `_1`, `_2` suffixes.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/node.h"

namespace rx::script {

/// Open-addressing index from a hash to the position of an entry in a list of the owner; entries are never removed.
class HashIndex {
 public:
  HashIndex() : slots_(64) {}
  /// The position whose entry `same` accepts, or kNone.
  static constexpr uint32_t kNone = 0xffffffff;
  template <class Same>
  uint32_t find(uint64_t hash, Same&& same) const {
    for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.position == kNone) return kNone;
      if (slot.hash == static_cast<uint32_t>(hash >> 32) && same(slot.position)) return slot.position;
    }
  }
  /// Adds a position that `find` does not give; `hashOf` gives the hash of any position when the table grows.
  template <class HashOf>
  void add(uint64_t hash, uint32_t position, HashOf&& hashOf) {
    if (++size_ * 2 > slots_.size()) {
      std::vector<Slot> old(slots_.size() * 4);
      old.swap(slots_);
      for (const Slot& slot : old) {
        if (slot.position != kNone) place(hashOf(slot.position), slot.position);
      }
    }
    place(hash, position);
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t position = kNone;
  };
  void place(uint64_t hash, uint32_t position) {
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].position != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {static_cast<uint32_t>(hash >> 32), position};
  }
  std::vector<Slot> slots_;
  size_t size_ = 0;
};

class NameScopes {
 public:
  void enter() { marks_.push_back(log_.size()); }
  /// Frees the names given since the matching enter.
  void leave();
  /// Gives `node` the first free name after `hint`. A node that is defined again gets another name.
  std::string_view define(const Node* node, std::string_view hint);
  /// The same, for the whole function: the name is freed with the outermost scope.
  std::string_view defineForFunction(const Node* node, std::string_view hint);
  /// Keeps a name from being given to a variable of the function: the text uses it for something that it does not
  /// define.
  void reserve(std::string_view name);
  /// Makes `node` stand for a fixed text ("A.data"); `text` is kept.
  void alias(const Node* node, std::string text);
  /// The name, empty when the node was never defined.
  std::string_view find(const Node* node) const {
    const uint32_t at = findNode(node, hashOf(node));
    return at == HashIndex::kNone ? std::string_view() : named_[at].name;
  }

 private:
  struct Named {
    const Node* node;
    std::string_view name;
  };
  struct Used {
    std::string_view name;
    uint32_t next = 1;     ///< first suffix that may be free
    uint32_t holders = 0;  ///< scopes that hold the name
  };
  struct Entry {
    uint32_t name, hint;  ///< positions in used_
    uint32_t oldNext;
  };
  static uint64_t hashOf(const Node* node) { return reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15ULL >> 4; }
  static uint64_t hashOf(std::string_view name);
  uint32_t findNode(const Node* node, uint64_t hash) const {
    return nodeIndex_.find(hash, [&](uint32_t at) { return named_[at].node == node; });
  }
  void setName(const Node* node, std::string_view name);
  /// Position of the name in used_, added when it is new.
  uint32_t use(std::string_view name, bool copies);
  uint32_t addUsed(std::string_view name, bool copies);
  std::string_view fresh(std::string_view hint, bool forFunction);

  std::vector<Named> named_;
  HashIndex nodeIndex_;
  std::vector<Used> used_;
  HashIndex usedIndex_;
  std::deque<std::string> texts_;
  std::vector<Entry> log_;
  std::vector<Entry> functionLog_;
  std::vector<size_t> marks_;
};

}  // namespace rx::script
