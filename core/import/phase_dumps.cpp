#include "core/import/phase_dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/script/parse.h"
#include "core/script/print.h"
#include "core/support/file.h"

namespace rx::import {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
constexpr const char* kIndexName = "history.json";

Json findingsJson(const std::vector<Diagnostic>& findings) {
  Json list = Json::array();
  for (const Diagnostic& finding : findings) {
    list.push_back({{"rule", finding.rule}, {"message", finding.message}, {"context", finding.context}});
  }
  return list;
}

Json stepJson(const pass::StepRecord& step, const std::string& file) {
  Json changes = Json::array();
  for (const pass::FunctionChange& change : step.changes) {
    changes.push_back({{"function", change.name.string()}, {"net", change.netSize}});
  }
  return {{"file", file},
          {"pass", step.name},
          {"call", step.call},
          {"milliseconds", step.milliseconds},
          {"changes", changes},
          {"verified", step.verified},
          {"verdict", findingsJson(step.verdict)},
          {"messages", findingsJson(step.messages)}};
}

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

std::vector<std::string> stageFiles(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".py" && entry.path().filename() != "make.py")
      names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end(), naturalLess);
  return names;
}

struct StageFile {
  std::string file, pass, call;
  double milliseconds = 0;
};

/// The stages in order; without an index, or with one that does not parse, by file name.
std::vector<StageFile> stagesOf(const std::string& folder) {
  std::vector<StageFile> stages;
  Result<std::string> text = readFile((fs::path(folder) / kIndexName).string());
  Json index = text ? Json::parse(*text, nullptr, false) : Json();
  if (index.is_object() && index.contains("stages") && index["stages"].is_array()) {
    for (const Json& stage : index["stages"]) {
      if (!stage.is_object()) continue;
      StageFile read;
      read.file = fs::path(stage.value("file", "")).filename().string();
      read.pass = stage.value("pass", read.file);
      read.call = stage.value("call", read.pass);
      read.milliseconds =
          stage.contains("milliseconds") && stage["milliseconds"].is_number() ? stage["milliseconds"].get<double>() : 0;
      if (!read.file.empty()) stages.push_back(std::move(read));
    }
  }
  if (!stages.empty()) return stages;
  for (const std::string& name : stageFiles(folder))
    stages.push_back({name, fs::path(name).stem(), fs::path(name).stem(), 0});
  return stages;
}

Result<ir::Module> readStage(const std::string& path) {
  RX_TRY(text, readFile(path));
  auto source = make<SourceFile>(path, std::move(text));
  Result<ir::Module> module = script::parseModule(source, {});
  if (module) return module;
  // The caller has no list of sources for the files of a folder, so the places go into the messages.
  std::vector<Diagnostic> placed;
  for (Diagnostic diagnostic : module.diagnostics()) {
    LineColumn at = source->lineColumn(diagnostic.span.begin);
    diagnostic.message = fmt::format("{}:{}:{}: {}", path, at.line, at.column, diagnostic.message);
    diagnostic.span = {};
    placed.push_back(std::move(diagnostic));
  }
  return fail(std::move(placed));
}

}  // namespace

Result<Unit> writeHistory(const pass::History& history, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("file.write", fmt::format("{}: {}", folder, error.message()));
  Json stages = Json::array();
  auto write = [&](const std::string& name, const ir::Module& module) {
    return writeFile((fs::path(folder) / name).string(), script::printModule(module).text + "\n");
  };
  std::string first = "00_imported.py";
  RX_CHECK(write(first, history.imported));
  stages.push_back({{"file", first}, {"pass", "imported"}});
  for (size_t i = 0; i < history.steps.size(); ++i) {
    const pass::StepRecord& step = history.steps[i];
    std::string name = step.failed() ? std::string() : fmt::format("{:02}_{}.py", i + 1, step.name);
    if (!step.failed()) RX_CHECK(write(name, step.after));
    stages.push_back(stepJson(step, name));
  }
  Json index = {{"format", "relaxscope pass history"}, {"version", 1}, {"stages", stages}};
  return writeFile((fs::path(folder) / kIndexName).string(), index.dump(1) + "\n");
}

Result<pass::History> readHistory(const std::string& folder) {
  std::vector<StageFile> stages = stagesOf(folder);
  if (stages.empty()) return fail("import.no-stages", fmt::format("{}: no .py files to read as stages", folder));
  pass::History history;
  ir::Module before;
  for (const StageFile& stage : stages) {
    RX_TRY(module, readStage((fs::path(folder) / stage.file).string()));
    if (!history.imported) {
      history.imported = before = module;
      continue;
    }
    pass::StepRecord step;
    step.name = stage.pass;
    step.call = stage.call;
    step.milliseconds = stage.milliseconds;
    step.before = before;
    step.after = module;
    step.changes = pass::changedByStructure(before, module);
    for (const ir::BaseFunc& function : module->functions) step.nodesAfter += pass::sizeOf(function);
    before = module;
    history.steps.push_back(std::move(step));
  }
  return history;
}

bool looksLikeHistory(const std::string& folder) {
  std::error_code error;
  return fs::exists(fs::path(folder) / kIndexName, error) || stageFiles(folder).size() >= 2;
}

}  // namespace rx::import
