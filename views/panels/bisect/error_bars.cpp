#include "views/panels/bisect/error_bars.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

/// Pixels of what is equal, and of a bar that can still be told from its neighbours.
constexpr double kTick = 3, kThinnest = 3;

/// Whether a value has an error that a number tells: forms that differ have none.
bool isMeasured(const ComparedValue& value) { return value.within || value.off > 0; }

}  // namespace

ErrorBars::ErrorBars(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Errors of every binding after every pass"));
}

QSize ErrorBars::sizeHint() const { return {fontMetrics().averageCharWidth() * 70, fontMetrics().height() * 10}; }
QSize ErrorBars::minimumSizeHint() const { return {0, fontMetrics().height() * 6}; }

void ErrorBars::setReport(const BisectReport* report) {
  report_ = report;
  stage_ = value_ = -1;
  measure();
  update();
}

void ErrorBars::setCurrent(int stage, int value) {
  stage_ = stage;
  value_ = value;
  const StageOutcome* row = report_ ? report_->stage(stage) : nullptr;
  setAccessibleDescription(row ? barText(*row, value) : QString());
  update();
}

/// The scale holds the limit and every error that is a number.
void ErrorBars::measure() {
  limit_ = 0;
  lowest_ = -8;
  most_ = 0;
  if (!report_) return;
  for (const StageOutcome& stage : report_->stages) {
    for (const ComparedValue& value : stage.values) {
      limit_ = std::max(limit_, value.limit);
      if (!(value.scaled > 0) || !std::isfinite(value.scaled)) continue;
      lowest_ = std::min(lowest_, std::floor(std::log10(value.scaled)));
      most_ = std::max(most_, std::ceil(std::log10(value.scaled)));
    }
  }
}

QString ErrorBars::limitText() const { return tr("limit %1").arg(shortNumber(limit_, 2)); }

QRectF ErrorBars::plot() const {
  const int letter = fontMetrics().averageCharWidth(), line = fontMetrics().height();
  const int labels = fontMetrics().horizontalAdvance(limitText());
  return QRectF(rect()).adjusted(labels + letter * 2, line * 1.4, -letter, -line * 2.6);
}

QRectF ErrorBars::column(int stage) const {
  const QRectF box = plot();
  const double each = box.width() / std::max(1, report_ ? report_->total : 1);
  return {box.left() + each * stage, box.top(), each, box.height()};
}

/// Of the plot: what is equal lies on the ground, what is not finite reaches the top.
double ErrorBars::heightOf(double error) const {
  const double all = plot().height();
  if (!(error > 0)) return kTick;
  if (!std::isfinite(error)) return all;
  return std::max(kTick * 2, all * (std::log10(error) - lowest_ + 1) / (most_ - lowest_ + 1));
}

std::vector<ErrorBars::Bar> ErrorBars::barsOf(const StageOutcome& stage) const {
  std::vector<Bar> bars;
  if (stage.values.empty()) return bars;
  const QRectF box = column(stage.stage);
  const double wide = box.width() * 0.8, left = box.left() + box.width() * 0.1;
  const auto count = static_cast<double>(stage.values.size());
  const double each = std::max(wide / count, std::min(kThinnest, wide));
  const double thick = std::max(1.0, each * 0.8);
  for (size_t i = 0; i < stage.values.size(); ++i) {
    const double x = left + std::floor(wide * static_cast<double>(i) / count / each) * each;
    const double high = isMeasured(stage.values[i]) ? heightOf(stage.values[i].scaled) : box.height();
    const Bar bar{{x, box.bottom() - high, thick, high}, static_cast<int>(i)};
    if (bars.empty() || bars.back().box.left() < x - 0.5)
      bars.push_back(bar);
    else if (high > bars.back().box.height() || (!stage.values[i].within && stage.values[bars.back().value].within))
      bars.back() = bar;
  }
  return bars;
}

void ErrorBars::paintAxis(QPainter& painter) const {
  const Palette& theme = Palette::forQt(palette());
  const QRectF box = plot();
  const int letter = fontMetrics().averageCharWidth(), line = fontMetrics().height();
  const auto label = [&](double y, const QString& text, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QRectF(0, y - line / 2.0, box.left() - letter, line), Qt::AlignRight | Qt::AlignVCenter, text);
  };
  const double limit = box.bottom() - heightOf(limit_);
  const double step = std::max(1.0, std::ceil(line * 1.5 * (most_ - lowest_ + 1) / std::max(1.0, box.height())));
  for (double power = most_; power >= lowest_; power -= step) {
    const double y = box.bottom() - heightOf(std::pow(10, power));
    painter.setPen(theme.border);
    painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    // The limit and the ground have their own words.
    if (std::fabs(y - limit) > line && box.bottom() - y > line)
      label(y, power == 0 ? QStringLiteral("1") : QStringLiteral("1e%1").arg(power), theme.grey);
  }
  label(box.bottom(), tr("equal"), theme.grey);
  painter.setPen(theme.grey);
  painter.drawLine(box.bottomLeft(), box.bottomRight());
  if (limit_ <= 0) return;
  painter.setPen(QPen(theme.warning, 1.2, Qt::DashLine));
  painter.drawLine(QPointF(box.left(), limit), QPointF(box.right(), limit));
  label(limit, limitText(), theme.warning);
}

