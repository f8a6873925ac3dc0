#include "views/shell/cards/failure_card.h"

#include <QGridLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QSet>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "views/shell/cards/card.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr size_t kMostRows = 6;
constexpr int kMostAxes = 5;
constexpr qsizetype kMostMore = 4;  // further findings that are spelled out

struct AxisLook {
  const char* icon;  // null for none
  QColor Palette::*ink;
};
const AxisLook& lookOf(AxisFit::Verdict verdict) {
  static const AxisLook kLooks[] = {
      {nullptr, &Palette::grey}, {"check", &Palette::good}, {"check", &Palette::good}, {"cross", &Palette::error}};
  return kLooks[static_cast<int>(verdict)];
}

class Table {
 public:
  Table(QWidget* parent, const Palette& theme)
      : widget_(new QWidget(parent)), grid_(new QGridLayout(widget_)), theme_(theme) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(0);
    mono_ = fixedFont(parent->font());
  }
  QWidget* widget() const { return widget_; }

  void head(const QStringList& titles) {
    for (int column = 0; column < titles.size(); ++column)
      cell(column, cardLabel(titles[column], widget_, theme_.grey, true), false);
    ++row_;
  }

  void row(const ParameterFit& fit, int axes, const QString& commonFile) {
    const bool bad = fit.verdict != ParameterFit::Verdict::Fits;
    cell(0, text(fit.name, theme_.text, bad), bad);
    cell(1, text(fit.wants, theme_.type, false), bad);
    const QString file = fit.file == commonFile || fit.file.isEmpty() ? QString() : QStringLiteral("  ") + fit.file;
    cell(2, text(fit.given.isEmpty() ? QStringLiteral("–") : fit.given + file, theme_.text, false), bad);
    const QString verdict = verdictText(fit);
    if (!verdict.isEmpty()) cell(3, mark("cross", verdict, theme_.error, true), bad, axes);
    for (int i = 0; i < axes && verdict.isEmpty(); ++i) {
      if (static_cast<size_t>(i) < fit.axes.size()) {
        const AxisFit& axis = fit.axes[static_cast<size_t>(i)];
        const AxisLook& look = lookOf(axis.verdict);
        cell(3 + i, mark(look.icon, axisText(axis), theme_.*look.ink, axis.verdict == AxisFit::Verdict::Differs), bad);
      } else {
        cell(3 + i, new QLabel(widget_), bad);
      }
    }
    ++row_;
  }

 private:
  QLabel* text(const QString& words, const QColor& ink, bool bold) {
    QLabel* label = cardLabel(words, widget_, ink, bold);
    QFont font = mono_;
    font.setBold(bold);
    label->setFont(font);
    // At scales of no whole number the last line of pixels, which an underscore is, would be cut.
    label->setContentsMargins(0, 1, 0, 1);
    return label;
  }

  QWidget* mark(const char* name, const QString& words, const QColor& ink, bool bold) {
    auto* both = new QWidget(widget_);
    auto* line = new QHBoxLayout(both);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    if (name) {
      auto* sign = new QLabel(both);
      const int size = widget_->fontMetrics().height() * 3 / 4;
      sign->setPixmap(icon(name, ink).pixmap(QSize(size, size)));
      line->addWidget(sign);
    }
    line->addWidget(cardLabel(words, both, ink, bold));
    line->addStretch(1);
    return both;
  }

  void cell(int column, QWidget* content, bool bad, int columns = 1) {
    auto* ground = new QWidget(widget_);
    auto* line = new QHBoxLayout(ground);
    line->setContentsMargins(column == 0 ? 4 : 8, 2, 12, 2);
    line->addWidget(content);
    if (bad) {
      ground->setAutoFillBackground(true);
      QPalette colors = ground->palette();
      colors.setColor(QPalette::Window, theme_.errorFill);
      ground->setPalette(colors);
    }
    grid_->addWidget(ground, row_, column, 1, columns);
    if (column == 2) grid_->setColumnStretch(column, 1);
  }

  QWidget* widget_;
  QGridLayout* grid_;
  const Palette& theme_;
  QFont mono_;
  int row_ = 0;
};

QLabel* wrapped(QLabel* label) {
  label->setWordWrap(true);
  return label;
}

