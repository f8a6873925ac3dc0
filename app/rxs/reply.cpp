#include "app/rxs/reply.h"

#include "app/rxs/input.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/support/diagnostic_json.h"

namespace rx::cli {

void Reply::report(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  if (!asJson_) return cli::report(diagnostics, sources);
  for (Json& each : diagnosticsJson(diagnostics, sources)) diagnostics_.push_back(std::move(each));
}

int Reply::refuse(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  report(diagnostics, sources);
  return kNo;
}

int Reply::refuseJson(const Json& diagnostics) {
  if (!asJson_)
    tell(renderDiagnosticsJson(diagnostics));
  else
    for (const Json& each : diagnostics) diagnostics_.push_back(each);
  return kNo;
}

void Reply::print(const std::string& text) const {
  if (!asJson_) writeText("-", text);
}

int Reply::finish(int code) {
  if (!asJson_) return code;
  Json answer = {{"ok", code == kYes}};
  answer.update(fields_);
  answer["diagnostics"] = std::move(diagnostics_);
  // Names of an input may hold bytes that are no UTF-8.
  const std::string text = answer.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return writeText("-", text) == kYes ? code : kNo;
}

void addJsonOption(CLI::App& command, bool& asJson, const char* fields) {
  command.add_flag("--json", asJson, "answer with one JSON object on standard output, see below");
  command.footer(fmt::format(
      "With --json the answer is {{\"ok\": whether the exit code is 0, {}, \"diagnostics\": [{{\"severity\": "
      "\"error\", "
      "\"warning\" or \"note\", \"rule\", \"message\"; where they are known \"file\", \"line\", \"column\", "
      "\"endLine\", "
      "\"endColumn\" (from 1), \"context\", \"fix\", \"notes\": [{{\"message\", and its place}}]}}]}}. Standard error "
      "then has none of these.",
      fields));
}

}  // namespace rx::cli
