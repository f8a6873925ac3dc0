#include <fmt/ranges.h>

#include <map>

#include "app/rxs/arguments.h"
#include "app/rxs/compile_options.h"
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/compile/compile.h"
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
  CompileArguments compile;
  std::string as;  ///< a language of devices; empty: the text of the module
};

/// What the driver of a device compiles, of a module that is compiled for it.
int printDeviceText(const PrintArguments& arguments, const ir::Module& module) {
  CompileArguments compiling = arguments.compile;
  if (compiling.target.empty()) {
    for (const codegen::DeviceLanguage& language : codegen::deviceLanguages()) {
      if (language.name == arguments.as) compiling.target = language.target;
    }
  }
  Result<compile::Request> request = requestFor(module, compiling);
  if (!request) return refuse(request.diagnostics());
  const codegen::DeviceLanguage* language = codegen::languageOf(request->target->kind());
  if (language && language->name != arguments.as) {
    return refuse(
        {errorAt({}, "codegen.target",
                 fmt::format("the drivers of {} take {}, not {}", language->target, language->name, arguments.as))});
  }
  Result<compile::Program> program = compile::compile(*request, {});
  if (!program) return refuse(program.diagnostics(), *module->sources);
  Result<codegen::ModuleText> text = compile::deviceTextOf(*program, {});
  if (!text) return refuse(text.diagnostics(), *module->sources);
  const int written = writeText("-", text->code.text);
  return text->left.empty() ? written : refuse(text->left, *module->sources);
}
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
  std::vector<std::string> languages, targets;
  for (const codegen::DeviceLanguage& language : codegen::deviceLanguages()) {
    languages.emplace_back(language.name);
    targets.push_back(fmt::format("{} for {}", language.target, language.name));
  }
  CLI::Option* as =
      command
          .add_option("--as", arguments->as,
                      fmt::format("write the kernels as the driver of a device takes them, compiled for a target that "
                                  "takes this language ({}), or for the one that --target names",
                                  fmt::join(targets, "; ")))
          ->check(CLI::IsMember(languages));
  addCompileOptions(command, arguments->compile);
  for (const char* option : {"--passes", "--precise", "--fast-reduce", "--target", "--mode", "--opt-level",
                             "--unchecked", "--no-kernel-cache"}) {
    command.get_option(option)->needs(as);
  }
  command.add_flag("--no-annotations", arguments->hideAnnotations, "leave out StructInfo that deduction gives again");
  return [arguments] {
    script::ParsedUnit unit = openUnit(arguments->input);
    const ir::Module& module = unit.module;
    if (!module) return kNo;
    if (!arguments->as.empty()) return printDeviceText(*arguments, module);
    if (arguments->json) return writeText("-", script::moduleToJson(module) + "\n");
    arguments->print.showMetadata = !arguments->hideMetadata;
    arguments->print.showAnnotations = !arguments->hideAnnotations;
    script::PrintResult printed = compile::printUnit(unit, arguments->print);
    report(printed.warnings, *module->sources);
    return writeText("-", printed.text + "\n");
  };
}

}  // namespace rx::cli
