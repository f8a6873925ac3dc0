#include "core/codegen/line_marks.h"

#include <llvm/IR/Module.h>

namespace rx::codegen {

LineMarks::LineMarks(llvm::Module& module, const SourceFile& text, uint32_t file)
    : builder_(module), text_(text), file_(file), source_(builder_.createFile(text.name(), "")) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // Lines alone, and only where a text of assembly can show them: nothing else is to change by it.
  builder_.createCompileUnit(llvm::dwarf::DW_LANG_C, source_, "rxs", /*isOptimized=*/false, "", 0, "",
                             llvm::DICompileUnit::DebugDirectivesOnly);
}

void LineMarks::add(llvm::Function& function) {
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  function.setSubprogram(builder_.createFunction(source_, function.getName(), function.getName(), source_, 1, type, 1,
                                                 llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
}

llvm::DebugLoc LineMarks::at(const llvm::Function& function, const Span& place) const {
  const unsigned line = place.file == file_ ? text_.lineColumn(place.begin).line : 1;
  return llvm::DILocation::get(function.getContext(), line, 0, function.getSubprogram());
}

}  // namespace rx::codegen
