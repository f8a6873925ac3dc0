// Parts of a kernel that are compiled apart.
#pragma once

namespace rx::lower {

/// Key of an AttrStmt whose value is 1: what stands below it is a form of the kernel of its own, as for one size. What
/// it needs before its first step, registers that are put aside and memory that is taken, it alone waits for: its
/// memory lies in it, and where nothing is left to do behind it, it is compiled as a function.
constexpr const char* kOwnCode = "own_code";

}  // namespace rx::lower
