#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/analysis/pattern_reader.h"
#include "core/analysis/pattern_search.h"

namespace rx::cli {

namespace {

struct FindArguments {
  InputOptions input;
  std::string pattern;
};

/// `FILE:LINE:COLUMN: FUNCTION BINDING`; without the place where the binding has none.
std::string line(const analysis::PatternPlace& found, const SourceList& sources) {
  std::string place;
  const Span& span = found.binding->span;
  if (span.file < sources.size()) {
    const SourceFile& source = *sources[span.file];
    const LineColumn at = source.lineColumn(span.begin);
    place = fmt::format("{}:{}:{}: ", escapedForDisplay(source.name()), at.line, at.column);
  }
  return fmt::format("{}{} {}\n", place, escapedForDisplay(found.function->name.view()),
                     escapedForDisplay(found.binding->var->name.view()));
}

int find(const FindArguments& arguments) {
  const Result<analysis::DataflowPattern> pattern = analysis::readPattern(arguments.pattern);
  if (!pattern) {
    const SourceList text{make<SourceFile>("--pattern", arguments.pattern)};
    return refuse(pattern.diagnostics(), text);
  }
  const ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  const std::vector<analysis::PatternPlace> places = analysis::findPattern(*module, *pattern);
  std::string out;
  for (const analysis::PatternPlace& found : places) out += line(found, *module->sources);
  if (writeText("-", out) != kYes) return kNo;
  return places.empty() ? kNo : kYes;
}

}  // namespace

std::function<int()> setupFind(CLI::App& command) {
  auto arguments = std::make_shared<FindArguments>();
  addInputOptions(command, arguments->input);
  command
      .add_option("--pattern", arguments->pattern,
                  "what to look for, as text of tvm.relax.dpl: 'is_op(\"relax.add\")(wildcard(), is_const())'")
      ->required();
  return [arguments] { return find(*arguments); };
}

}  // namespace rx::cli