/// The file that gives most rows, which the head of the table names.
QString commonFileOf(const std::vector<const ParameterFit*>& rows) {
  std::map<QString, int> counts;
  for (const ParameterFit* row : rows)
    if (!row->file.isEmpty()) ++counts[row->file];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? QString() : most->first;
}

QWidget* makeTable(const std::vector<const ParameterFit*>& rows, QWidget* parent, const Palette& theme) {
  Table table(parent, theme);
  int axes = 0;
  for (const ParameterFit* row : rows)
    if (verdictText(*row).isEmpty()) axes = std::max(axes, static_cast<int>(row->axes.size()));
  const bool named = axes > 0;  // else one column says of each row what is wrong
  axes = std::clamp(axes, 1, kMostAxes);
  const QString file = commonFileOf(rows);
  QStringList titles = {QObject::tr("parameter"), QObject::tr("wants"),
                        file.isEmpty() ? QObject::tr("given") : QObject::tr("given, %1").arg(file)};
  for (int i = 0; i < axes; ++i) titles << (named ? QObject::tr("axis %1").arg(i) : QString());
  table.head(titles);
  for (const ParameterFit* row : rows) table.row(*row, axes, file);
  return table.widget();
}

bool isWrong(const ParameterFit& fit) { return fit.verdict != ParameterFit::Verdict::Fits; }

/// The findings that the table of parameters does not say again, a row each.
QStringList besideTable(const RunFailure& failure) {
  static const QRegularExpression kNoName(QStringLiteral("[^\\w.]+"), QRegularExpression::UseUnicodePropertiesOption);
  QSet<QString> wrong;
  for (const ParameterFit& fit : failure.parameters)
    if (isWrong(fit)) wrong += fit.name;
  QStringList beside;
  for (const QString& finding : failure.more) {
    const QStringList words = finding.split(kNoName, Qt::SkipEmptyParts);
    if (std::none_of(words.begin(), words.end(), [&](const QString& word) { return wrong.contains(word); }))
      beside << finding;
  }
  return beside;
}

/// One that ends in the name of a place leads there.
QWidget* findingRow(const QString& finding, QWidget* parent, Card* card) {
  static const QRegularExpression kPlace(QStringLiteral(": (\\w+)(?:, block \\d+)?, binding (\\w+)$"),
                                         QRegularExpression::UseUnicodePropertiesOption);
  const QRegularExpressionMatch place = kPlace.match(finding);
  if (!place.hasMatch()) return wrapped(cardLabel(finding, parent));
  auto* row = new QWidget(parent);
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(cardLabel(finding.left(place.capturedStart() + 1), row));
  line->addWidget(card->makeWay({QObject::tr("%2 of %1").arg(place.captured(1), place.captured(2)),
                                 {"select.binding", place.captured(2), place.captured(1)},
                                 false,
                                 true}));
  line->addStretch(1);
  return row;
}

}  // namespace

QWidget* makeFailureContent(const RunFailure& failure, Card* card) {
  const Palette& theme = Palette::forQt(card->palette());
  auto* content = new QWidget(card);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  QLabel* sentence = wrapped(cardLabel(failureSentence(failure, theme.error.name()), content));
  sentence->setTextFormat(Qt::RichText);
  column->addWidget(sentence);
  if (!namesAlone(failure)) {
    const QStringList findings = besideTable(failure);
    for (const QString& more : findings.mid(0, kMostMore)) column->addWidget(findingRow(more, content, card));
    addRest(findings.size() - kMostMore, column, card);
  }
  const auto rows = failureRows(failure, kMostRows);
  if (!rows.empty()) {
    column->addWidget(makeTable(rows, content, theme));
    const auto wrong = std::count_if(failure.parameters.begin(), failure.parameters.end(), isWrong);
    const auto shown = std::count_if(rows.begin(), rows.end(), [](const ParameterFit* row) { return isWrong(*row); });
    addRest(wrong - shown, column, card);
  }
  // Of names the ways of the card say it.
  if (!failure.fix.isEmpty() && !namesAlone(failure))
    column->addWidget(wrapped(cardLabel(failure.fix, content, theme.grey)));
  return content;
}

}  // namespace rx::views
