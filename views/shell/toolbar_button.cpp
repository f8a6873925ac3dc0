#include "views/shell/toolbar_button.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionToolButton>
#include <tuple>

#include "views/shell/themed_style.h"
#include "views/theme/icons.h"

namespace rx::views {
namespace {

constexpr double kKeySize = 0.92;

/// One name of a LayoutSwitch; the frame round all of them is drawn by each where it passes through it.
class Segment : public QToolButton {
 public:
  Segment(const QString& name, QWidget* parent) : QToolButton(parent) {
    setText(name);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
  }
  QSize sizeHint() const override {
    QFont bold = font();
    bold.setBold(true);
    return spaceOf(Spaced::Button, fontMetrics())
        .around({QFontMetrics(bold).horizontalAdvance(text()), fontMetrics().height()});
  }
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Palette& theme = Palette::forQt(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr double kRadius = 4;
    const QRectF frame = QRectF(parentWidget()->rect()).translated(-pos()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath shape;
    shape.addRoundedRect(frame, kRadius, kRadius);
    painter.save();
    painter.setClipPath(shape);
    painter.fillRect(rect(), isChecked() ? theme.selection : underMouse() ? theme.hover : theme.raised);
    if (x() > 0) painter.fillRect(QRect(0, 0, 1, height()), theme.border);
    painter.restore();
    painter.setPen(theme.border);
    painter.drawPath(shape);
    if (hasFocus()) {
      painter.setPen(QPen(theme.accent, 2));
      painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kRadius, kRadius);
    }
    QFont letters = font();
    letters.setBold(isChecked());
    painter.setFont(letters);
    painter.setPen(theme.text);
    painter.drawText(rect(), Qt::AlignCenter, text());
  }
};

}  // namespace

int ToolbarButton::Parts::width() const {
  int sum = 0;
  for (const int part : {icon, name, key, arrow}) {
    if (part > 0) sum += part + (sum > 0 ? gap : 0);
  }
  return sum;
}

ToolbarButton::ToolbarButton(const char* icon, const QString& name, const QString& key, QWidget* parent)
    : QToolButton(parent), icon_(icon), name_(name), key_(key) {
  setAccessibleName(name);
  setFocusPolicy(Qt::TabFocus);
}

void ToolbarButton::setName(const QString& name) {
  if (name == name_) return;
  name_ = name;
  setAccessibleName(name);
  measureAnew();
}

void ToolbarButton::setKey(const QString& key) {
  key_ = key;
  measureAnew();
}

void ToolbarButton::measureAnew() {
  widths_.fill(std::nullopt);
  updateGeometry();
  update();
}

/// Letters are wider where they are bold, as those of a primary button are.
bool ToolbarButton::event(QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::FontChange || type == QEvent::StyleChange || type == QEvent::DynamicPropertyChange) measureAnew();
  return QToolButton::event(event);
}

void ToolbarButton::setShown(Shown shown) {
  if (shown == shown_) return;
  shown_ = shown;
  updateGeometry();
  update();
}

QFont ToolbarButton::nameFont() const {
  QFont letters = font();
  letters.setBold(property("primary").toBool());
  return letters;
}

QFont ToolbarButton::keyFont() const {
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * kKeySize);
  return small;
}

ToolbarButton::Parts ToolbarButton::parts(Shown shown) const {
  const QFontMetrics letters = fontMetrics();
  Parts parts;
  parts.gap = letters.averageCharWidth() * 3 / 4;
  if (icon_) parts.icon = letters.height();
  auto& known = widths_[static_cast<size_t>(shown)];
  if (!known) {
    const bool named = shown != Shown::IconOnly || !icon_, keyed = shown == Shown::NameAndKey && !key_.isEmpty();
    known.emplace(named ? QFontMetrics(nameFont()).horizontalAdvance(name_) : 0,
                  keyed ? QFontMetrics(keyFont()).horizontalAdvance(key_) : 0);
  }
  std::tie(parts.name, parts.key) = *known;
  if (menu()) parts.arrow = letters.height() * 3 / 4;
  return parts;
}

int ToolbarButton::widthFor(Shown shown) const {
  return spaceOf(Spaced::Button, fontMetrics()).around({parts(shown).width(), 0}).width();
}

int ToolbarButton::widthNamed(const QString& name) const {
  const QFontMetrics letters(nameFont());
  return widthFor(shown_) + letters.horizontalAdvance(name) - letters.horizontalAdvance(name_);
}

QSize ToolbarButton::sizeHint() const {
  return spaceOf(Spaced::Button, fontMetrics()).around({parts(shown_).width(), fontMetrics().height()});
}

void ToolbarButton::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QStyleOptionToolButton option;
  initStyleOption(&option);
  QPainter painter(this);
  style()->drawPrimitive(QStyle::PE_PanelButtonTool, &option, &painter, this);
  const bool primary = property("primary").toBool() && isEnabled();
  const QColor ink = primary ? theme.onAccent : isEnabled() ? theme.text : theme.grey;
  const QIcon::Mode mode = isEnabled() ? QIcon::Normal : QIcon::Disabled;
  const Parts parts = this->parts(shown_);
  int x = (width() - parts.width()) / 2;
  const auto next = [&](int width) {
    const QRect place(x, 0, width, height());
    x += width + parts.gap;
    return place;
  };
  const auto drawIcon = [&](const char* name, const QRect& place) {
    (primary ? views::icon(name, theme.onAccent) : views::icon(name, theme))
        .paint(&painter, place, Qt::AlignCenter, mode);
  };
  if (parts.icon) {
    const QRect place = next(parts.icon);
    drawIcon(icon_, QRect(place.x(), (height() - parts.icon) / 2, parts.icon, parts.icon));
  }
  painter.setPen(ink);
  if (parts.name) {
    painter.setFont(nameFont());
    painter.drawText(next(parts.name), Qt::AlignVCenter | Qt::TextDontClip | Qt::TextSingleLine, name_);
  }
  if (parts.key) {
    painter.setFont(keyFont());
    if (!primary) painter.setPen(theme.grey);
    painter.drawText(next(parts.key), Qt::AlignVCenter | Qt::TextDontClip | Qt::TextSingleLine, key_);
  }
  if (parts.arrow) drawIcon("down", QRect(x, (height() - parts.arrow) / 2, parts.arrow, parts.arrow));
}

LayoutSwitch::LayoutSwitch(QWidget* parent) : QWidget(parent) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  setAccessibleName(tr("Layout"));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void LayoutSwitch::show(const QStringList& names, const QString& current) {
  if (names != names_) {
    names_ = names;
    for (Segment* old : findChildren<Segment*>()) delete old;
    for (const QString& name : names) {
      auto* segment = new Segment(name, this);
      segment->setAccessibleName(tr("Layout %1").arg(name));
      segment->setToolTip(tr("Layout %1  Ctrl+%2").arg(name, QString::number(names.indexOf(name) + 1)));
      layout()->addWidget(segment);
      connect(segment, &QToolButton::clicked, this, [this, name] { Q_EMIT chosen(name); });
    }
    updateGeometry();
  }
  for (Segment* segment : findChildren<Segment*>()) segment->setChecked(segment->text() == current);
}

}  // namespace rx::views
