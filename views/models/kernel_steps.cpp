#include "views/models/kernel_steps.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("KernelSteps", source); }

/// The parts of the list, by the stages that stand in them.
enum class Part : uint8_t { Tir, Schedule, Lowering, Machine };

Part partOf(const KernelStageText& stage) {
  return stage.stage == QLatin1String("tir")                                                 ? Part::Tir
         : stage.stage == QLatin1String("step") || stage.stage == QLatin1String("scheduled") ? Part::Schedule
         : stage.stage == QLatin1String("lowered")                                           ? Part::Lowering
                                                                                             : Part::Machine;
}

/// "b1 = sch.split(loop=l0, factors=[8, 4])" as "split l0, [8, 4]": the primitive and what it is given.
QString shortLine(const QString& line) {
  static const QRegularExpression kCall(QStringLiteral("sch\\.(\\w+)\\((.*)\\)$"));
  static const QRegularExpression kName(QStringLiteral("\\b\\w+=(?!=)"));
  const QRegularExpressionMatch call = kCall.match(line);
  if (!call.hasMatch()) return line;
  return QStringLiteral("%1 %2").arg(call.captured(1), call.captured(2).remove(kName)).trimmed();
}

class Lister {
 public:
  explicit Lister(const KernelListing& kernel) : kernel_(kernel) {}

  std::vector<KernelStepRow> all() {
    for (int stage = 0; stage < static_cast<int>(kernel_.stages.size()); ++stage) add(stage);
    if (!scheduled_) noSchedule(rows_.size());
    count();
    return std::move(rows_);
  }

 private:
  void add(int number) {
    const KernelStageText& stage = kernel_.stages[static_cast<size_t>(number)];
    const Part part = partOf(stage);
    if (!begun_ || part != part_) begin(part);
    if (stage.stage == QLatin1String("step")) return;  // by the lines of the trace
    if (part == Part::Schedule && !listed_) primitives(number);
    const bool byPass = part != Part::Machine && !stage.made.isEmpty();
    const QString made = part == Part::Machine || stage.made.isEmpty() ? stage.title : stage.made;
    const QString title = part == Part::Tir ? (byPass ? text("from %1").arg(made) : text("as imported")) : made;
    row(part == Part::Lowering ? ++numbered_ : -1, title, {}, number);
  }

  void begin(Part part) {
    if (part > Part::Schedule && !scheduled_) noSchedule(rows_.size());
    begun_ = true;
    part_ = part;
    numbered_ = 0;
    if (part == Part::Schedule) scheduled_ = true;
    KernelStepRow& made = rows_.emplace_back();
    made.heading = true;
    made.title = part == Part::Tir        ? text("TIR")
                 : part == Part::Schedule ? text("Schedule")
                 : part == Part::Lowering ? text("Lowering")
                                          : text("Machine");
    // With the numbers below it, once they are counted.
    made.rest = part == Part::Schedule ? text("%1 primitives") : part == Part::Lowering ? text("%1 passes") : QString();
  }

  /// The lines of the trace, each with the text behind it; `scheduled` is the text behind all of them.
  void primitives(int scheduled) {
    listed_ = true;
    int next = scheduled;
    while (next > 0 && kernel_.stages[static_cast<size_t>(next - 1)].stage == QLatin1String("step")) --next;
    const bool stepped = next < scheduled;
    // Before the first that changes something, the text that the schedule began with.
    int shown = stepped ? kernel_.stages[static_cast<size_t>(next)].of : scheduled;
    for (const QString& line : kernel_.trace) {
      const bool changes = next < scheduled && kernel_.stages[static_cast<size_t>(next)].made == line;
      if (changes) shown = next++;
      row(++numbered_, shortLine(line), line, shown);
      rows_.back().looksUp = stepped && !changes;
    }
    // One primitive makes what rules make of all stages: by which of them each was made.
    for (const QString& rule : kernel_.rules) {
      const QString help = kernel_.helps.value(rule.section(QStringLiteral(": "), -1));
      row(-1, text("by rule %1").arg(rule), help.isEmpty() ? rule : help, shown);
      rows_.back().looksUp = true;
    }
  }

  /// Why there is none.
  void noSchedule(size_t at) {
    scheduled_ = true;
    KernelStepRow head, why;
    head.heading = true;
    head.title = text("Schedule");
    why.title = kernel_.why.isEmpty() ? text("none: no rule was asked") : text("none: %1").arg(kernel_.why);
    why.rest = why.title;
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(at), {head, why});
  }

  void row(int number, const QString& title, const QString& rest, int stage) {
    KernelStepRow& made = rows_.emplace_back();
    made.number = number;
    made.title = title;
    made.rest = rest;
    made.stage = stage;
  }
  /// How much stands below the headings that have numbers below them.
  void count() {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].heading || rows_[i].rest.isEmpty()) continue;
      int most = 0;
      for (size_t k = i + 1; k < rows_.size() && !rows_[k].heading; ++k) most = std::max(most, rows_[k].number);
      rows_[i].rest = most > 0 ? rows_[i].rest.arg(most) : QString();
    }
  }

  const KernelListing& kernel_;
  std::vector<KernelStepRow> rows_;
  Part part_ = Part::Tir;
  bool begun_ = false, scheduled_ = false, listed_ = false;
  int numbered_ = 0;
};

}  // namespace

std::vector<KernelStepRow> kernelSteps(const KernelListing& kernel) { return Lister(kernel).all(); }

void KernelShown::show(KernelListingPtr listing, std::vector<int> stages, int current) {
  if (listing_ == listing && stages_ == stages && current_ == current) return;
  listing_ = std::move(listing);
  stages_ = std::move(stages);
  current_ = current;
  Q_EMIT changed();
}

}  // namespace rx::views
