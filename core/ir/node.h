// Nodes: the immutable, shared objects that all IR is made of, and how their kinds and fields are described.
//
// A node type is a struct with public members, a constant kKind (through NodeOf) and a static `fields(visit)` that
// names each member once with its role. Equality, hash, visiting, rewriting, JSON and the property panel all read it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/support/array.h"
#include "core/support/assert.h"
#include "core/support/ref.h"
#include "core/support/source.h"
#include "core/support/str.h"

namespace rx {

namespace ir {}
namespace tir {}
namespace relax {}
namespace relay {}

enum class Kind : uint16_t {
#define RX_NODE(space, Name, key) space##_##Name,
#include "core/ir/node_kinds.def"
  kCount
};

/// Whether a module can hold nodes of the kind by name.
constexpr bool isFunctionKind(Kind kind) {
  switch (kind) {
#define RX_NODE(space, Name, key)
#define RX_GRAPH_NODE(space, Name, key)
#define RX_FUNCTION_NODE(space, Name, key) case Kind::space##_##Name:
#include "core/ir/node_kinds.def"
    return true;
    default:
      return false;
  }
}
/// Whether it belongs to the meaning of a node of the kind that two places share it: then equality tells one node that
/// is used twice from two equal ones.
constexpr bool isGraphKind(Kind kind) {
  switch (kind) {
#define RX_NODE(space, Name, key)
#define RX_FUNCTION_NODE(space, Name, key)
#define RX_GRAPH_NODE(space, Name, key) case Kind::space##_##Name:
#include "core/ir/node_kinds.def"
    return true;
    default:
      return kind == Kind::relay_Function;
  }
}

/// What a field is to its node.
enum class Role : uint8_t {
  Child,   ///< part of the node: visited, compared
  Define,  ///< variables that the node defines (and the symbolic variables that first occur in their StructInfo)
  Type,    ///< StructInfo or type: compared at definitions, not visited by default
  Attr,    ///< plain data, compared
  Ignore,  ///< not part of the meaning: place, origin, name hints
};

/// Base of all nodes (16 bytes).
class Node : public Object {
 public:
  static bool classof(Kind) { return true; }
  Kind kind() const { return static_cast<Kind>(tag_); }

 protected:
  explicit Node(Kind kind) { tag_ = static_cast<uint16_t>(kind); }
  Node(const Node& other) : Object(other) { tag_ = other.tag_; }
};
using NodeRef = Ref<Node>;

/// Gives a node type its kind: `struct Add : NodeOf<Add, BinaryNode, Kind::tir_Add>`.
template <class Derived, class Base, Kind K>
struct NodeOf : Base {
  static constexpr Kind kKind = K;
  static bool classof(Kind kind) { return kind == K; }
  NodeOf() : Base(K) {}

 protected:
  /// For a kind that has a sub-kind (tir::Var and SizeVar).
  explicit NodeOf(Kind kind) : Base(kind) {}
};

/// True when the node exists and is a T (a node type or a category).
template <class T>
bool isa(const Node* node) {
  return node && T::classof(node->kind());
}
template <class T, class U>
bool isa(const Ref<U>& ref) {
  return isa<T>(static_cast<const Node*>(ref.get()));
}
/// The node as T, or null.
template <class T>
const T* as(const Node* node) {
  return isa<T>(node) ? static_cast<const T*>(node) : nullptr;
}
template <class T, class U>
const T* as(const Ref<U>& ref) {
  return as<T>(static_cast<const Node*>(ref.get()));
}
/// The reference as Ref<T>; null when it is not a T.
template <class T, class U>
Ref<T> refAs(const Ref<U>& ref) {
  return Ref<T>(as<T>(ref));
}
/// The same where anything else is a bug of ours.
template <class T, class U>
Ref<T> cast(const Ref<U>& ref) {
  RX_ASSERT(isa<T>(ref), "node kind {} is not what this place needs", ref ? static_cast<int>(ref->kind()) : -1);
  return Ref<T>(static_cast<const T*>(static_cast<const Node*>(ref.get())));
}

/// Name of a kind without its namespace ("VarBinding"), and its type key in TVM's JSON.
std::string_view kindName(Kind kind);
std::string_view kindTypeKey(Kind kind);

}  // namespace rx
