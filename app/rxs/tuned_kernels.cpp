#include "app/rxs/tuned_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/codegen/kernels.h"
#include "core/ir/all_nodes.h"
#include "core/script/print.h"
#include "core/support/file.h"
#include "core/support/text_lines.h"
#include "core/support/thread_pool.h"

namespace rx::cli {

namespace {

using Json = nlohmann::ordered_json;
using schedule::Choices;

/// The same kernel, measured twice, may differ by that much.
constexpr double kGain = 0.98;

/// What makes numbers of one machine and version say nothing of another.
Json circumstances(const target::Target& target) {
  return {{"version", fmt::format("{}, LLVM {}", RX_VERSION, codegen::compilerVersion())},
          {"processor", codegen::processorName()},
          {"threads", processorCount()},
          {"target", target.json()}};
}

Json asJson(const Choices& choices) {
  Json made = Json::object();
  for (const schedule::ChoiceRow& row : schedule::choiceRows()) {
    if (choices.*row.field != row.fallback) made[row.name] = choices.*row.field;
  }
  return made;
}

/// The trial of a line; why there is none.
Result<Trial> trialOf(const Json& line) {
  const auto damaged = [](std::string_view what) { return fail("tune.ignored", std::string(what)); };
  Trial trial;
  for (const auto& [field, text] : {std::pair("kernel", &trial.kernel), std::pair("key", &trial.key)}) {
    if (!line.contains(field) || !line[field].is_string()) return damaged(fmt::format("it has no text \"{}\"", field));
    *text = line[field].get<std::string>();
  }
  if (!line.contains("microseconds") || !line["microseconds"].is_number())
    return damaged("it has no number \"microseconds\"");
  trial.microseconds = line["microseconds"].get<double>();
  if (!(trial.microseconds > 0)) return damaged("its time is not positive");
  const Json sizes = line.value("sizes", Json::object());
  if (!sizes.is_object()) return damaged("its \"sizes\" are no object");
  for (const auto& [name, size] : sizes.items()) {
    if (!size.is_number_integer()) return damaged(fmt::format("the size {} is no whole number", name));
    trial.sizes[name] = size.get<int64_t>();
  }
  if (!line.contains("choices") || !line["choices"].is_object()) return damaged("it has no object \"choices\"");
  std::vector<std::pair<Str, NodeRef>> entries;
  for (const auto& [name, value] : line["choices"].items()) {
    if (!value.is_number_integer()) return damaged(fmt::format("{} is no whole number", name));
    entries.emplace_back(Str(name), ir::intAttr(value.get<int64_t>()));
  }
  auto choices = schedule::choicesOf(make<ir::DictAttrs>(entries));
  if (!choices) return damaged(choices.diagnostics().front().message);
  trial.choices = *choices;
  return trial;
}

Diagnostic note(std::string message) {
  Diagnostic said = warningAt({}, "tune.ignored", std::move(message));
  said.severity = Severity::Note;
  return said;
}

}  // namespace

Result<TunedKernels> TunedKernels::read(const std::string& path, const target::Target& target) {
  TunedKernels made;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return made;
  RX_TRY(text, readFile(path));
  made.torn_ = !text.empty() && text.back() != '\n';
  const Json here = circumstances(target);
  size_t number = 0, others = 0;
  std::string_view rest = text;
  while (const auto written = takeLine(rest)) {
    const Json line = Json::parse(*written, nullptr, false);
    ++number;
    if (!line.is_object()) {
      made.notes_.push_back(note(fmt::format("{}, line {}: it is damaged", path, number)));
      continue;
    }
    const bool ours = std::all_of(here.items().begin(), here.items().end(), [&](const auto& item) {
      return line.contains(item.key()) && line[item.key()] == item.value();
    });
    if (!ours) {
      ++others;
      continue;
    }
    auto trial = trialOf(line);
    if (trial) {
      made.trials_.push_back(std::move(*trial));
    } else {
      made.notes_.push_back(note(fmt::format("{}, line {}: {}", path, number, trial.diagnostics().front().message)));
    }
  }
  if (others > 0) {
    made.notes_.push_back(
        note(fmt::format("{}: lines of another version, processor, number of threads or target: {}", path, others)));
  }
  return made;
}

const Trial* TunedKernels::find(std::string_view key, const SizesByName& sizes, const Choices& choices) const {
  const auto found = std::find_if(trials_.begin(), trials_.end(), [&](const Trial& trial) {
    return trial.key == key && trial.sizes == sizes && trial.choices == choices;
  });
  return found == trials_.end() ? nullptr : &*found;
}

const Trial* TunedKernels::untuned(std::string_view key) const {
  const auto last =
      std::find_if(trials_.rbegin(), trials_.rend(), [&](const Trial& trial) { return trial.key == key; });
  return last == trials_.rend() ? nullptr : find(key, last->sizes, {});
}

const Trial* TunedKernels::best(std::string_view key) const {
  const Trial* untuned = this->untuned(key);
  const Trial* best = nullptr;
  for (const Trial& trial : trials_) {
    if (trial.key != key || (untuned && trial.sizes != untuned->sizes) ||
        (best && trial.microseconds >= best->microseconds))
      continue;
    if (!untuned || trial.microseconds < untuned->microseconds * kGain) best = &trial;
  }
  return best;
}

ir::Attrs TunedKernels::choices() const {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (const Trial& trial : trials_) {
    if (best(trial.key) == &trial) entries.emplace_back(Str(trial.key), schedule::asAttribute(trial.choices));
  }
  return make<ir::DictAttrs>(entries);
}

Result<Unit> TunedKernels::add(const std::string& path, const target::Target& target, Trial trial) {
  Json line = circumstances(target);
  line["kernel"] = trial.kernel;
  line["key"] = trial.key;
  if (!trial.sizes.empty()) line["sizes"] = trial.sizes;
  line["choices"] = asJson(trial.choices);
  line["microseconds"] = trial.microseconds;
  std::ofstream file(path, std::ios::app);
  if (std::exchange(torn_, false)) file << '\n';
  file << line.dump() << '\n' << std::flush;
  if (!file) return fail("file.write", fmt::format("can not write {}", path));
  trials_.push_back(std::move(trial));
  return Unit{};
}

}  // namespace rx::cli
