#include "views/canvas/graph_measure.h"

#include <QFontMetricsF>
#include <algorithm>
#include <limits>

namespace rx {

GraphMetrics GraphMeasure::of(const GraphModel& model) const {
  const QFontMetricsF title(font);
  QFont small = font;
  small.setPointSizeF(font.pointSizeF() * 0.85);
  const QFontMetricsF subtitle(small);
  QFont strong = font;
  strong.setBold(true);
  const QFontMetricsF bold(strong);
  const double em = title.height();
  GraphMetrics metrics;
  metrics.options.nodeGap = em * 1.1;
  metrics.options.rankGap = em * 1.5;
  metrics.options.regionPad = em * 0.8;
  metrics.options.regionTitle = em * 1.2;
  metrics.options.weightLabels = weightLabels;
  metrics.sizes.reserve(model.nodes.size());
  // Names are measured by their letters: 10,000 exact measurements would be the slowest part of a layout.
  auto width = [](const QFontMetricsF& of, const std::string& text) {
    if (text.size() > 60) return of.averageCharWidth() * 60;
    return of.horizontalAdvance(QString::fromStdString(text));
  };
  const bool many = model.nodes.size() > 2000;
  for (const GraphNode& node : model.nodes) {
    // What lies in a buffer says its bytes there; its shape is in the tip.
    const std::string second = node.chip.empty() ? node.subtitle : std::string();
    const bool pill = node.shape == NodeShape::Pill, folded = node.count > 1;
    const double first = many ? title.averageCharWidth() * 1.15 * static_cast<double>(node.title.size())
                              : width(folded ? bold : title, node.title) * 1.06;
    const double below =
        many ? subtitle.averageCharWidth() * 1.15 * static_cast<double>(second.size()) : width(subtitle, second);
    const double text = pill ? first + below : std::max(first, below);
    const double lines = title.height() + (second.empty() || pill ? 0 : subtitle.height());
    // Room for the mark of the kind at the left, and for the button of a folded block at the right.
    const double marks = em * (folded ? 3.2 : pill ? 1.8 : 2.4);
    metrics.sizes.push_back({std::clamp(text + marks, em * 4, em * 28), lines + em * 0.4});
    const std::string label = weightLabels ? weightLabel(node, sizeText) : node.title;
    const double labelWidth =
        many ? subtitle.averageCharWidth() * 1.15 * static_cast<double>(label.size()) : width(subtitle, label);
    metrics.stubSizes.push_back({std::min(labelWidth + em * 0.8, em * 26), subtitle.height() + em * 0.1});
    if (node.chip.empty()) {
      metrics.chipSizes.push_back({});
    } else {
      const double chip = many ? subtitle.averageCharWidth() * 1.15 * static_cast<double>(node.chip.size())
                               : width(subtitle, node.chip);
      metrics.chipSizes.push_back({std::min(chip + em * 1.2, em * 20), subtitle.height() + em * 0.1});
    }
  }
  if (!places) return metrics;
  for (const GraphNode& node : model.nodes) {
    const auto place = places->find(node.placeKey);
    metrics.wishes.push_back(place == places->end() ? std::numeric_limits<double>::quiet_NaN() : place->second);
  }
  return metrics;
}

std::string weightLabel(const GraphNode& node, const std::function<QString(qint64)>& sizeText) {
  std::string text = node.title;
  if (!node.isWeight()) return text;
  if (!node.subtitle.empty()) text += ' ' + node.subtitle;
  if (node.bytes >= 0 && sizeText) text += " · " + sizeText(node.bytes).toStdString();
  return text;
}

}  // namespace rx
