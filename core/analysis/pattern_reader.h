// Dataflow patterns as text: one expression of tvm.relax.dpl, which is read and never evaluated.
#pragma once

#include <string_view>

#include "core/analysis/pattern.h"
#include "core/support/result.h"

namespace rx::analysis {

/// Parentheses, calls and lists may nest so deep.
constexpr int kMaxPatternNesting = 1000;

/// `is_op("relax.nn.relu")((p0 := is_op("relax.nn.conv2d")(wildcard(), is_const())))`: functions and methods of the
/// module, `|`, `&`, `~`, `^`, `>>`, fields by `[0]`, names by `:=`. Spans of diagnostics are places in `text` (file
/// 0).
Result<DataflowPattern> readPattern(std::string_view text);

}  // namespace rx::analysis
