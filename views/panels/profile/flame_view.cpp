#include "views/panels/profile/flame_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/models/numbers.h"
#include "views/models/profile_board.h"
#include "views/theme/palette.h"

namespace rx::views {

QString flameLabel(const QString& name, const QFontMetrics& letters, double room) {
  constexpr int kLeastLetters = 8;  // fewer say nothing of a name
  if (letters.horizontalAdvance(name) <= room) return name;
  if (room < letters.averageCharWidth() * kLeastLetters) return {};
  return letters.elidedText(name, Qt::ElideMiddle, static_cast<int>(room));
}

FlameView::FlameView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("The last run over time"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
}

QSize FlameView::sizeHint() const {
  double lanes = 1.5;
  for (const Band& band : bands_) lanes += band.all() + 0.5;
  return {fontMetrics().averageCharWidth() * 40, static_cast<int>(laneHeight() * lanes)};
}
QSize FlameView::minimumSizeHint() const { return {1, sizeHint().height()}; }

double FlameView::laneHeight() const { return fontMetrics().height() * 1.4; }

/// None where no layer has more than one call: they would only repeat the lane below.
std::vector<FlameView::Layer> FlameView::layersIn(const Profile& profile, int depth, const LayerOf& layerOf) {
  std::vector<Layer> layers;
  bool several = false;
  for (const ProfileEvent& event : profile.flame) {
    if (event.depth != depth) continue;
    const QString name = layerOf(profile.calls[static_cast<size_t>(event.row)]);
    if (name.isEmpty()) continue;
    const bool goesOn = !layers.empty() && layers.back().name == name;
    several = several || goesOn;
    if (!goesOn) layers.push_back({name, event.begin, event.begin});
    layers.back().end = event.begin + event.nanoseconds;
  }
  return several ? layers : std::vector<Layer>();
}

FlameView::Band FlameView::bandOf(ProfilePtr profile, const LayerOf& layerOf) {
  Band band{std::move(profile), 0, 1, 0};
  int last = 0;
  band.first = band.profile->flame.empty() ? 0 : band.profile->flame.front().depth;
  for (const ProfileEvent& event : band.profile->flame) {
    band.first = std::min(band.first, event.depth);
    last = std::max(last, event.depth);
    band.end = std::max(band.end, event.begin + event.nanoseconds);
  }
  constexpr int kMostLanes = 6;
  band.lanes = std::clamp(last - band.first + 1, 1, kMostLanes);
  band.layers = layersIn(*band.profile, band.first, layerOf);
  return band;
}

void FlameView::setBoard(const ProfileBoard* board) {
  board_ = board;
  bands_.clear();
  const LayerOf layerOf = [board](const ProfileRow& row) {
    if (row.sources.empty()) return QString();
    const QString layer = board->layerOf(row.sources.front());
    return layer == row.sources.front().variable ? QString() : layer;
  };
  const ProfilePtr now = board->shown(), before = board->against();
  for (const ProfilePtr& profile : {before, now})
    if (profile && !profile->flame.empty()) bands_.push_back(bandOf(profile, layerOf));
  if (now)
    setAccessibleDescription(tr("%1 steps of %2").arg(grouped(static_cast<qint64>(now->flame.size())), now->function));
  fit();
  updateGeometry();
}

bool FlameView::isCurrent(const ProfileEvent& event, size_t band) const {
  const Profile& profile = *bands_[band].profile;
  const bool isShown = bands_[band].profile == board_->shown();
  return board_->isChosen(profile.calls[static_cast<size_t>(event.row)], isShown ? event.row : -1);
}

double FlameView::allNanoseconds() const {
  double end = 1;
  for (const Band& band : bands_) end = std::max(end, band.end);
  return end;
}

double FlameView::across() const { return std::max(1, width() - fontMetrics().averageCharWidth() * 4); }

double FlameView::xOf(double nanoseconds) const {
  return fontMetrics().averageCharWidth() * 3 + across() * zoom_ * (nanoseconds - left_) / allNanoseconds();
}

void FlameView::scrollTo(double left) {
  left_ = std::clamp(left, 0.0, allNanoseconds() * (1 - 1 / zoom_));
  update();
}

void FlameView::zoom(double factor, double at) {
  constexpr double kMost = 1e5;
  const double moment = left_ + (at - fontMetrics().averageCharWidth() * 3) * allNanoseconds() / (across() * zoom_);
  const double was = zoom_;
  zoom_ = std::clamp(zoom_ * factor, 1.0, kMost);
  scrollTo(moment - (moment - left_) * was / zoom_);
}

void FlameView::fit() {
  zoom_ = 1;
  scrollTo(0);
}

void FlameView::showChosen() {
  update();
  if (bands_.empty() || !board_ || board_->choice().none()) return;
  const Band& band = bands_.back();
  const double seen = allNanoseconds() / zoom_;
  double nearest = -1;
  for (const ProfileEvent& event : band.profile->flame) {
    if (!isCurrent(event, bands_.size() - 1)) continue;
    if (event.begin + event.nanoseconds > left_ && event.begin < left_ + seen) return;
    if (nearest < 0) nearest = event.begin;
  }
  if (nearest >= 0) scrollTo(nearest - seen / 4);
}

double FlameView::topOf(size_t band) const {
  double top = 4;
  for (size_t i = 0; i < band; ++i) top += (bands_[i].all() + 0.5) * laneHeight();
  return top;
}

QRectF FlameView::laneOf(size_t band, int depth) const {
  const int lane =
      std::clamp(depth - bands_[band].first, 0, bands_[band].lanes - 1) + bands_[band].all() - bands_[band].lanes;
  return {0, topOf(band) + lane * laneHeight(), static_cast<double>(width()), laneHeight() - 2};
}

void FlameView::drawLayers(QPainter& painter, size_t at) const {
  const Palette& theme = Palette::forQt(palette());
  const int letter = fontMetrics().averageCharWidth();
  for (const Layer& layer : bands_[at].layers) {
    const double left = xOf(layer.begin);
    const QRectF whole(left, topOf(at), std::max(1.0, xOf(layer.end) - left), laneHeight() - 2);
    painter.fillRect(whole, theme.panel);
    painter.setPen(theme.border);
    painter.drawRect(whole);
    const QRectF box = whole.intersected(rect());
    const QString time = durationText((layer.end - layer.begin) * 1e-6);
    const QString both = layer.name + QLatin1Char(' ') + time;
    const bool room = fontMetrics().horizontalAdvance(both) < box.width() - letter;
    const QString label = room ? both : flameLabel(layer.name, fontMetrics(), box.width() - 6);
    if (label.isEmpty()) continue;
    painter.setPen(theme.text);
    painter.drawText(box.adjusted(4, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft, label);
  }
}

/// Of two the one that ends first ends at a line, which says how much earlier.
void FlameView::drawDifference(QPainter& painter) const {
  if (bands_.size() != 2 || bands_[0].end <= 0) return;
  const double before = bands_[0].end, now = bands_[1].end;
  const size_t shorter = now < before ? 1 : 0;
  const double percent = std::abs(now / before - 1) * 100;
  if (percent < 1) return;
  const Palette& theme = Palette::forQt(palette());
  const double x = xOf(std::min(now, before));
  painter.setPen(QPen(now < before ? theme.good : theme.warning, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, topOf(shorter)), QPointF(x, topOf(shorter) + bands_[shorter].all() * laneHeight()));
  const QString words = tr("%1 %2, %3 %")
                            .arg(durationText(std::abs(now - before) * 1e-6), now < before ? tr("less") : tr("more"))
                            .arg(percent, 0, 'f', 0);
  const QRectF place(x + 6, topOf(shorter), width() - x - 6, laneHeight() - 2);
  if (fontMetrics().horizontalAdvance(words) < place.width())
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, words);
}

void FlameView::draw(QPainter& painter, size_t at) const {
  const Palette& theme = Palette::forQt(palette());
  const Band& band = bands_[at];
  drawLayers(painter, at);
  painter.setPen(theme.grey);
  const bool isBefore = at + 1 < bands_.size();
  if (bands_.size() > 1)
    painter.drawText(QRectF(4, topOf(at), width(), laneHeight() - 2), Qt::AlignVCenter, isBefore ? tr("A") : tr("B"));
  std::vector<double> drawn(static_cast<size_t>(band.lanes), -1);  // right edge of what stands in each lane
  for (const ProfileEvent& event : band.profile->flame) {
    const QRectF lane = laneOf(at, event.depth);
    const auto number = static_cast<size_t>(std::clamp(event.depth - band.first, 0, band.lanes - 1));
    const double left = xOf(event.begin), right = xOf(event.begin + event.nanoseconds);
    if (right < 0 || left > width()) continue;
    const bool current = isCurrent(event, at);
    // What is less than a pixel beside another is not seen.
    if (right < drawn[number] + 0.5 && !current) continue;
    const QRectF box(left, lane.top(), std::max(1.0, right - left), lane.height());
    drawn[number] = box.right();
    drawEvent(painter, band.profile->calls[static_cast<size_t>(event.row)], box, current);
  }
}

/// What the filter leaves out stands in outline alone.
void FlameView::drawEvent(QPainter& painter, const ProfileRow& row, const QRectF& box, bool current) const {
  const Palette& theme = Palette::forQt(palette());
  const bool seen = board_->matches(row);
  painter.fillRect(box, seen ? theme.of(board_->kindOf(row)).bar : theme.panel);
  if (current) {
    painter.setPen(QPen(theme.accent, 3));
    painter.drawRect(box.adjusted(1, 1, -1, -1));
  } else if (box.width() > 3) {
    painter.setPen(seen ? theme.base : theme.border);
    painter.drawRect(box);
  }
  // A bar that begins left of the view says what it is at the view's end.
  const QRectF inSight = box.intersected(rect());
  const QString label = flameLabel(board_->nameOf(row), fontMetrics(), inSight.width() - 6);
  if (label.isEmpty()) return;
  painter.setPen(seen ? theme.text : theme.grey);
  painter.drawText(inSight.adjusted(4, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft, label);
}

void FlameView::drawScale(QPainter& painter) const {
  const Palette& theme = Palette::forQt(palette());
  // Round steps, some eight of them.
  const double end = std::min(allNanoseconds(), left_ + allNanoseconds() / zoom_);
  const double rough = allNanoseconds() / zoom_ / 8, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
  painter.setPen(theme.grey);
  const double top = height() - laneHeight();
  const int letter = fontMetrics().averageCharWidth();
  // Counted, as steps that are added up lose what is small beside where they stand.
  const auto from = static_cast<qint64>(std::ceil(left_ / step)), to = static_cast<qint64>(end / step);
  for (qint64 i = from; i <= to; ++i) {
    const double at = static_cast<double>(i) * step;
    const QRectF label(xOf(at) - letter * 6, top, letter * 12, laneHeight());
    painter.drawText(at == 0 ? label.translated(letter * 6, 0) : label,
                     (at == 0 ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter, durationText(at * 1e-6));
  }
}

void FlameView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Palette::forQt(palette()).base);
  for (size_t band = 0; band < bands_.size(); ++band) draw(painter, band);
  drawDifference(painter);
  if (!bands_.empty()) drawScale(painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(Palette::forQt(palette()).accent, 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

const ProfileEvent* FlameView::eventAt(const QPointF& at, const Profile** of) const {
  for (size_t band = 0; band < bands_.size(); ++band) {
    const ProfileEvent* best = nullptr;
    for (const ProfileEvent& event : bands_[band].profile->flame) {
      const QRectF lane = laneOf(band, event.depth);
      if (at.y() < lane.top() || at.y() > lane.bottom()) continue;
      if (at.x() < xOf(event.begin) || at.x() > xOf(event.begin + event.nanoseconds) + 1) continue;
      if (!best || event.nanoseconds > best->nanoseconds) best = &event;
    }
    if (!best) continue;
    if (of) *of = bands_[band].profile.get();
    return best;
  }
  return nullptr;
}

void FlameView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  pressed_ = event->position().x();
  const Profile* of = nullptr;
  const ProfileEvent* found = eventAt(event->position(), &of);
  if (found) Q_EMIT picked(found->row, of == board_->shown().get());
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton) || pressed_ < 0) return QWidget::mouseMoveEvent(event);
  const double now = event->position().x();
  scrollTo(left_ - (now - std::exchange(pressed_, now)) * allNanoseconds() / (across() * zoom_));
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const ProfileEvent* found = eventAt(event->position())) Q_EMIT entered(found->row);
}

