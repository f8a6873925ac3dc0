// rxs translate: a module in the language that code is generated from, as text.
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"

namespace rx::cli {

namespace {
struct TranslateArguments {
  InputOptions input;
  std::string output;
  script::PrintOptions print;
};

int runTranslate(const TranslateArguments& arguments) {
  const ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  const Result<ir::Module> translated = compile::compiledForm(module);
  if (!translated) return refuse(translated.diagnostics(), *module->sources);
  const std::vector<Diagnostic> findings = compile::wellFormed(*translated);
  if (!findings.empty()) return refuse(findings, *module->sources);
  const script::PrintResult printed = script::printModule(*translated, arguments.print);
  report(printed.warnings, *module->sources);
  return writeText(arguments.output, printed.text + "\n");
}
}  // namespace

std::function<int()> setupTranslate(CLI::App& command) {
  auto arguments = std::make_shared<TranslateArguments>();
  addInputOptions(command, arguments->input);
  command.add_option("-o,--output", arguments->output, "file for the text (default: standard output)");
  return [arguments] { return runTranslate(*arguments); };
}

}  // namespace rx::cli
