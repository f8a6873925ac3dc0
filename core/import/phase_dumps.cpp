#include "core/import/phase_dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/compile/request/languages.h"
#include "core/import/printed_stages.h"
#include "core/import/stage_choice.h"
#include "core/pass/step_json.h"
#include "core/script/outline.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/file_set.h"
#include "core/support/text_names.h"
#include "core/support/thread_pool.h"

namespace rx::import {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr const char* kIndexName = "history.json";
constexpr const char* kFormat = "relaxscope pass history";
constexpr int kVersion = 1;
constexpr uint64_t kMostText = uint64_t{256} << 20;

/// Numbers in names compare as numbers, so that phase10 follows phase9.
bool naturalLess(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    size_t iEnd = i, jEnd = j;
    while (iEnd < a.size() && digit(a[iEnd])) ++iEnd;
    while (jEnd < b.size() && digit(b[jEnd])) ++jEnd;
    std::string x = a.substr(i, iEnd - i), y = b.substr(j, jEnd - j);
    x.erase(0, std::min(x.find_first_not_of('0'), x.size()));
    y.erase(0, std::min(y.find_first_not_of('0'), y.size()));
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    i = iEnd, j = jEnd;
  }
  return a.size() - i < b.size() - j;
}

/// A name of a text file says nothing of what is in it; what is no module (notes, a log) is no stage.
bool isStage(const fs::path& file) {
  const std::string name = file.filename();
  // Hidden files are what editors and other systems leave beside those that they copy.
  std::error_code error;
  if (name.starts_with('.') || name == "make.py" || fs::is_directory(file, error)) return false;
  if (isTextName(name)) return true;
  constexpr std::string_view kPlainEnding = ".txt", kRelayHead = "#[version";
  if (!name.ends_with(kPlainEnding)) return false;
  const Result<std::string> text = readFile(file.string(), kMostText);
  if (!text || text->find('@') == std::string::npos) return false;
  return text->starts_with(kRelayHead) || !script::outlineOf(*text).units.empty();
}

std::vector<std::string> stageFiles(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (isStage(entry.path())) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end(), naturalLess);
  return names;
}

