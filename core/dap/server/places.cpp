// Places of the program as a client shows them: sources and lines.
#include <algorithm>
#include <filesystem>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"

namespace rx::dap {

namespace {

/// Lines that are looked at for one answer.
constexpr int64_t kMostLines = 10000;
/// Bindings of a function that have a location; the number of the function comes before theirs.
constexpr int64_t kMostLocations = 1 << 16;

}  // namespace

Source Adapter::sourceOf(uint32_t file) const {
  const auto& files = session_->program().stages.front()->files();
  Source source;
  if (file < files.size()) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(files[file], error).lexically_normal();
    source.path = path.string();
    source.name = path.filename().string();
  } else {
    source.name = session_->stage().title();
    source.sourceReference = session_->map().stage() + 1;
  }
  return source;
}

const debug::StageMap& Adapter::importedMap() {
  if (!importedMap_) importedMap_.emplace(session_->program(), 0);
  return *importedMap_;
}

Adapter::Place Adapter::placeOfInstruction(int64_t index) {
  const debug::Program& program = session_->program();
  const debug::Stage& imported = *program.stages.front();
  const auto shown = [&](const debug::StageBinding* binding) {
    return binding && binding->line > 0 && binding->file < imported.files().size();
  };
  const debug::StageBinding* binding = session_->stage().binding(session_->placeOf(index));
  if (!shown(binding)) binding = imported.binding(importedMap().placeOf(index));
  if (shown(binding)) return {sourceOf(binding->file), binding->line};
  const debug::Instruction& instruction = program.instructions[static_cast<size_t>(index)];
  const debug::VmFunction& vm = program.functions[static_cast<size_t>(instruction.function)];
  const int number = imported.functionIndex(vm.name);
  const auto* function = number < 0 ? nullptr : &imported.functions()[static_cast<size_t>(number)];
  const bool known = function && function->line > 0 && function->file < imported.files().size();
  if (known && instruction.op == debug::OpKind::Ret) return {sourceOf(function->file), function->lastLine};
  // What the compiler added belongs to the binding before it; before the first one, to the head of the function.
  const auto bindingAt = [&](int64_t at) { return imported.binding(importedMap().placeOf(at)); };
  for (int64_t at = index; at-- > vm.begin;)
    if (shown(bindingAt(at))) return {sourceOf(bindingAt(at)->file), bindingAt(at)->line};
  if (known) return {sourceOf(function->file), function->line};
  for (int64_t at = index; ++at < vm.end;)
    if (shown(bindingAt(at))) return {sourceOf(bindingAt(at)->file), bindingAt(at)->line};
  return {sourceOf(Span::kNone), 1};
}

int Adapter::sourceNumber(const Source& source) const {
  const std::string path = source.path.value_or(source.name.value_or(""));
  const auto& files = session_->program().stages.front()->files();
  // The same file, by whatever way; one of the same name is another one.
  const auto same = [&](const std::string& file) { return file == path || realPath(file) == realPath(path); };
  const auto at = std::find_if(files.begin(), files.end(), same);
  return path.empty() || at == files.end() ? -1 : static_cast<int>(at - files.begin());
}

Result<BreakpointLocationsBody> Adapter::breakpointLocations(const BreakpointLocationsArguments& arguments) {
  BreakpointLocationsBody body;
  const int file = sourceNumber(arguments.source);
  const int64_t last = std::min(arguments.endLine.value_or(arguments.line), arguments.line + kMostLines);
  int64_t before = 0;
  for (int64_t line = std::max<int64_t>(arguments.line, 1); file >= 0 && line <= last; ++line) {
    int64_t shown = line;
    const debug::Breakpoint there = atLine(static_cast<uint32_t>(file), static_cast<uint32_t>(line), &shown);
    // A line from which a breakpoint moves on is no place for one.
    if (!there.verified() || shown != line || shown == before) continue;
    body.breakpoints.push_back({line});
    before = shown;
  }
  return body;
}

Result<LoadedSourcesBody> Adapter::loadedSources(const Nothing&) {
  LoadedSourcesBody body;
  const auto& stages = session_->program().stages;
  for (size_t i = 0; i < stages.front()->files().size(); ++i)
    body.sources.push_back(sourceOf(static_cast<uint32_t>(i)));
  for (size_t i = 0; loaded_ && loaded_->print && i < stages.size(); ++i)
    body.sources.push_back({stages[i]->title(), {}, static_cast<int64_t>(i) + 1});
  return body;
}

Result<ModulesBody> Adapter::modules(const ModulesArguments& arguments) {
  const auto& stages = session_->program().stages;
  ModulesBody body;
  body.totalModules = static_cast<int64_t>(stages.size());
  const int64_t from = std::clamp<int64_t>(arguments.startModule, 0, body.totalModules);
  const int64_t most = arguments.moduleCount > 0 ? arguments.moduleCount : body.totalModules;
  for (int64_t i = from; i < body.totalModules && i - from < most; ++i)
    body.modules.push_back({i, stages[static_cast<size_t>(i)]->title()});
  return body;
}

std::optional<int64_t> Adapter::locationReference(debug::StagePlace place) const {
  const debug::StageBinding* binding = session_->stage().binding(place);
  if (!binding || binding->line == 0 || place.ordinal >= kMostLocations) return {};
  return int64_t{place.function} * kMostLocations + place.ordinal + 1;
}

Result<LocationsBody> Adapter::locations(const LocationsArguments& arguments) {
  const int64_t number = arguments.locationReference - 1;
  const debug::StagePlace place{static_cast<int>(std::clamp<int64_t>(number / kMostLocations, -1, INT32_MAX)),
                                static_cast<int>(number % kMostLocations)};
  const debug::StageBinding* binding = session_->stage().binding(place);
  if (!binding || binding->line == 0)
    return fail("dap.reference", "there is no location " + std::to_string(arguments.locationReference));
  return LocationsBody{sourceOf(binding->file), binding->line};
}

}  // namespace rx::dap
