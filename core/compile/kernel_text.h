// A PrimFunc as text whose lines know where they came from.
#pragma once

#include <string>
#include <vector>

#include "core/ir/relax.h"
#include "core/support/source.h"

namespace rx::compile {

/// Numbers of lines, from 1, ascending.
using Lines = std::vector<uint32_t>;

struct KernelText {
  /// Its statements, and what they compute, have their places in `source`; else it is what was printed.
  tir::PrimFuncRef function;
  Ref<SourceFile> source;
  uint32_t file = 0;  ///< what those places name as their file: a number of this text alone
  /// By line, the first at 0: the lines of the text before that it was made of. A store of which no pass kept that
  /// has those of the stores in the block of its name.
  std::vector<Lines> from;

  uint32_t lineOf(const Span& span) const { return span.file == file ? source->lineColumn(span.begin).line : 0; }
};

/// The function as text. Where it was made of that of `before`, whose places it still carries, its lines are linked to
/// those; null for the first.
KernelText kernelText(const std::string& name, const tir::PrimFuncRef& made, const KernelText* before);

}  // namespace rx::compile