void ErrorBars::paintBars(QPainter& painter, const StageOutcome& stage) const {
  const Palette& theme = Palette::forQt(palette());
  const bool guilty = stage.stage == report_->guilty;
  for (const Bar& bar : barsOf(stage)) {
    const ComparedValue& value = stage.values[static_cast<size_t>(bar.value)];
    if (value.within) {
      painter.fillRect(bar.box, value.equal ? theme.good : theme.of(OpKind::Compute).bar);
    } else if (guilty || report_->guilty < 0) {
      painter.fillRect(bar.box, theme.error);
    } else {
      painter.setPen(theme.grey);
      painter.setBrush(QBrush(theme.grey, Qt::BDiagPattern));
      painter.drawRect(bar.box);
    }
    if (stage.stage != stage_ || bar.value != value_) continue;
    painter.setPen(QPen(theme.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.box.adjusted(-2, -2, 2, 0));
  }
  // Of the guilty one the numbers, as far as they have room.
  if (!guilty) return;
  QRectF before;
  painter.setPen(theme.error);
  for (const Bar& bar : barsOf(stage)) {
    const ComparedValue& value = stage.values[static_cast<size_t>(bar.value)];
    if (value.within) continue;
    const QString text = isMeasured(value) ? shortNumber(value.scaled, 2) : tr("form");
    const double wide = fontMetrics().horizontalAdvance(text) + 4, line = fontMetrics().height();
    const QRectF label(bar.box.center().x() - wide / 2, bar.box.top() - line - 1, wide, line);
    if (label.left() < before.right() && !before.isNull()) continue;
    // A higher bar beside it stands where it is written.
    painter.fillRect(label, theme.errorFill);
    painter.setPen(theme.error);
    painter.drawText(label, Qt::AlignCenter, text);
    before = label;
  }
}

/// The number of the stage, and the how manieth run was of it.
void ErrorBars::paintFoot(QPainter& painter, int number) const {
  const Palette& theme = Palette::forQt(palette());
  const QRectF box = column(number);
  const int line = fontMetrics().height();
  const StageOutcome* stage = report_->stage(number);
  const QString text = QString::number(number);
  // Numbers that would touch are left out, but for those that matter.
  const double wide = fontMetrics().horizontalAdvance(QString::number(report_->total)) + 6;
  const int every = std::max(1, static_cast<int>(std::ceil(wide / std::max(1.0, box.width()))));
  const bool matters = number == stage_ || number == report_->guilty;
  const QRectF foot(box.center().x() - wide, box.bottom() + 2, wide * 2, line);
  if (matters || number % every == 0) {
    QFont font = painter.font();
    font.setBold(matters);
    painter.setFont(font);
    painter.setPen(!stage ? theme.grey : stage->isBad() ? theme.error : theme.text);
    painter.drawText(foot, Qt::AlignCenter, text);
    font.setBold(false);
    painter.setFont(font);
  }
  const QString run = stage && stage->run > 0 ? tr("run %1").arg(stage->run) : QString();
  if (fontMetrics().horizontalAdvance(run) + 8 > box.width()) return;
  painter.setPen(theme.grey);
  painter.drawText(QRectF(box.left(), foot.bottom() + 1, box.width(), line), Qt::AlignCenter, run);
}

void ErrorBars::paintStage(QPainter& painter, int number) const {
  const Palette& theme = Palette::forQt(palette());
  const StageOutcome* stage = report_->stage(number);
  const QRectF box = column(number);
  const QRectF whole(box.left(), 1, box.width(), height() - 2);
  if (number == stage_) painter.fillRect(whole, theme.selection);
  if (number == report_->guilty) {
    painter.fillRect(whole.adjusted(2, 2, -2, -2), theme.errorFill);
    painter.setPen(QPen(theme.error, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(whole.adjusted(1, 1, -1, -1));
  }
  if (stage && stage->values.empty() && stage->isBad()) {
    // It has no values at all: it failed, or was refused.
    painter.setPen(theme.error);
    painter.setBrush(QBrush(theme.error, Qt::BDiagPattern));
    painter.drawRect(box.adjusted(box.width() * 0.1, 0, -box.width() * 0.1, 0));
  } else if (stage) {
    paintBars(painter, *stage);
  }
  paintFoot(painter, number);
}

void ErrorBars::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  if (!report_ || report_->total <= 0) return;
  for (int i = 0; i < report_->total; ++i)
    if (i != report_->guilty) paintStage(painter, i);
  paintAxis(painter);
  if (report_->guilty >= 0) paintStage(painter, report_->guilty);
  if (hasFocus()) {
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

QString ErrorBars::barText(const StageOutcome& stage, int value) const {
  const QString name = QStringLiteral("%1 %2").arg(stage.stage).arg(stage.name);
  if (value < 0 || static_cast<size_t>(value) >= stage.values.size())
    return QStringLiteral("%1: %2").arg(name, stage.outcome.isEmpty() ? stage.verdict : stage.outcome);
  const ComparedValue& row = stage.values[static_cast<size_t>(value)];
  if (row.equal) return tr("%1: %2 is equal, bit for bit").arg(name, row.binding);
  if (!isMeasured(row)) return QStringLiteral("%1: %2: %3").arg(name, row.binding, causeText(row));
  return tr("%1: %2 is %3 off, in proportion %4; %5")
      .arg(name, row.binding, row.absolute, row.relative, causeText(row));
}

QString ErrorBars::text() const {
  QString text;
  if (!report_) return text;
  for (const StageOutcome& stage : report_->stages) {
    QStringList values;
    for (const ComparedValue& value : stage.values)
      values << QStringLiteral("%1 %2").arg(
          value.binding, value.equal ? tr("equal") : shortNumber(value.scaled, 2) + (value.within ? "" : tr(" off")));
    text += QStringLiteral("%1 %2: %3\n")
                .arg(stage.stage)
                .arg(stage.name, values.isEmpty() ? stage.verdict : values.join(QStringLiteral(", ")));
  }
  return text;
}

std::pair<int, int> ErrorBars::placeAt(const QPointF& at) const {
  if (!report_ || report_->total <= 0) return {-1, -1};
  const QRectF box = plot();
  const int number = static_cast<int>((at.x() - box.left()) / std::max(1.0, column(0).width()));
  const StageOutcome* stage = at.x() < box.left() ? nullptr : report_->stage(number);
  if (!stage) return {-1, -1};
  const std::vector<Bar> bars = barsOf(*stage);
  // The whole height over a bar is its own: most are flat.
  for (const Bar& bar : bars)
    if (at.x() >= bar.box.left() - 1 && at.x() <= bar.box.right() + 1 && at.y() <= box.bottom())
      return {number, bar.value};
  return {number, -1};
}

void ErrorBars::mousePressEvent(QMouseEvent* event) {
  const auto [stage, value] = placeAt(event->position());
  if (event->button() != Qt::LeftButton || stage < 0) return QWidget::mousePressEvent(event);
  Q_EMIT picked(stage, value);
}

void ErrorBars::mouseDoubleClickEvent(QMouseEvent* event) {
  if (placeAt(event->position()).first >= 0) Q_EMIT chosen();
}

/// Left and Right go by stages that were looked at, Up and Down by the values of one.
void ErrorBars::keyPressEvent(QKeyEvent* event) {
  if (!report_ || report_->stages.empty()) return QWidget::keyPressEvent(event);
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return Q_EMIT chosen();
  const int across = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
  if (across == 0 && down == 0) return QWidget::keyPressEvent(event);
  const auto& stages = report_->stages;
  const auto here =
      std::find_if(stages.begin(), stages.end(), [this](const StageOutcome& each) { return each.stage == stage_; });
  const auto at = here == stages.end() ? std::ptrdiff_t{0} : here - stages.begin();
  const auto next = static_cast<size_t>(std::clamp<std::ptrdiff_t>(at + across, 0, std::ssize(stages) - 1));
  const int count = static_cast<int>(stages[next].values.size());
  Q_EMIT picked(stages[next].stage, down == 0 ? std::min(value_, count - 1) : std::clamp(value_ + down, -1, count - 1));
}

bool ErrorBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const auto [stage, value] = placeAt(help->pos());
  const StageOutcome* row = report_ ? report_->stage(stage) : nullptr;
  row ? QToolTip::showText(help->globalPos(), barText(*row, value), this) : QToolTip::hideText();
  return true;
}

}  // namespace rx::views
