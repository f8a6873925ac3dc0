// Places of a run that a user can write a value to, and the writing.
#pragma once

#include "core/debug/frame_environment.h"

namespace rx::debug {

/// A register, an item of the tuple in it, or an element of the tensor or shape there.
struct Place {
  std::string name;  ///< as the user wrote it
  ValueRef ref;
  std::optional<int64_t> element;  ///< in row-major order
};

/// What `x`, `%3`, `t[1]`, `x[0, 3]` or a symbol of the shape heap names in a frame; indices are expressions, and count
/// from the end where they are negative. Fails with `debug.place` for what is a value and no place, `debug.index`, or
/// as looking the names up does.
Result<Place> placeOf(Session& session, int activation, std::string_view text);
/// The place of one part of what another place holds: "[1]", "[0, 3]".
Result<Place> partOf(Session& session, int activation, Place place, std::string_view index);
/// The place of a slot of a frame's shape heap.
Result<Place> heapPlace(Session& session, int activation, size_t slot);

/// Writes what a literal says to a place of the present state: one number, which fills a tensor, or a list as a tensor
/// or shape has. Fails with `debug.type`, `debug.shape`, `debug.range`, `debug.literal`, or as Session::held and
/// change.
Result<Unit> assign(Session& session, int activation, const Place& place, std::string_view literal);
/// Writes bytes into the memory of a tensor, from `offset` on. Fails with `debug.range` where they do not lie in it, or
/// are none of its elements; else as assign.
Result<Unit> assignBytes(Session& session, const ValueRef& tensor, int64_t offset, std::vector<std::byte> bytes);

}  // namespace rx::debug
