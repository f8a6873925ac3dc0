#include "app/rxs/input.h"

#include <cstdio>
#include <filesystem>

#include "app/rxs/reply.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/weights.h"
#include "core/import/phase_dumps.h"
#include "core/import/printed_stages.h"
#include "core/support/file.h"
#include "core/support/text_names.h"

namespace rx::cli {
namespace {

Result<ir::Module> withCounts(const ir::Module& module, const std::vector<std::string>& texts) {
  std::vector<compile::InputCount> counts;
  for (const std::string& text : texts) {
    RX_TRY(count, compile::readInputCount(text));
    counts.push_back(std::move(count));
  }
  return compile::withInputCounts(module, counts);
}

}  // namespace

void addInputOptions(CLI::App& command, InputOptions& options) {
  command
      .add_option("file", options.path,
                  "a text of TVMScript or Relay, a folder that holds module.py or module.relay, a folder "
                  "of stages, or a log that stages were printed to")
      ->required();
  command.add_option("--module", options.module, "name of the module or function, where the file holds several");
  addInputCounts(command, options);
  command.add_option("--stage", options.stage, "number or name of the stage, where the folder or the log holds stages");
}

void addInputCounts(CLI::App& command, InputOptions& options) {
  command
      .add_option("--num-input", options.inputs,
                  "FUNCTION=N: its first N parameters are inputs and the others weights, as num_input of the text says "
                  "it; once for each function")
      ->allow_extra_args(false);
}

std::string moduleFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  return moduleIn(path).value_or((std::filesystem::path(path) / "module.py").string());
}

bool holdsStages(const std::string& path) {
  std::error_code error;
  const bool isModule = std::filesystem::is_directory(path, error) && std::filesystem::exists(moduleFile(path), error);
  return !isModule && import::looksLikeHistory(path);
}

std::string besideModule(const std::string& path, const std::string& stem) {
  return arraysIn(std::filesystem::path(moduleFile(path)).parent_path().string(), stem).value_or(std::string());
}

ir::Module openModule(const InputOptions& options, Reply& reply) { return openUnit(options, reply).module; }

ir::Module openModule(const InputOptions& options) { return openUnit(options).module; }

script::ParsedUnit openUnit(const InputOptions& options) {
  Reply reply;
  return openUnit(options, reply);
}

script::ParsedUnit openUnit(const InputOptions& options, Reply& reply) {
  std::string path = moduleFile(options.path);
  const std::string stage = options.stage.empty() ? "0" : options.stage;
  const bool hasStages = options.module.empty() && holdsStages(options.path);
  std::error_code error;
  const bool inFolder = hasStages && std::filesystem::is_directory(options.path, error);
  if (inFolder) {
    Result<std::string> file = import::stageFile(options.path, stage);
    if (!file) {
      reply.report(file.diagnostics(), {});
      return {};
    }
    path = *file;
  }
  Result<std::string> text = readFile(path);
  if (!text) {
    reply.report(text.diagnostics(), {});
    return {};
  }
  auto source = make<SourceFile>(path, std::move(*text));
  script::ParseOptions parse;
  parse.name = options.module;
  Result<script::ParsedUnit> unit =
      hasStages && !inFolder ? import::printedStage(source, stage) : compile::readUnit(source, parse);
  if (!unit) {
    reply.report(unit.diagnostics(), {source});
    return {};
  }
  reply.report(unit->diagnostics, {source});  // warnings
  giveOwnOrigins(*unit->module);
  const Result<ir::Module> told = withCounts(unit->module, options.inputs);
  if (!told) {
    reply.report(told.diagnostics(), {});
    return {};
  }
  unit->module = *told;
  return *unit;
}

void report(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  std::string text = renderDiagnostics(diagnostics, sources);
  tell(text);
}

int refuse(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  report(diagnostics, sources);
  return kNo;
}

int writeText(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    say(text);
    return kYes;
  }
  Result<Unit> written = writeFile(path, text);
  return written ? kYes : refuse(written.diagnostics());
}

}  // namespace rx::cli
