#include "views/panels/profile/flame_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

QString nameOf(const ProfileRow& row) { return row.callee.isEmpty() ? row.name : row.callee; }

}  // namespace

QString flameLabel(const QString& name, const QFontMetrics& letters, double room) {
  constexpr int kLeastLetters = 8;  // fewer say nothing of a name
  if (letters.horizontalAdvance(name) <= room) return name;
  if (room < letters.averageCharWidth() * kLeastLetters) return {};
  return letters.elidedText(name, Qt::ElideMiddle, static_cast<int>(room));
}

FlameView::FlameView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("The last run over time"));
  setMouseTracking(true);
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

void FlameView::setProfiles(ProfilePtr now, ProfilePtr before, const LayerOf& layerOf) {
  bands_.clear();
  for (ProfilePtr& profile : {std::ref(before), std::ref(now)})
    if (profile && !profile->flame.empty()) bands_.push_back(bandOf(profile, layerOf));
  currentName_.clear();
  currentCallee_.clear();
  if (now)
    setAccessibleDescription(tr("%1 steps of %2").arg(grouped(static_cast<qint64>(now->flame.size())), now->function));
  updateGeometry();
  update();
}

void FlameView::setCurrent(const ProfileRow& row) {
  currentName_ = row.name;
  currentCallee_ = row.callee;
  update();
}

bool FlameView::isCurrent(const ProfileRow& row) const {
  if (currentName_.isEmpty() && currentCallee_.isEmpty()) return false;
  return currentCallee_.isEmpty() ? row.callee == currentName_
                                  : row.name == currentName_ && row.callee == currentCallee_;
}

double FlameView::xOf(double nanoseconds) const {
  double end = 1;
  for (const Band& band : bands_) end = std::max(end, band.end);
  const int letter = fontMetrics().averageCharWidth();
  return letter * 3 + (width() - letter * 4) * nanoseconds / end;
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
    const QRectF box(left, topOf(at), std::max(1.0, xOf(layer.end) - left), laneHeight() - 2);
    painter.fillRect(box, theme.panel);
    painter.setPen(theme.border);
    painter.drawRect(box);
    const QString time = durationText((layer.end - layer.begin) * 1e-6);
    const QString whole = layer.name + QLatin1Char(' ') + time;
    const bool room = fontMetrics().horizontalAdvance(whole) < box.width() - letter;
    const QString label = room ? whole : flameLabel(layer.name, fontMetrics(), box.width() - 6);
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
    const ProfileRow& row = band.profile->calls[static_cast<size_t>(event.row)];
    const QRectF lane = laneOf(at, event.depth);
    const auto number = static_cast<size_t>(std::clamp(event.depth - band.first, 0, band.lanes - 1));
    const double left = xOf(event.begin), right = xOf(event.begin + event.nanoseconds);
    const bool current = isCurrent(row);
    // What is less than a pixel beside another is not seen.
    if (right < drawn[number] + 0.5 && !current) continue;
    const QRectF box(left, lane.top(), std::max(1.0, right - left), lane.height());
    drawn[number] = box.right();
    const KindColors& colors = theme.of(row.kernel ? OpKind::Compute : OpKind::Memory);
    painter.fillRect(box, colors.bar);
    if (current) {
      painter.setPen(QPen(theme.text, 2));
      painter.drawRect(box.adjusted(1, 1, -1, -1));
    } else if (box.width() > 3) {
      painter.setPen(theme.base);
      painter.drawRect(box);
    }
    const QString label = flameLabel(nameOf(row), fontMetrics(), box.width() - 6);
    if (label.isEmpty()) continue;
    painter.setPen(theme.text);
    painter.drawText(box.adjusted(4, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft, label);
  }
}

void FlameView::drawScale(QPainter& painter) const {
  const Palette& theme = Palette::forQt(palette());
  double end = 1;
  for (const Band& band : bands_) end = std::max(end, band.end);
  // Round steps, some eight of them.
  const double rough = end / 8, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
  painter.setPen(theme.grey);
  const double top = height() - laneHeight();
  const int letter = fontMetrics().averageCharWidth();
  for (double at = 0; at <= end; at += step) {
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
  const Profile* of = nullptr;
  const ProfileEvent* found = event->button() == Qt::LeftButton ? eventAt(event->position(), &of) : nullptr;
  if (!found || of != bands_.back().profile.get()) return QWidget::mousePressEvent(event);
  Q_EMIT picked(found->row);
}

bool FlameView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const Profile* of = nullptr;
  const ProfileEvent* found = eventAt(help->pos(), &of);
  QToolTip::showText(help->globalPos(),
                     found ? tr("%1: %2").arg(nameOf(of->calls[static_cast<size_t>(found->row)]),
                                              durationText(found->nanoseconds * 1e-6))
                           : QString(),
                     this);
  return true;
}

}  // namespace rx::views
