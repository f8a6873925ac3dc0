// From tensor expressions to a TIR function: stages in dependency order, a loop nest and a block each, with the regions
// that it reads and writes.
#pragma once

#include <variant>

#include "core/legalize/te.h"

namespace rx::te {

/// The private function with these parameters (tensors and scalars, the outputs among them) that computes `outputs`.
tir::PrimFuncRef makeFunction(const Graph& graph, const std::vector<std::variant<Tensor, tir::VarRef>>& params,
                              const std::vector<Tensor>& outputs);

/// Regions that a block's statements touch, in order of first occurrence; accesses to one buffer are joined.
struct Regions {
  Array<Ref<tir::BufferRegion>> reads, writes;
};
/// `init` may be null; with it, what the block writes is not a read.
Regions accessRegions(const tir::Stmt& init, const tir::Stmt& body);

}  // namespace rx::te
