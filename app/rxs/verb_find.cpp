#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/reply.h"
#include "app/rxs/verbs.h"
#include "core/analysis/pattern_reader.h"
#include "core/analysis/pattern_search.h"
#include "core/support/diagnostic_json.h"

namespace rx::cli {

namespace {

struct FindArguments {
  InputOptions input;
  std::string pattern;
  bool asJson = false;
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

Reply::Json match(const analysis::PatternPlace& found, const SourceList& sources) {
  Reply::Json made = {{"function", found.function->name.string()}, {"binding", found.binding->var->name.string()}};
  addPlace(made, found.binding->span, sources);
  return made;
}

int find(const FindArguments& arguments, Reply& reply) {
  Reply::Json& matches = reply.fields()["matches"] = Reply::Json::array();
  const Result<analysis::DataflowPattern> pattern = analysis::readPattern(arguments.pattern);
  if (!pattern) {
    const SourceList text{make<SourceFile>("--pattern", arguments.pattern)};
    return reply.refuse(pattern.diagnostics(), text);
  }
  const ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  const std::vector<analysis::PatternPlace> places = analysis::findPattern(*module, *pattern);
  std::string out;
  for (const analysis::PatternPlace& found : places) {
    out += line(found, *module->sources);
    if (reply.asJson()) matches.push_back(match(found, *module->sources));
  }
  reply.print(out);
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
  addJsonOption(command, arguments->asJson,
                "\"matches\": [{\"function\", \"binding\", and where it is known its place as diagnostics have it}]");
  return [arguments] {
    Reply reply(arguments->asJson);
    return reply.finish(find(*arguments, reply));
  };
}

}  // namespace rx::cli
