#include "views/shell/cards/result_card.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/shell/cards/card.h"
#include "views/shell/cards/likely_chart.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr size_t kMostValues = 8;

QString rangeText(const ValueSummary& value) {
  if (!value.isTensor || value.finite <= 0) return {};
  return QStringLiteral("%1 … %2").arg(shortNumber(value.min, 4), shortNumber(value.max, 4));
}

/// Two columns: what, and how much.
class Facts {
 public:
  Facts(QWidget* parent, const Palette& theme)
      : widget_(new QWidget(parent)), grid_(new QGridLayout(widget_)), theme_(theme) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(12);
    grid_->setVerticalSpacing(2);
    grid_->setColumnStretch(1, 1);
  }
  void add(const QString& what, const QString& how, const QColor& ink = {}) {
    grid_->addWidget(cardLabel(what, widget_, theme_.grey), row_, 0, Qt::AlignTop);
    auto* label = cardLabel(how, widget_, ink, ink.isValid());
    label->setWordWrap(true);
    grid_->addWidget(label, row_, 1);
    ++row_;
  }
  QWidget* widget() {
    grid_->setRowStretch(row_, 1);
    return widget_;
  }

 private:
  QWidget* widget_;
  QGridLayout* grid_;
  const Palette& theme_;
  int row_ = 0;
};

void addComparison(Facts* facts, const ResultComparison& comparison, const Palette& theme) {
  if (!comparison.error.isEmpty())
    return facts->add(comparison.file, QObject::tr("not compared: %1").arg(comparison.error), theme.warning);
  if (comparison.sameBits) return facts->add(comparison.file, QObject::tr("equal, bit for bit"), theme.good);
  facts->add(comparison.file, comparison.equal ? QObject::tr("equal within rounding") : QObject::tr("differs"),
             comparison.equal ? theme.good : theme.error);
  facts->add(QObject::tr("largest error"),
             QObject::tr("%1 at %2").arg(QString::number(comparison.largest, 'g', 2), comparison.at));
  facts->add(QObject::tr("relative"),
             QObject::tr("%1; rounding is up to %2")
                 .arg(QString::number(comparison.relative, 'g', 2), QString::number(comparison.limit, 'g', 2)));
}

QString valueLine(const ValueSummary& value) {
  QStringList parts = {shortResult(value), rangeText(value), badText(value)};
  parts.removeAll(QString());
  return parts.join(QStringLiteral("   "));
}

QWidget* makeValues(const RunResult& result, QWidget* parent, const Palette& theme) {
  Facts values(parent, theme);
  for (size_t i = 0; i < result.values.size() && i < kMostValues; ++i) {
    const ValueSummary& value = result.values[i].value;
    values.add(result.values[i].name, valueLine(value), value.bad() ? theme.error : QColor());
  }
  if (result.values.size() > kMostValues)
    values.add({}, QObject::tr("and %1 more").arg(result.values.size() - kMostValues));
  return values.widget();
}

/// "Most likely: 7, 47.7 %"
QString likelyText(const std::vector<double>& likely) {
  const int best = largestOf(likely, 1).front();
  return QObject::tr("Most likely: %1, %2 %").arg(best).arg(likely[static_cast<size_t>(best)] * 100, 0, 'f', 1);
}

QString timeText(const RunResult& result) {
  return QObject::tr("%1, %2 steps").arg(durationText(result.milliseconds), grouped(result.steps));
}

}  // namespace

QWidget* makeResultBrief(const RunResult& result, QWidget* parent) {
  const Palette& theme = Palette::forQt(parent->palette());
  auto* content = new QWidget(parent);
  auto* lines = new QVBoxLayout(content);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(2);
  const auto add = [&](const QString& text, const QColor& ink, bool bold) {
    auto* label = cardLabel(text, content, ink, bold);
    label->setWordWrap(true);
    lines->addWidget(label);
  };
  if (!result.lost.isEmpty()) {
    add(result.lost, {}, false);
  } else if (!result.likely.empty()) {
    add(likelyText(result.likely), {}, true);
  } else if (!result.values.empty()) {
    const ValueSummary& first = result.values.front().value;
    add(valueLine(first), first.bad() ? theme.error : QColor(), first.bad());
  }
  if (doubtful(result)) add(badOnTheWayText(*result.bad), theme.error, true);
  QStringList took = {timeText(result), codeText(result.optimised)};
  if (result.peakBytes > 0) took << QObject::tr("%1 at its peak").arg(bytesText(result.peakBytes));
  took.removeAll(QString());
  add(took.join(QStringLiteral(", ")), theme.grey, false);
  return content;
}

QWidget* makeResultContent(const RunResult& result, QWidget* parent) {
  const Palette& theme = Palette::forQt(parent->palette());
  auto* content = new QWidget(parent);
  auto* columns = new QHBoxLayout(content);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(20);
  auto* left = new QVBoxLayout;
  if (!result.lost.isEmpty()) {
    QLabel* why = cardLabel(result.lost, content);
    why->setWordWrap(true);
    left->addWidget(why);
  } else if (!result.likely.empty()) {
    left->addWidget(cardLabel(likelyText(result.likely), content, {}, true));
    left->addWidget(new LikelyChart(result.likely, result.expectedLikely, content));
    if (result.expectedLikely)
      left->addWidget(
          cardLabel(QObject::tr("bar: this run; line: %1").arg(result.comparison->file), content, theme.grey));
  } else {
    left->addWidget(makeValues(result, content, theme));
  }
  left->addStretch(1);
  columns->addLayout(left, 1);
  Facts facts(content, theme);
  if (result.comparison) addComparison(&facts, *result.comparison, theme);
  qint64 nan = 0;
  qint64 inf = 0;
  for (const ResultValue& value : result.values) nan += value.value.nan, inf += value.value.inf;
  facts.add(QObject::tr("NaN, Inf"),
            nan + inf == 0 ? QObject::tr("none in the result") : QObject::tr("%1, %2").arg(grouped(nan), grouped(inf)),
            nan + inf == 0 ? QColor() : theme.error);
  if (result.bad)
    facts.add(QObject::tr("on the way"), badOnTheWayText(*result.bad), doubtful(result) ? theme.error : QColor());
  facts.add(QObject::tr("time"), timeText(result));
  facts.add({}, codeText(result.optimised));
  if (result.peakBytes > 0)
    facts.add(QObject::tr("memory"), QObject::tr("%1 at its peak").arg(bytesText(result.peakBytes)));
  columns->addWidget(facts.widget(), 1);
  return content;
}

}  // namespace rx::views
