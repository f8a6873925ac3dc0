#include "app/rxs/pipeline_text.h"

#include <fmt/format.h>

#include "core/support/file.h"

namespace rx::cli {

Result<Ref<SourceFile>> pipelineText(const std::string& given) {
  if (!given.starts_with('@')) return make<SourceFile>("--passes", given);
  const std::string path = given.substr(1);
  RX_TRY(text, readFile(path));
  return make<SourceFile>(path, std::move(text));
}

std::vector<Diagnostic> placedIn(const Ref<SourceFile>& pipeline, std::vector<Diagnostic> diagnostics) {
  for (Diagnostic& each : diagnostics) {
    if (!each.span.known()) continue;
    const LineColumn at = pipeline->lineColumn(each.span.begin);
    each.context = fmt::format("{}, line {}, column {}", pipeline->name(), at.line, at.column);
    each.span = {};
  }
  return diagnostics;
}

}  // namespace rx::cli
