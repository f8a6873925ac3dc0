// PartitionForLibrary: what a library of this machine computes becomes functions for it, which RunCodegen turns into
// calls of the library.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/library/library.h"
#include "core/transform/composite_functions.h"
#include "core/transform/library_call.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

Failure unknownLibrary(std::string_view name) {
  Diagnostic unknown =
      errorAt({}, "library.unknown", fmt::format("there is no library \"{}\"", escapedForDisplay(name)));
  for (const library::LibraryRow& row : library::libraries())
    unknown.fix += fmt::format("{}library=\"{}\" for {}", unknown.fix.empty() ? "" : ", or ", row.name, row.title);
  return fail(std::move(unknown));
}

/// How often each value that a variable is bound to is used; another name of it is more than one use.
using Uses = std::unordered_map<const Node*, int>;

Uses usesOfValues(const ir::IRModule& module) {
  std::unordered_map<const Node*, int> seen;
  Uses uses;
  std::vector<const relax::VarBinding*> bindings;
  for (const ir::BaseFunc& function : module.functions) {
    if (!isa<relax::Function>(function)) continue;
    walk(*function, Into::Parts, [&](const Node& node) {
      if (isa<relax::Var>(&node)) ++seen[&node];
      if (const auto* bound = as<relax::VarBinding>(&node)) {
        bindings.push_back(bound);
        // Who reads the other name is no part of what becomes a function, nor is its binding.
        if (isa<relax::Var>(bound->value)) ++seen[bound->value.get()];
      }
      return !isa<tir::ExprNode>(&node);
    });
  }
  // Where it is bound it stands as well.
  for (const relax::VarBinding* bound : bindings) uses[bound->value.get()] = seen[bound->var.get()] - 1;
  return uses;
}

/// Whether nothing else needs what is computed on the way to the value that was matched.
bool ownsItsParts(const analysis::PatternMatcher& match, const analysis::DataflowPattern& pattern, const Uses& uses) {
  const relax::Expr& whole = match.matched(pattern.root());
  for (const analysis::PatternId part : match.parts()) {
    const relax::Expr& value = match.matched(part);
    if (pattern.nodes[part].kind != analysis::PatternKind::Call || value == whole) continue;
    const auto used = uses.find(value.get());
    if (used != uses.end() && used->second > 1) return false;
  }
  return true;
}

}  // namespace

Result<ir::Module> partitionForLibrary(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(options, "library");
  const library::LibraryRow* library = library::findLibrary(name);
  if (!library) return unknownLibrary(name);
  if (const Result<Unit> open = library->open(); !open) {
    // A module that a library could compute faster is no wrong one: it is compiled as any other.
    for (Diagnostic why : open.diagnostics()) {
      why.severity = Severity::Note;
      why.notes.push_back({"the kernels are compiled here", {}});
      context.messages.push_back(std::move(why));
    }
    return module;
  }
  ir::Module now = module;
  Uses uses = usesOfValues(*now);
  for (const LibraryPattern& row : libraryPatterns(*library)) {
    RX_TRY(pattern, patternOption(row.text, row.name.view()));
    const auto check = [&](const analysis::PatternMatcher& match) {
      if (!ownsItsParts(match, pattern, uses)) return false;
      const auto valueOf = [&](const relax::Expr& expr) { return match.unwrapped(expr); };
      return libraryCall(*library, match.matched(pattern.root()), valueOf).has_value();
    };
    RX_TRY(grouped, groupByPattern(now, {row.name, pattern, check},
                                   {.pass = "PartitionForLibrary", .liftConstants = true, .entries = {}}, context));
    if (grouped == now) continue;
    now = grouped;
    uses = usesOfValues(*now);
  }
  return annotateCodegen(now, context);
}

}  // namespace rx::transform
