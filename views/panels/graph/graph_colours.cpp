#include "views/panels/graph/graph_colours.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/theme/past_theme.h"

namespace rx::views {
namespace {

constexpr GraphColourRow kRows[] = {
    {GraphColour::Kind, "kind", "Kind of operation"},     {GraphColour::Change, "change", "Change by the pass"},
    {GraphColour::Time, "time", "Time of the run"},       {GraphColour::Error, "error", "NaN and Inf"},
    {GraphColour::Memory, "memory", "Size of the value"}, {GraphColour::Difference, "difference", "Difference of runs"},
};

constexpr ChangeLook kLooks[] = {
    {&Palette::good, &Palette::added, TintSign::Plus},      {&Palette::error, &Palette::removed, TintSign::Minus},
    {&Palette::warning, &Palette::changed, TintSign::Wave}, {&Palette::accent, &Palette::use, TintSign::Arrows},
    {&Palette::accent, &Palette::use, TintSign::None},
};

/// How a binding is drawn that two runs give different values, by the order of RunComparison::Cause.
constexpr ChangeLook kCauseLooks[] = {
    {&Palette::error, &Palette::errorFill, TintSign::Wave},
    {&Palette::grey, &Palette::filler, TintSign::Arrows},
    {&Palette::warning, &Palette::warningFill, TintSign::Wave},
};

using Tints = std::unordered_map<uint64_t, NodeTint>;

class Tinter {
 public:
  Tinter(const ColourInput& input, const FunctionGraph& whole, const FoldedGraph& folded, const Palette& palette)
      : input_(input), whole_(whole), folded_(folded), palette_(palette) {}

  Tints run(GraphColour colour) {
    if (colour == GraphColour::Change) byChange();
    if (colour == GraphColour::Time)
      byAmount(times(), input_.debug->pastOf().isEmpty() ? palette_ : pastTheme(palette_),
               [](double us) { return durationText(us / 1000); });
    if (colour == GraphColour::Memory)
      byAmount(sizes(), palette_, [](double bytes) { return bytesText(static_cast<qint64>(bytes)); });
    if (colour == GraphColour::Error) byError();
    if (colour == GraphColour::Difference) byDifference();
    return std::move(tints_);
  }

 private:
  /// A folded block has the word that all of its nodes share, else it is changed in so many of them.
  void byChange() {
    if (!input_.changes) return;
    struct Sum {
      size_t all = 0, differ = 0;
      NodeChange change = NodeChange::Changed;
      bool mixed = false;
    };
    std::unordered_map<uint64_t, Sum> sums;
    for (uint32_t n = 0; n < whole_.model.nodes.size(); ++n) {
      const GraphNode& node = whole_.model.nodes[n];
      if (node.foldKey.empty()) continue;
      Sum& sum = sums[shown(n)];
      ++sum.all;
      const auto found = input_.changes->find(node.id);
      if (found == input_.changes->end()) continue;
      sum.mixed |= sum.differ++ > 0 && sum.change != found->second;
      sum.change = found->second;
    }
    for (const auto& [id, sum] : sums) {
      if (sum.differ == 0) continue;
      const bool whole = !sum.mixed && sum.differ == sum.all;
      const ChangeLook& look = kLooks[static_cast<size_t>(whole ? sum.change : NodeChange::Changed)];
      const QString note =
          whole ? QString() : QCoreApplication::translate("Graph", "%1 of %2 differ").arg(sum.differ).arg(sum.all);
      tints_.try_emplace(id, NodeTint{palette_.*look.line, palette_.*look.fill, note, look.sign});
    }
    fade();
  }

  std::unordered_map<uint64_t, double> times() const {
    std::unordered_map<uint64_t, double> sums;
    if (!input_.times || !runIsHere()) return sums;
    for (const auto& [binding, microseconds] : *input_.times) sums[shownOf(binding)] += microseconds;
    return sums;
  }