void FlameView::wheelEvent(QWheelEvent* event) {
  constexpr double kAStep = 120;  // a notch of a wheel, in Qt's units
  const QPoint turned = event->angleDelta();
  if (std::abs(turned.x()) > std::abs(turned.y()))
    scrollTo(left_ - turned.x() / kAStep * allNanoseconds() / zoom_ / 10);
  else
    zoom(std::pow(1.25, turned.y() / kAStep), event->position().x());
  event->accept();
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  const double seen = allNanoseconds() / zoom_;
  switch (event->key()) {
    case Qt::Key_Plus:
      return zoom(1.25);
    case Qt::Key_Minus:
      return zoom(0.8);
    case Qt::Key_Space:
      return fit();
    case Qt::Key_Left:
      return scrollTo(left_ - seen / 10);
    case Qt::Key_Right:
      return scrollTo(left_ + seen / 10);
    default:
      QWidget::keyPressEvent(event);
  }
}

bool FlameView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const Profile* of = nullptr;
  const ProfileEvent* found = eventAt(help->pos(), &of);
  QToolTip::showText(help->globalPos(),
                     found ? tr("%1: %2").arg(board_->nameOf(of->calls[static_cast<size_t>(found->row)]),
                                              durationText(found->nanoseconds * 1e-6))
                           : QString(),
                     this);
  return true;
}

}  // namespace rx::views
