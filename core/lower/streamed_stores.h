// Stores that go past the caches.
#pragma once

namespace rx::lower {

/// Key of an AttrStmt whose value is 1: what is stored below it is more than the caches hold until something reads it.
/// Whole vectors that begin at multiples of their size go straight to memory, which is then not read first; all that
/// comes behind the statement finds them there.
constexpr const char* kStreamedStores = "streamed_stores";

}  // namespace rx::lower
