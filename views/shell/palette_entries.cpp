// What the palette lists, and how it ranks it.
#include <QHash>
#include <QMap>
#include <QSet>
#include <algorithm>

#include "views/models/fuzzy.h"
#include "views/models/numbers.h"
#include "views/models/samples.h"
#include "views/shell/command.h"
#include "views/shell/key_map.h"
#include "views/shell/palette_popup.h"
#include "views/shell/panel_table.h"

namespace rx::views {
namespace {

struct Prefix {
  QChar mark;
  const char* kinds;  // kinds that it keeps, separated by blanks
};
constexpr Prefix kPrefixes[] = {{'>', "command"}, {'@', "function block binding"}, {'#', "pass"}};

void addCommands(const Desk& desk, std::vector<PaletteEntry>* entries) {
  const KeyMap keys(desk.settings);
  for (const Command* command : commandTable()) {
    const bool needsArguments = *command->arguments && command->arguments[0] != '[';
    if (needsArguments) continue;
    PaletteEntry entry;
    entry.kind = "command";
    entry.title = QString::fromUtf8(command->title);
    entry.detail = QString::fromUtf8(command->help);
    entry.key = keys.keys(*command).value(0);
    entry.words = QString::fromUtf8(command->words) + ' ' + QString::fromUtf8(command->id);
    entry.command = QString::fromUtf8(command->id);
    entry.enabled = command->enabled(desk);
    entries->push_back(std::move(entry));
  }
}

void addNames(const Desk& desk, std::vector<PaletteEntry>* entries) {
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  if (!index) return;
  for (const FunctionRow& function : index->functions) {
    entries->push_back({"function", function.name, function.signature, {}, {}, "select.function", {function.name}});
  }
  // Bindings of the selected function; another function's are reached through it, and those of a very long one through
  // the search of all stages, which runs beside.
  constexpr size_t kMostListed = 20000;
  const FunctionRow* function = selectedFunction(desk);
  if (function && function->bindings.size() <= kMostListed) {
    for (const BindingRow& binding : function->bindings) {
      entries->push_back({"binding",
                          binding.name,
                          binding.label + "  " + binding.info,
                          {},
                          binding.op,
                          "select.binding",
                          {binding.name}});
    }
  }
}

void addPlaces(const Desk& desk, std::vector<PaletteEntry>* entries) {
  for (const StepRow& step : desk.document.steps()) {
    const QString number = QString::number(step.number);
    entries->push_back({"pass", number + ' ' + step.name, step.help, {}, {}, "pass.goTo", {number}});
  }
  for (const SampleRow& sample : sampleRows()) {
    entries->push_back({"sample", sample.name, sample.help, {}, "open example", "file.sample", {sample.name}});
  }
  for (const PanelRow& panel : panelTable()) {
    entries->push_back({"panel",
                        QString::fromUtf8(panel.title),
                        QString::fromUtf8(panel.help),
                        {},
                        "show dock",
                        "view.panel",
                        {QString::fromUtf8(panel.id)}});
  }
  for (const QString& name : desk.document.moduleNames()) {
    entries->push_back({"module", name, QStringLiteral("module of this file"), {}, {}, "module.choose", {name}});
  }
  const QStringList recent = desk.settings.recentFiles();
  for (const QString& file : recent) {
    entries->push_back({"file", placeTitle(file), file, {}, "recent open", "file.open", {file}});
  }
}

constexpr int kBeforeHits = 8;  // entries of the window that stand before what was found in the stages
constexpr int kOfAKind = 8;     // hits of a kind while all kinds are wanted
constexpr int kOfOneKind = 200;

PaletteEntry entryOf(const SearchHit& hit, int selectedStage) {
  PaletteEntry entry;
  entry.kind = hitKindName(hit.kind);
  entry.title = hit.title;
  entry.detail =
      hit.detail + (hit.detail.isEmpty() ? QString() : QStringLiteral("   ")) + hit.where() +
      (hit.stage <= selectedStage && selectedStage <= hit.lastStage ? QString()
                                                                    : QStringLiteral(", stage ") + hit.stages());
  entry.command = "search.reveal";
  entry.arguments = revealArguments(hit, selectedStage);
  return entry;
}

/// One entry for all calls of an operator, which lists them.
PaletteEntry callsEntry(const QString& label, const QString& called, int calls) {
  PaletteEntry entry;
  entry.kind = "operator";
  entry.title = label;
  entry.detail = calls == 1 ? QStringLiteral("1 call") : QStringLiteral("%1 calls, listed").arg(grouped(calls));
  entry.command = "search.calls";
  entry.arguments = QStringList{called};
  return entry;
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(const Desk& desk) {
  std::vector<PaletteEntry> entries;
  addCommands(desk, &entries);
  addNames(desk, &entries);
  addPlaces(desk, &entries);
  return entries;
}

std::vector<PaletteEntry> withHits(std::vector<PaletteEntry> entries, const std::vector<SearchHit>& hits,
                                   const QString& typed, int selectedStage) {
  if (hits.empty()) return entries;
  const SearchFilter& filter = filterOf(typed);
  const int most = filter.kinds == 0 ? kOfAKind : kOfOneKind;
  QSet<QString> known;  // names that the window's own entries have
  for (const PaletteEntry& entry : entries) known.insert(entry.kind + ' ' + entry.title);
  QMap<HitKind, std::vector<PaletteEntry>> byKind;
  struct Calls {
    QString called;
    int count = 0;
  };
  QHash<QString, Calls> calls;
  for (const SearchHit& hit : hits) {
    if (hit.kind == HitKind::Operator) {
      Calls& of = calls[hit.title];
      of.called = hit.called;
      ++of.count;
      continue;
    }
    std::vector<PaletteEntry>& of = byKind[hit.kind];
    if (static_cast<int>(of.size()) >= most || known.contains(hitKindName(hit.kind) + ' ' + hit.title)) continue;
    of.push_back(entryOf(hit, selectedStage));
  }
  QStringList labels = calls.keys();
  std::sort(labels.begin(), labels.end(),
            [](const QString& a, const QString& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  for (const QString& label : labels.mid(0, most)) {
    const Calls& of = calls[label];
    byKind[HitKind::Operator].push_back(callsEntry(label, of.called, of.count));
  }
  std::vector<PaletteEntry> found;
  for (const auto& of : byKind) found.insert(found.end(), of.begin(), of.end());
  if (hits.size() > found.size()) {
    PaletteEntry all;
    all.kind = "results";
    all.title = QStringLiteral("List all %1 results").arg(grouped(static_cast<qint64>(hits.size())));
    all.detail = QStringLiteral("in the Results panel, to be walked through with F4");
    all.command = "search.find";
    all.arguments = QStringList{typed};
    found.push_back(all);
  }
  const auto at = entries.begin() + std::min<std::ptrdiff_t>(kBeforeHits, std::ssize(entries));
  entries.insert(at, found.begin(), found.end());
  return entries;
}

std::vector<PaletteEntry> rankedEntries(const std::vector<PaletteEntry>& all, const QString& typed, int limit) {
  QString text = typed;
  QStringList kinds;
  for (const Prefix& prefix : kPrefixes) {
    if (!text.startsWith(prefix.mark)) continue;
    kinds = QString::fromLatin1(prefix.kinds).split(' ');
    text = text.mid(1);
    break;
  }
  const SearchFilter& filter = filterOf(typed);
  if (*filter.prefix && kinds.isEmpty() && !text.startsWith(':')) return {};  // what only stages hold
  if (text.startsWith(':')) {
    PaletteEntry entry{"line",
                       QStringLiteral("Go to line ") + text.mid(1).trimmed(),
                       "of the IR text",
                       {},
                       {},
                       "edit.goToLine",
                       {text.mid(1).trimmed()}};
    if (text.mid(1).trimmed().toInt() < 1) {
      entry.detail = "the number of a line of the IR text stands behind the colon";
      entry.command.clear();
    }
    return {entry};
  }
  struct Ranked {
    int score;
    const PaletteEntry* entry;
  };
  std::vector<Ranked> ranked;
  for (const PaletteEntry& entry : all) {
    if (!kinds.isEmpty() && !kinds.contains(entry.kind)) continue;
    int score = fuzzyScore(text, entry.title);
    // What is only found through its search words or its help stands below what is found by name.
    constexpr int kWordsBelow = 2000;
    const bool inWords = entry.words.contains(text, Qt::CaseInsensitive);
    const bool scattered = !entry.title.contains(text.trimmed(), Qt::CaseInsensitive);
    if (score < 0 || (scattered && inWords)) {
      const int byWords = std::max(fuzzyScore(text, entry.words), inWords ? 0 : -1);
      if (score < 0 && byWords < 0) continue;
      score = std::max(score, byWords - kWordsBelow);
    }
    if (!entry.enabled) score -= 2 * kWordsBelow;
    ranked.push_back({score, &entry});
  }
  if (!text.trimmed().isEmpty()) {
    std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
      return a.score != b.score ? a.score > b.score : a.entry < b.entry;  // the table's order among equals
    });
  }
  std::vector<PaletteEntry> best;
  for (const Ranked& row : ranked) {
    if (static_cast<int>(best.size()) == limit) break;
    best.push_back(*row.entry);
  }
  return best;
}

}  // namespace rx::views