/// What a pass that failed had to say, as `stepJson` writes it.
std::vector<Diagnostic> findingsOf(const Json& stage) {
  std::vector<Diagnostic> findings;
  const auto list = stage.find("messages");
  if (list == stage.end() || !list->is_array()) return findings;
  auto text = [](const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  for (const Json& finding : *list) {
    if (!finding.is_object()) continue;
    findings.push_back(errorAt({}, text(finding, "rule"), text(finding, "message")));
    findings.back().context = text(finding, "context");
  }
  return findings;
}

DumpedStage stageOf(const Json& stage, const std::string& folder) {
  auto told = [&](const char* key) {
    const auto found = stage.find(key);
    return found != stage.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  DumpedStage read;
  const fs::path file = fs::path(told("file")).filename();
  read.name = told("pass").empty() ? file.stem().string() : told("pass");
  read.call = told("call");
  if (!file.empty()) read.file = (fs::path(folder) / file).string();
  if (file.empty()) read.diagnostics = findingsOf(stage);
  if (stage.contains("milliseconds") && stage["milliseconds"].is_number())
    read.milliseconds = stage["milliseconds"].get<double>();
  return read;
}

/// A folder of stages, kept from writers while they are read.
struct StageFolder {
  std::optional<FileSet> set;  ///< where the folder has an index
  std::vector<DumpedStage> stages;
};

/// The stages in order, not yet read; without an index, by file name. Fails with file.set and import.history.
Result<StageFolder> stagesOf(const std::string& folder) {
  StageFolder found;
  if (FileSet::isThere(folder, kIndexName)) {
    RX_TRY(set, FileSet::open(folder, kIndexName));
    const Json& index = set.index();
    const auto stages = index.find("stages");
    if (index.value("format", Json()) != kFormat || index.value("version", Json()) != kVersion ||
        stages == index.end() || !stages->is_array())
      return fail("import.history", fmt::format("{}/{}: is not the history of a folder of stages, or not of version {}",
                                                escapedForDisplay(folder), kIndexName, kVersion));
    // A stage that is not what was written is one that can not be read; the others can.
    if (set.isSealed()) RX_CHECK(set.checkIndex());
    for (const Json& stage : *stages) {
      if (!stage.is_object()) continue;
      found.stages.push_back(stageOf(stage, folder));
      if (found.stages.back().file.empty() && found.stages.back().diagnostics.empty()) found.stages.pop_back();
    }
    found.set.emplace(std::move(set));
    return found;
  }
  for (const std::string& name : stageFiles(folder)) {
    DumpedStage stage;
    stage.name = fs::path(name).stem();
    stage.file = (fs::path(folder) / name).string();
    found.stages.push_back(std::move(stage));
  }
  return found;
}

/// Whether the text of a stage is what was written.
Result<Unit> checkStage(const StageFolder& folder, const DumpedStage& stage) {
  if (!folder.set || !folder.set->isSealed() || stage.file.empty()) return Unit{};
  return folder.set->checkContent(fs::path(stage.file).filename());
}

void readStage(const StageFolder& folder, DumpedStage& stage, const CancelToken& cancel) {
  if (stage.file.empty()) return;
  if (const Result<Unit> whole = checkStage(folder, stage); !whole) {
    stage.diagnostics = whole.diagnostics();
    return;
  }
  Result<std::string> text = readFile(stage.file, kMostText);
  if (!text) {
    stage.diagnostics = text.diagnostics();
    return;
  }
  stage.source = make<SourceFile>(stage.file, std::move(*text));
  script::ParseOptions options;
  options.cancel = cancel;
  Result<script::ParsedUnit> unit = compile::readUnit(stage.source, options);
  stage.diagnostics = unit ? unit->diagnostics : unit.diagnostics();
  if (unit) stage.module = unit->module;
  if (!holdsPrintedStages(stage.source->text())) return;
  Diagnostic several =
      errorAt({}, "import.several", "the file holds several modules of one name: this is the last one");
  several.severity = Severity::Warning;
  several.fix = "open the file by itself, as a history of its own";
  stage.diagnostics.push_back(std::move(several));
}

/// What changed from stage to stage, and how large each is.
void compareStages(std::vector<DumpedStage>& stages) {
  ir::Module before;
  for (DumpedStage& stage : stages) {
    if (stage.refused()) continue;
    for (const ir::BaseFunc& function : stage.module->functions) stage.nodes += pass::sizeOf(function);
    if (before) stage.changes = pass::changedByStructure(before, stage.module);
    before = stage.module;
  }
}

Result<std::vector<DumpedStage>> readPrinted(const std::string& file, const CancelToken& cancel) {
  RX_TRY(text, readFile(file, kMostText));
  const auto source = make<SourceFile>(file, std::move(text));
  std::vector<DumpedStage> stages;
  for (PrintedStage& printed : printedStages(source, cancel)) {
    DumpedStage& stage = stages.emplace_back();
    stage.name = std::move(printed.name);
    stage.file = file;
    stage.source = source;
    stage.module = printed.unit.module;
    stage.diagnostics = std::move(printed.unit.diagnostics);
  }
  return stages;
}

}  // namespace

Result<Unit> writeHistory(const pass::History& history, const std::string& folder) {
  RX_TRY(set, FileSetWriter::begin(folder, kIndexName));
  Json stages = Json::array();
  auto write = [&](const std::string& name, const ir::Module& module) -> Result<Unit> {
    RX_TRY(path, set.place(name));
    return writeFile(path, compile::moduleText(module) + "\n");
  };
  std::string first = fmt::format("00_imported{}", compile::endingOf(history.imported));
  RX_CHECK(write(first, history.imported));
  stages.push_back({{"file", first}, {"pass", "imported"}});
  for (size_t i = 0; i < history.steps.size(); ++i) {
    const pass::StepRecord& step = history.steps[i];
    std::string name =
        step.failed() ? std::string() : fmt::format("{:02}_{}{}", i + 1, step.name, compile::endingOf(step.after));
    if (!step.failed()) RX_CHECK(write(name, step.after));
    Json stage = {{"file", name}};
    stage.update(pass::stepJson(step, *history.imported->sources));
    stages.push_back(std::move(stage));
  }
  return set.commit({{"format", kFormat}, {"version", kVersion}, {"stages", stages}});
}

Result<std::vector<DumpedStage>> readStages(const std::string& path, const CancelToken& cancel) {
  std::vector<DumpedStage> stages;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    RX_TRY(found, stagesOf(path));
    ThreadPool pool;
    parallelFor(pool, found.stages.size(), cancel, [&](size_t i) { readStage(found, found.stages[i], cancel); });
    stages = std::move(found.stages);
  } else {
    RX_TRY(printed, readPrinted(path, cancel));
    stages = std::move(printed);
  }
  if (stages.empty()) return fail("import.no-stages", fmt::format("{}: no texts to read as stages", path));
  if (cancel.cancelled()) return fail("import.cancelled", "reading the stages was cancelled");
  compareStages(stages);
  return stages;
}

Result<std::string> stageFile(const std::string& folder, const std::string& stage) {
  RX_TRY(known, stagesOf(folder));
  const std::optional<size_t> number = stageNumber(stage);
  std::string names;
  for (size_t i = 0; i < known.stages.size(); ++i) {
    const DumpedStage& found = known.stages[i];
    if (number ? *number == i : found.name == stage || fs::path(found.file).filename() == stage) {
      RX_CHECK(checkStage(known, found));
      if (!found.file.empty()) return found.file;
      return fail("import.stage", fmt::format("stage {} ({}) failed when the folder was written", i, found.name));
    }
    names += fmt::format("{}{} {}", i ? ", " : "", i, found.name);
  }
  return fail(noStage(folder, stage, names));
}

bool looksLikeHistory(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return FileSet::isThere(path, kIndexName) || stageFiles(path).size() >= 2;
  const Result<std::string> text = readFile(path, kMostText);
  return text && holdsPrintedStages(*text);
}

}  // namespace rx::import
