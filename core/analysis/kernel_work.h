// What a kernel does in a call: the buffers that it reads and writes, and how often it computes what.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/relax.h"

namespace rx::analysis {

/// How often something runs: a number times the extents of the loops around it that are no numbers, and one or zero for
/// each condition of sizes alone that it stands under.
struct Times {
  int64_t number = 1;
  std::vector<tir::PrimExpr> extents;
  bool inWhile = false;   ///< a loop around it ends by a condition
  bool overflow = false;  ///< the number does not fit

  void multiply(const tir::PrimExpr& extent);
  bool operator==(const Times& other) const;
};

/// Something that is computed `count` times wherever it stands; of a vector once for each lane.
struct Operation {
  std::string name;  ///< "add", "exp"
  Times times;
  int64_t count = 0;
  int flops = 0;  ///< operations of floating-point numbers that it is: two where it multiplies and adds
};

struct BufferUse {
  tir::BufferRef buffer;
  bool param = false;
  bool read = false;  ///< before the text writes it: what it holds from before, not what the kernel has put there
  bool written = false;
};

struct KernelWork {
  std::vector<BufferUse> buffers;     ///< parameters first, in order; then as they come in the text
  std::vector<Operation> operations;  ///< as they come in the text; indices count for nothing
  bool parallel = false;              ///< has loops that run on several threads
};

KernelWork workOf(const tir::PrimFunc& function);

/// Values of the variables of a kernel's signature.
using Sizes = std::unordered_map<const tir::Var*, int64_t>;
/// Floating-point operations of a call with these sizes; nothing where they can not be known before it runs.
std::optional<double> flopsOf(const KernelWork& work, const Sizes& sizes);

}  // namespace rx::analysis
