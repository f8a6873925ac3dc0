// Which line of a kernel's text each instruction is of, as LLVM carries it along: debug locations. Only files that make
// modules of LLVM include this header, because of LLVM's.
#pragma once

#include <llvm/IR/DIBuilder.h>

#include "core/support/source.h"

namespace rx::codegen {

class LineMarks {
 public:
  /// Places of statements that name `file` are places in `text`.
  LineMarks(llvm::Module& module, const SourceFile& text, uint32_t file);
  /// A function that is about to be filled: its instructions can have lines from here on.
  void add(llvm::Function& function);
  /// What an instruction of the function carries for a statement there; of the first line for one without a place.
  llvm::DebugLoc at(const llvm::Function& function, const Span& place) const;
  /// All functions are filled.
  void finish() { builder_.finalize(); }

 private:
  llvm::DIBuilder builder_;
  const SourceFile& text_;
  uint32_t file_;
  llvm::DIFile* source_;
};

}  // namespace rx::codegen
