// Where in a module a dataflow pattern matches.
#pragma once

#include "core/analysis/pattern.h"
#include "core/ir/module.h"
#include "core/support/cancel.h"

namespace rx::analysis {

/// A binding whose value the pattern matches, of a sequence the last one.
struct PatternPlace {
  relax::GlobalVarRef function;
  relax::Binding binding;
};

/// Every place, in the order of the text; bindings of branches and local functions too. Fewer where it is cancelled.
std::vector<PatternPlace> findPattern(const ir::IRModule& module, const DataflowPattern& pattern,
                                      const CancelToken& cancel = {});

}  // namespace rx::analysis
