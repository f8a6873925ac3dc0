#include "core/lower/value_numbers.h"

#include <bit>

#include "core/ir/all_nodes.h"
#include "core/ir/structural_hash.h"

namespace rx::lower {

using namespace tir;

namespace {

uint64_t address(const void* object) { return reinterpret_cast<uintptr_t>(object); }

/// The plain part of a node: its constant, its operator, or the node itself where identity is meant.
uint64_t payload(const Node& node) {
  if (const auto* imm = as<IntImm>(&node)) return static_cast<uint64_t>(imm->value);
  if (const auto* imm = as<FloatImm>(&node)) return std::bit_cast<uint64_t>(imm->value);
  if (isa<Var>(&node) || isa<StringImm>(&node) || isa<Reduce>(&node) || !isa<ExprNode>(&node)) return address(&node);
  return 0;
}

uint64_t typeBits(DataType type) {
  return static_cast<uint64_t>(type.code) | uint64_t{type.bits} << 8 |
         static_cast<uint64_t>(static_cast<uint16_t>(type.lanes)) << 16;
}

}  // namespace

size_t ValueNumbers::KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0;
  for (uint64_t word : key) hash = hashMix(hash, word);
  return hash;
}

uint32_t ValueNumbers::number(const Node& node, std::span<const uint32_t> children) {
  const auto* expr = as<ExprNode>(&node);
  Key key{static_cast<uint64_t>(node.kind()), expr ? typeBits(expr->dtype) : 0, payload(node)};
  key.insert(key.end(), children.begin(), children.end());
  const uint32_t number = known_.emplace(std::move(key), static_cast<uint32_t>(known_.size())).first->second;
  numbers_[&node] = number;
  return number;
}

uint32_t ValueNumbers::of(const Node& node) const {
  auto found = numbers_.find(&node);
  return found == numbers_.end() ? kNone : found->second;
}

}  // namespace rx::lower
