#include "app/rxs/stage_search.h"

#include <algorithm>
#include <chrono>

#include "app/rxs/child_work.h"

namespace rx::cli {
namespace {

using Json = StageRuns::Json;

bool isRight(const Json& expected) { return expected.is_null() || expected["within"].get<bool>(); }

Verdict verdictOf(const StageRow& row) {
  const auto all = [&](const char* field) {
    return std::all_of(row.bindings.begin(), row.bindings.end(),
                       [&](const Json& each) { return each[field].get<bool>(); });
  };
  if (!all("within") || !isRight(row.expected)) return Verdict::Differs;
  return all("equal") ? Verdict::Equal : Verdict::Within;
}

/// A pass that ended the process in which it ran.
Json diedIn(const std::string& pass, const Json& why) {
  std::string message = "the process ended in it: " + why["died"].get<std::string>();
  return Json::array(
      {{{"severity", "error"}, {"rule", "bisect.died"}, {"message", std::move(message)}, {"context", pass}}});
}

}  // namespace

const char* verdictName(Verdict verdict) {
  constexpr const char* kNames[] = {"not run", "reference", "equal",  "within the limit",
                                    "differs", "failed",    "refused"};
  return kNames[static_cast<size_t>(verdict)];
}

const Json* StageRow::first() const {
  const auto at =
      std::find_if(bindings.begin(), bindings.end(), [](const Json& each) { return !each["within"].get<bool>(); });
  return at == bindings.end() ? nullptr : &*at;
}

Json StageSearch::makeRows() {
  Json made = workInChild([&] { return work_.prepare(); }, confined_);
  if (made.contains("died")) {
    const std::string pass = work_.passUnderWay();
    return {{"diagnostics", diedIn(pass.empty() ? "reading the stages" : pass, made)}};
  }
  if (!made.contains("stages")) return made;
  for (const Json& each : made["stages"]) {
    StageRow row;
    row.name = each["name"].get<std::string>();
    row.call = each["call"].get<std::string>();
    row.file = each["file"].get<std::string>();
    if (each.contains("module")) row.module = each["module"].get<size_t>();
    row.diagnostics = each.value("diagnostics", Json::array());
    row.illFormed = each.value("ill_formed", Json::array());
    rows_.push_back(std::move(row));
  }
  return {};
}

bool StageSearch::runs(size_t stage) {
  StageRow& row = rows_[stage];
  if (!row.module) {
    row.verdict = Verdict::Refused;
    return false;
  }
  row.run = ++runs_;
  const auto begin = std::chrono::steady_clock::now();
  const Json ran = workInChild([&] { return work_.run(*row.module); }, confined_);
  row.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  row.expected = ran.value("expected", Json());
  if (!ran.contains("died") && !ran.contains("diagnostics")) return true;
  row.verdict = Verdict::Failed;
  row.diagnostics = ran.value("diagnostics", Json::array());
  if (!ran.contains("died")) return false;
  row.died = ran["died"].get<std::string>();
  row.place = workInChild([&] { return work_.lastPlace(*row.module); }, confined_);
  return false;
}

bool StageSearch::look(size_t stage) {
  StageRow& row = rows_[stage];
  if (row.verdict != Verdict::NotRun) return row.isBad();
  if (runs(stage)) {
    const Json compared =
        workInChild([&] { return work_.compare(*row.module, *rows_[*reference_].module); }, confined_);
    row.bindings = compared.value("bindings", Json::array());
    row.diagnostics = compared.value("diagnostics", Json::array());
    row.died = compared.value("died", std::string());
    row.verdict = row.diagnostics.empty() && row.died.empty() ? verdictOf(row) : Verdict::Failed;
  }
  ended_(row, stage);
  return row.isBad();
}

bool StageSearch::findReference() {
  for (size_t i = 0; i < rows_.size() && !reference_; ++i) {
    if (runs(i)) {
      rows_[i].verdict = isRight(rows_[i].expected) ? Verdict::Reference : Verdict::Differs;
      reference_ = i;
    }
    ended_(rows_[i], i);
  }
  return reference_.has_value();
}

void StageSearch::search() {
  size_t good = *reference_, bad = rows_.size() - 1;
  if (good < bad && look(bad)) {
    while (bad - good > 1) {
      const size_t middle = good + (bad - good) / 2;
      (look(middle) ? bad : good) = middle;
    }
    guilty_ = bad;
  }
  runsOfSearch_ = runs_;
}

void StageSearch::explain() {
  StageRow& row = rows_[*guilty_];
  if (row.verdict != Verdict::Differs || guilty_ == reference_) return;
  Json explained = workInChild([&] { return work_.explain(*row.module, *rows_[*reference_].module); }, confined_);
  if (explained.contains("bindings")) row.bindings = std::move(explained["bindings"]);
}

Json StageSearch::find(bool all) {
  if (Json why = makeRows(); !why.is_null()) return why;
  if (!findReference()) return {};
  if (rows_[*reference_].isBad()) {
    guilty_ = reference_;
    return {};
  }
  search();
  if (guilty_) {
    explain();
    found_();
  }
  for (size_t i = 0; all && i < rows_.size(); ++i)
    if (i > *reference_) look(i);
  // A stage before the one that was found may be bad too, with good ones between.
  if (const std::optional<size_t> first = firstBad(); first != guilty_) {
    guilty_ = first;
    explain();
  }
  return {};
}

std::optional<size_t> StageSearch::firstBad() const {
  for (size_t i = *reference_; i < rows_.size(); ++i)
    if (rows_[i].isBad()) return i;
  return std::nullopt;
}

}  // namespace rx::cli
