// Attribute values: what function attributes, operator attributes and annotations hold. Any IR node may be a value too.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/ir/node.h"
#include "core/tensor/dtype.h"

namespace rx::ir {

/// None of TVMScript: an attribute that is present without a value.
struct NullAttr : NodeOf<NullAttr, Node, Kind::ir_NullAttr> {
  template <class V>
  static void fields(V&&) {}
};
struct BoolAttr : NodeOf<BoolAttr, Node, Kind::ir_BoolAttr> {
  explicit BoolAttr(bool v) : value(v) {}
  bool value;
  template <class V>
  static void fields(V&& v) {
    v("value", &BoolAttr::value, Role::Attr);
  }
};
struct IntAttr : NodeOf<IntAttr, Node, Kind::ir_IntAttr> {
  explicit IntAttr(int64_t v) : value(v) {}
  int64_t value;
  template <class V>
  static void fields(V&& v) {
    v("value", &IntAttr::value, Role::Attr);
  }
};
struct FloatAttr : NodeOf<FloatAttr, Node, Kind::ir_FloatAttr> {
  explicit FloatAttr(double v) : value(v) {}
  double value;
  template <class V>
  static void fields(V&& v) {
    v("value", &FloatAttr::value, Role::Attr);
  }
};
struct StrAttr : NodeOf<StrAttr, Node, Kind::ir_StrAttr> {
  explicit StrAttr(Str v) : value(std::move(v)) {}
  Str value;
  template <class V>
  static void fields(V&& v) {
    v("value", &StrAttr::value, Role::Attr);
  }
};
struct TypeAttr : NodeOf<TypeAttr, Node, Kind::ir_TypeAttr> {
  explicit TypeAttr(DataType v) : value(v) {}
  DataType value;
  template <class V>
  static void fields(V&& v) {
    v("value", &TypeAttr::value, Role::Attr);
  }
};
/// A sequence of values; no element is null (NullAttr stands for None).
struct ArrayAttr : NodeOf<ArrayAttr, Node, Kind::ir_ArrayAttr> {
  explicit ArrayAttr(Array<NodeRef> v) : items(std::move(v)) {}
  Array<NodeRef> items;
  template <class V>
  static void fields(V&& v) {
    v("items", &ArrayAttr::items, Role::Child);
  }
};

/// Ordered text-keyed values; keys are unique. Order is kept for printing, equality compares as a set.
struct DictAttrs : NodeOf<DictAttrs, Node, Kind::ir_DictAttrs> {
  DictAttrs() = default;
  /// Later duplicates of a key replace earlier ones in place.
  explicit DictAttrs(const std::vector<std::pair<Str, NodeRef>>& entries);
  Array<Str> keys;
  Array<NodeRef> values;
  size_t size() const { return keys.size(); }
  /// The value of a key, or null.
  NodeRef get(std::string_view key) const;
  template <class V>
  static void fields(V&& v) {
    v("keys", &DictAttrs::keys, Role::Attr);
    v("values", &DictAttrs::values, Role::Child);
  }
};
using Attrs = Ref<DictAttrs>;

/// Copies with one entry set or removed. A null Attrs is the empty dictionary, here and everywhere.
Attrs withAttr(const Attrs& attrs, Str key, NodeRef value);
Attrs withoutAttr(const Attrs& attrs, std::string_view key);
NodeRef attrOf(const Attrs& attrs, std::string_view key);
/// Typed look-ups; the fallback when the key is absent or of another kind. Integers may be IntAttr, BoolAttr or IntImm.
int64_t intAttrOf(const Attrs& attrs, std::string_view key, int64_t fallback);
bool boolAttrOf(const Attrs& attrs, std::string_view key, bool fallback);
std::string_view strAttrOf(const Attrs& attrs, std::string_view key, std::string_view fallback = {});

NodeRef nullAttr();
NodeRef boolAttr(bool value);
NodeRef intAttr(int64_t value);
NodeRef floatAttr(double value);
NodeRef strAttr(Str value);
/// Kind of a target: "cuda" of the text "cuda -arch=sm_80" and of {"kind": "cuda"}; empty where it is neither. The text
/// belongs to `target`.
std::string_view targetKind(const NodeRef& target);
NodeRef typeAttr(DataType value);
NodeRef arrayAttr(Array<NodeRef> items);
NodeRef intArrayAttr(std::span<const int64_t> items);

}  // namespace rx::ir
