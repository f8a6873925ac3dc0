#include <map>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"
#include "core/script/json.h"
#include "core/script/print.h"

namespace rx::cli {

namespace {
struct PrintArguments {
  InputOptions input;
  script::PrintOptions print;
  bool json = false;
  bool hideMetadata = false;
  bool hideAnnotations = false;
};
}  // namespace

std::function<int()> setupPrint(CLI::App& command) {
  auto arguments = std::make_shared<PrintArguments>();
  addInputOptions(command, arguments->input);
  static const std::map<std::string, script::Dialect> kDialects = {
      {"v0.18", script::Dialect::V018}, {"v0.25", script::Dialect::V025}, {"v0.27", script::Dialect::V027}};
  command.add_option("--dialect", arguments->print.dialect, "era of the text that is written")
      ->transform(CLI::CheckedTransformer(kDialects).description("v0.18, v0.25 or v0.27"))
      ->option_text("ERA (v0.25)");
  command.add_flag("--json", arguments->json, "write the IR as JSON");
  command.add_flag("--no-metadata", arguments->hideMetadata, "leave out the data of constants");
  command.add_flag("--no-annotations", arguments->hideAnnotations, "leave out StructInfo that deduction gives again");
  return [arguments] {
    script::ParsedUnit unit = openUnit(arguments->input);
    const ir::Module& module = unit.module;
    if (!module) return kNo;
    if (arguments->json) return writeText("-", script::moduleToJson(module) + "\n");
    arguments->print.showMetadata = !arguments->hideMetadata;
    arguments->print.showAnnotations = !arguments->hideAnnotations;
    script::PrintResult printed = compile::printUnit(unit, arguments->print);
    report(printed.warnings, *module->sources);
    return writeText("-", printed.text + "\n");
  };
}

}  // namespace rx::cli
