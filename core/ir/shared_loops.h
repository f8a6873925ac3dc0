// Parallel loops that a run may keep to one thread.
#pragma once

namespace rx::tir {

/// Key of an AttrStmt: threads share the parallel loops below it where its value holds; else one thread runs them.
constexpr const char* kThreadsIf = "threads_if";

}  // namespace rx::tir
