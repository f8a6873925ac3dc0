// Functions that stand for one pattern (attribute Composite), and functions for another compiler (Codegen).
#pragma once

#include "core/analysis/pattern_groups.h"
#include "core/build/module_context.h"
#include "core/transform/grouped_functions.h"

namespace rx::transform {

/// The compiler of a composite function: what stands before the first point of its name ("dnnl" of "dnnl.relu").
/// Refused with pass.composite-name where there is none.
Result<Str> codegenOf(std::string_view composite);
/// The attribute Composite of a function that has one, else empty.
std::string_view compositeOf(const ir::BaseFunc& function);

/// The groups of what the pattern matches in functions that are not made so themselves, or in the chosen ones.
Result<analysis::FusionGroups> patternGroups(const ir::Module& module, const analysis::PatternToGroup& wanted,
                                             const std::vector<relax::GlobalVarRef>& chosen,
                                             const pass::PassContext& context);
/// Makes functions of what the pattern matches in functions that are not made so themselves, or in the chosen ones.
Result<ir::Module> groupByPattern(const ir::Module& module, const analysis::PatternToGroup& wanted,
                                  const Grouping& grouping, const pass::PassContext& context);

/// Puts a function for the compiler in the place of each composite one that is called: it holds and calls the composite
/// function, and carries Codegen and a global_symbol.
Result<ir::Module> annotateCodegen(const ir::Module& module, const pass::PassContext& context);

}  // namespace rx::transform
