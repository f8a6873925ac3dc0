// core/analysis: questions about a module that change nothing: is it well formed, what is free, what is pure, where
// symbolic variables come from.
//
// Well-formedness: the criteria of the Relax specification (well-formedness and normal form) and those that TVM v0.25
// adds (relax and TIR). What TVM refuses is an error; criteria of the specification that TVM does not check are
// warnings. Every finding has a rule, a place, and `context` "main, block 2, binding lv3".
#pragma once

#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"

namespace rx::analysis {

struct WellFormedOptions {
  bool checkStructInfo = true;  ///< deduce every call again and compare
  bool warnings = true;         ///< report what TVM does not check, too
  size_t maxFindings = 1000;
  CancelToken cancel;
};

/// All findings, in the order of the module's functions and their text; empty = well formed.
std::vector<Diagnostic> wellFormed(const ir::Module& module, const WellFormedOptions& options = {});

}  // namespace rx::analysis
