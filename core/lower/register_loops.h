// Which loops of a device's kernel become copies of their body.
#pragma once

#include "core/ir/stmt.h"

namespace rx::lower {

/// A schedule asks for short loops of a part to be unrolled, as TVM's pragma has it. For a device that is done where it
/// is needed: the loops that index the memory of a thread, which is registers then, are marked; the others stay loops,
/// which the compiler of the device unrolls as far as it gains by it, and which are a tenth of the text until then.
tir::Stmt withRegisterLoops(const tir::Stmt& body);

}  // namespace rx::lower
