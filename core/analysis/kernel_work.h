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
  tir::PrimExpr threadsIf = nullptr;  ///< threads share loops there only where this holds; null: always
  bool inWhile = false;               ///< a loop around it ends by a condition
  bool overflow = false;              ///< the number does not fit

  void multiply(const tir::PrimExpr& extent);
  bool operator==(const Times& other) const;
};

/// Something that is computed `count` times wherever it stands; of a vector once for each lane.
struct Operation {
  std::string name;  ///< "add", "exp"
  Times times;
  int64_t count = 0;
  int flops = 0;     ///< operations of floating-point numbers that it is: two where it multiplies and adds
  int integers = 0;  ///< the same of whole numbers
};

/// Bytes that are read, or written, wherever it stands.
struct Access {
  Times times;
  double bytes = 0;
};

struct BufferUse {
  tir::BufferRef buffer;
  bool param = false;
  bool read = false;  ///< before the text writes it: what it holds from before, not what the kernel has put there
  bool written = false;
  bool handedOn = false;  ///< given whole to a function that nobody looks into
  /// Those before the text writes it, and those that write; one for all that run equally often.
  std::vector<Access> reads = {}, writes = {};
};

struct KernelWork {
  std::vector<BufferUse> buffers;     ///< parameters first, in order; then as they come in the text
  std::vector<Operation> operations;  ///< as they come in the text; indices count for nothing
  std::vector<Times> shared;          ///< how often loops that threads share begin
  bool opaque = false;                ///< calls a function of which nobody knows what it does
};

KernelWork workOf(const tir::PrimFunc& function);

/// Values of the variables of a kernel's signature.
using Sizes = std::unordered_map<const tir::Var*, int64_t>;
/// Whether a call with these sizes may run on several threads.
bool runsOnThreads(const KernelWork& work, const Sizes& sizes);
/// Bytes of a buffer of so many that a call moves: no more than its accesses ask for, as of a table of which rows are
/// gathered, and no more than there are, once read and once written.
double bytesMoved(const BufferUse& use, double bytes, const Sizes& sizes);
/// Floating-point operations of a call with these sizes; nothing where they can not be known before it runs.
std::optional<double> flopsOf(const KernelWork& work, const Sizes& sizes);
/// The same of whole numbers, as products of bytes have them.
std::optional<double> integersOf(const KernelWork& work, const Sizes& sizes);

}  // namespace rx::analysis
