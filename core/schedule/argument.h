// What primitives take and give: values that a trace can hold, print and read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::schedule {

/// A block of one schedule. It stays the same block whatever primitives make of it.
struct BlockRef {
  size_t id;
  bool operator==(const BlockRef&) const = default;
};
/// A loop, known by its variable.
using LoopRef = tir::VarRef;
/// What takes a block or a loop alike.
using Place = std::variant<BlockRef, LoopRef>;

/// The extents of the loops that one loop becomes, from the outside; a null one follows from the others.
struct Factors {
  std::vector<tir::PrimExpr> extents;
  Factors(std::vector<tir::PrimExpr> each) : extents(std::move(each)) {}
  /// Numbers; 0 is the factor that follows from the others.
  Factors(std::initializer_list<int64_t> numbers);
};

/// Which side of a block a buffer is on.
enum class Access : uint8_t { Read, Write };
/// One of the buffers that a block reads or writes, by its number.
struct BufferOf {
  Access access;
  size_t index;
};

/// Kinds of arguments, by what a text may say there.
enum class ArgumentKind : uint8_t {
  Block,
  Loop,
  Place,  ///< a block or a loop
  Loops,  ///< several, all of what stands without a name
  Number,
  Numbers,
  Flag,
  Text,
  Factors,
  Value,   ///< of an annotation: numbers, texts, lists and dictionaries of them
  Buffer,  ///< ("read", 0)
  Map      ///< lambda i, j: (j, i)
};

/// One argument, or one result.
using Argument = std::variant<BlockRef, LoopRef, std::vector<LoopRef>, int64_t, std::vector<int64_t>, bool, std::string,
                              Factors, NodeRef, BufferOf, Ref<tir::IndexMap>>;

/// How the parameters of a primitive are kept as arguments: their kind, and the way there and back.
template <class T>
struct Held {
  static_assert(std::is_same_v<T, void>, "no argument has this type");
};
template <class T, ArgumentKind K, class Kept = T>
struct HeldAs {
  static constexpr ArgumentKind kKind = K;
  static Argument hold(const T& value) { return Argument(std::in_place_type<Kept>, value); }
  static Kept give(const Argument& argument) { return std::get<Kept>(argument); }
};
template <>
struct Held<BlockRef> : HeldAs<BlockRef, ArgumentKind::Block> {};
template <>
struct Held<const LoopRef&> : HeldAs<LoopRef, ArgumentKind::Loop> {};
template <>
struct Held<bool> : HeldAs<bool, ArgumentKind::Flag> {};
template <>
struct Held<int64_t> : HeldAs<int64_t, ArgumentKind::Number> {};
template <>
struct Held<std::string_view> : HeldAs<std::string_view, ArgumentKind::Text, std::string> {};
template <>
struct Held<const Factors&> : HeldAs<Factors, ArgumentKind::Factors> {};
template <>
struct Held<NodeRef> : HeldAs<NodeRef, ArgumentKind::Value> {};
template <>
struct Held<BufferOf> : HeldAs<BufferOf, ArgumentKind::Buffer> {};
template <>
struct Held<size_t> {
  static constexpr ArgumentKind kKind = ArgumentKind::Number;
  static Argument hold(size_t value) { return static_cast<int64_t>(value); }
  static size_t give(const Argument& argument) { return static_cast<size_t>(std::get<int64_t>(argument)); }
};
template <>
struct Held<const tir::IndexMap&> {
  static constexpr ArgumentKind kKind = ArgumentKind::Map;
  static Argument hold(const tir::IndexMap& value) { return Ref<tir::IndexMap>(&value); }
  static const tir::IndexMap& give(const Argument& argument) { return *std::get<Ref<tir::IndexMap>>(argument); }
};
template <class T, ArgumentKind K>
struct HeldList {
  static constexpr ArgumentKind kKind = K;
  static Argument hold(std::span<const T> values) { return std::vector<T>(values.begin(), values.end()); }
  static std::span<const T> give(const Argument& argument) { return std::get<std::vector<T>>(argument); }
};
template <>
struct Held<std::span<const LoopRef>> : HeldList<LoopRef, ArgumentKind::Loops> {};
template <>
struct Held<std::span<const int64_t>> : HeldList<int64_t, ArgumentKind::Numbers> {};
template <>
struct Held<const Place&> {
  static constexpr ArgumentKind kKind = ArgumentKind::Place;
  static Argument hold(const Place& value) {
    return std::visit([](const auto& place) { return Argument(place); }, value);
  }
  static Place give(const Argument& argument) {
    const auto* block = std::get_if<BlockRef>(&argument);
    return block ? Place(*block) : Place(std::get<LoopRef>(argument));
  }
};

}  // namespace rx::schedule
