#include "app/rxs/opt_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "core/compile/request/languages.h"
#include "core/ir/text_bindings.h"
#include "core/script/module_diff.h"

namespace rx::cli {

namespace {

std::string changesText(const pass::StepRecord& step) {
  constexpr size_t kMostNamed = 3;
  if (!step.changed()) return "same";
  std::vector<std::string> named;
  for (const pass::FunctionChange& change : std::span(step.changes).first(std::min(kMostNamed, step.changes.size())))
    named.push_back(fmt::format("{} {:+}", escapedForDisplay(change.name.view()), change.netSize));
  const size_t more = step.changes.size() - named.size();
  return fmt::format("{}{}", fmt::join(named, ", "), more ? fmt::format(" and {} more", more) : "");
}

/// One line a step: number, name, time, whether the result is well formed, what changed.
std::string listText(const pass::History& history) {
  std::string text = fmt::format("{:>3}  {:<26}\n", 0, "imported");
  for (size_t i = 0; i < history.steps.size(); ++i) {
    const pass::StepRecord& step = history.steps[i];
    const char* lamp = step.leftOut              ? "left out"
                       : step.failed()           ? "failed"
                       : hasErrors(step.verdict) ? "ill-formed"
                       : step.verified           ? "ok"
                                                 : "unchecked";
    text += fmt::format("{:>3}  {:<26} {:>9.2f} ms  {:<10} {}\n", i + 1, step.name, step.milliseconds, lamp,
                        changesText(step));
  }
  return text;
}

/// Passes by the time they took together, and what the checks between them took.
std::string timeText(const pass::History& history) {
  struct Total {
    std::string name;
    int runs = 0;
    double milliseconds = 0;
  };
  std::map<std::string, Total> byName;
  double checks = 0, all = 0;
  for (const pass::StepRecord& step : history.steps) {
    Total& total = byName[step.name];
    total.name = step.name;
    total.runs += 1;
    total.milliseconds += step.milliseconds;
    checks += step.verifyMilliseconds;
    all += step.milliseconds + step.verifyMilliseconds;
  }
  std::vector<Total> rows;
  for (auto& [name, total] : byName) rows.push_back(std::move(total));
  std::sort(rows.begin(), rows.end(), [](const Total& a, const Total& b) {
    return std::tie(b.milliseconds, a.name) < std::tie(a.milliseconds, b.name);
  });
  std::string text;
  const auto add = [&](std::string_view name, int runs, double milliseconds) {
    const double share = all > 0 ? 100 * milliseconds / all : 0;
    text += fmt::format("{:>9.2f} ms  {:>5.1f} %  {:>3} x  {}\n", milliseconds, share, runs, name);
  };
  for (const Total& row : rows) add(row.name, row.runs, row.milliseconds);
  add("checks between passes", static_cast<int>(history.steps.size()), checks);
  add("all", static_cast<int>(history.steps.size()), all);
  return text;
}

/// "lv (module.py:12:5)": a binding of the module as it was read.
std::string siteText(const OriginSite& site, std::string_view function, const SourceList& sources) {
  std::string text = escapedForDisplay(site.name.view());
  if (site.function.view() != function) text = fmt::format("{}.{}", escapedForDisplay(site.function.view()), text);
  if (site.span.file >= sources.size()) return text;
  const SourceFile& source = *sources[site.span.file];
  const LineColumn at = source.lineColumn(site.span.begin);
  return fmt::format("{} ({}:{}:{})", text, escapedForDisplay(source.name()), at.line, at.column);
}

/// The passes that made and changed a function, in their order.
std::string makersOf(std::string_view function, const pass::History& history) {
  std::string maker = "imported";
  std::vector<std::string> changers;
  for (const pass::StepRecord& step : history.steps) {
    for (const pass::FunctionChange& change : step.changes) {
      if (change.name.view() != function) continue;
      if (change.what == pass::FunctionChange::What::Changed) {
        if (changers.empty() || changers.back() != step.name) changers.push_back(step.name);
      } else {
        maker = change.what == pass::FunctionChange::What::Added ? "made by " + step.name : "";
        changers.clear();
      }
    }
  }
  return changers.empty() ? maker : fmt::format("{}; changed by {}", maker, fmt::join(changers, ", "));
}

/// Of each function which passes made it, and below it of each binding which pass made it from what.
std::string explainText(const pass::History& history) {
  const ir::Module& result = history.stage(history.steps.size());
  const std::vector<ir::TextFunction> functions = ir::textFunctions(*result);
  std::string text;
  for (size_t i = 0; i < result->size(); ++i) {
    const std::string_view function = result->vars[i]->name.view();
    text += fmt::format("{}: {}\n", escapedForDisplay(function), makersOf(function, history));
    for (const ir::TextBinding& row : functions[i].bindings) {
      const auto* binding = as<relax::BindingNode>(row.node);
      const bool known = binding ? binding->origin != nullptr : !row.sites.empty();
      std::vector<std::string> sites;
      for (const OriginSite& site : known ? row.sites : Array<OriginSite>())
        sites.push_back(siteText(site, function, *history.imported->sources));
      // Of the expressions of a graph it is known where they were written, and not by whom.
      const std::string pass = !known              ? "of unknown origin"
                               : !row.pass.empty() ? row.pass.string()
                               : binding           ? "imported"
                                                   : "";
      const char* from = sites.empty() ? "" : pass.empty() ? "from " : " from ";
      text += fmt::format("  {}: {}{}{}\n", escapedForDisplay(row.name.view()), pass, from, fmt::join(sites, ", "));
    }
  }
  return text;
}

/// What passes lost of the types, a line each.
std::string lostText(const pass::History& history) {
  std::string text;
  for (const pass::StepRecord& step : history.steps) {
    for (const Diagnostic& lost : step.lost)
      text += fmt::format("lost by {}: {} ({})\n", step.name, escapedForDisplay(lost.message),
                          escapedForDisplay(lost.context));
  }
  return text;
}

/// What passes say of bindings that they left as they are, a line each.
std::string remarksText(const pass::History& history) {
  std::string text;
  for (const pass::StepRecord& step : history.steps) {
    for (const pass::Remark& remark : step.remarks)
      text += fmt::format("left by {}: {}.{}: {}\n", step.name, escapedForDisplay(remark.function.view()),
                          escapedForDisplay(remark.binding->name.view()), escapedForDisplay(remark.text));
  }
  return text;
}

}  // namespace

std::string stepReport(const OptReports& wanted, const pass::StepRecord& step, size_t number) {
  if (step.failed()) return {};
  std::string text;
  const std::string head = fmt::format("# {} {}", number, step.call);
  if (wanted.diff && step.changed()) text += fmt::format("{}\n{}", head, script::diffText(step.before, step.after));
  const auto& names = wanted.printAfter;
  const bool named = std::find(names.begin(), names.end(), "all") != names.end() ||
                     std::find(names.begin(), names.end(), step.name) != names.end();
  if (named || (wanted.printChanged && step.changed()))
    text += fmt::format("{}\n{}\n", head, compile::moduleText(step.after));
  return text;
}

std::string historyReport(const OptReports& wanted, const pass::History& history) {
  std::string text;
  if (wanted.list) text += listText(history);
  if (wanted.time) text += timeText(history);
  if (wanted.explain && (history.steps.empty() || !history.steps.back().failed()))
    text += explainText(history) + lostText(history);
  if (wanted.remarks || wanted.explain) text += remarksText(history);
  return text;
}

}  // namespace rx::cli