  std::unordered_map<uint64_t, double> sizes() const {
    std::unordered_map<uint64_t, double> sums;
    for (const BindingRow& row : input_.function->bindings)
      if (row.byteCount >= 0 && (row.role == FlowRole::Buffer || row.role == FlowRole::Computes))
        sums[shownOf(row.ordinal)] += static_cast<double>(row.byteCount);
    return sums;
  }

  /// One hue, deeper for more.
  template <class Write>
  void byAmount(const std::unordered_map<uint64_t, double>& amounts, const Palette& theme, Write write) {
    double most = 0;
    for (const auto& [id, amount] : amounts)
      if (id) most = std::max(most, amount);
    for (const auto& [id, amount] : amounts) {
      if (!id || amount <= 0) continue;
      const double part = amount / most;
      tints_[id] = {theme.grey, mixed(theme.base, theme.of(OpKind::Compute).bar, 0.1 + 0.9 * part), write(amount)};
    }
    fade();
  }

  /// What has NaN or Inf keeps the colours of an error; all else steps back. In a run that is past it has no such
  /// marks: what was bad is told by its words and a fill.
  void byError() {
    if (!input_.debug->pastOf().isEmpty() && runIsHere()) {
      for (const BindingRow& row : input_.function->bindings) {
        if (input_.debug->valueState(input_.function->name, row.ordinal) != ValueState::Bad) continue;
        const uint64_t id = shownOf(row.ordinal);
        const ValueSummary value = input_.debug->valueOf(input_.function->name, row.ordinal);
        if (id) tints_.try_emplace(id, NodeTint{palette_.grey, palette_.filler, badText(value)});
      }
    }
    fade();
  }

  bool runIsHere() const { return input_.debug->hasTrace() && input_.debug->config().stage == input_.stage; }

  /// A folded block is drawn as the worst of what is in it: what differs by itself, else what may.
  void byDifference() {
    using Cause = RunComparison::Cause;
    for (const Cause cause : {Cause::Own, Cause::Unknown, Cause::Inherited}) {
      for (const BindingRow& row : input_.function->bindings) {
        const auto found = input_.compared.find(row.name);
        const uint64_t id = found == input_.compared.end() || found->second != cause ? 0 : shownOf(row.ordinal);
        const ChangeLook& look = kCauseLooks[static_cast<size_t>(cause)];
        if (id) tints_.try_emplace(id, NodeTint{palette_.*look.line, palette_.*look.fill, causeText(cause), look.sign});
      }
    }
    fade();
  }

  void fade() {
    for (const GraphNode& node : folded_.model.nodes)
      tints_.try_emplace(node.id, NodeTint{palette_.border, palette_.base, {}});
  }

  static QColor mixed(const QColor& a, const QColor& b, double part) {
    const auto channel = [part](int from, int to) { return static_cast<int>(from + (to - from) * part); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
  }

  uint64_t shown(uint32_t node) const { return folded_.model.nodes[folded_.shownBy[node]].id; }
  uint64_t shownOf(int binding) const {
    if (binding < 0 || binding >= static_cast<int>(whole_.shownBy.size())) return 0;
    if (indexOf_.empty())
      for (uint32_t n = 0; n < whole_.model.nodes.size(); ++n) indexOf_[whole_.model.nodes[n].id] = n;
    const auto at = indexOf_.find(whole_.shownBy[static_cast<size_t>(binding)]);
    return at == indexOf_.end() ? 0 : shown(at->second);
  }

  const ColourInput& input_;
  const FunctionGraph& whole_;
  const FoldedGraph& folded_;
  const Palette& palette_;
  mutable std::unordered_map<uint64_t, uint32_t> indexOf_;
  Tints tints_;
};

}  // namespace

std::span<const GraphColourRow> graphColourRows() { return kRows; }

std::span<const ChangeLook> changeLooks() { return kLooks; }

std::unordered_map<uint64_t, NodeTint> tintsOf(GraphColour colour, const ColourInput& input, const FunctionGraph& whole,
                                               const FoldedGraph& folded, const Palette& palette) {
  if (colour == GraphColour::Kind || !input.function) return {};
  return Tinter(input, whole, folded, palette).run(colour);
}

}  // namespace rx::views
