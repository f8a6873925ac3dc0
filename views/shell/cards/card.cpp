#include "views/shell/cards/card.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kEdge = 4;
constexpr int kSpace = 12;
constexpr int kLetters = 92;  // width of a card, as far as there is room
constexpr int kWideLetters = 100;

struct ToneLook {
  const char* icon;
  QColor Palette::*ink;
};
constexpr ToneLook kTones[] = {
    {"check", &Palette::good}, {"warning", &Palette::warning}, {"error", &Palette::error}, {"clock", &Palette::grey}};

QColor inkOf(CardTone tone, const Palette& theme) { return theme.*kTones[static_cast<size_t>(tone)].ink; }
const char* iconOf(CardTone tone) { return kTones[static_cast<size_t>(tone)].icon; }

}  // namespace

QLabel* cardLabel(const QString& text, QWidget* parent, const QColor& ink, bool bold) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (ink.isValid()) {
    QPalette colors = label->palette();
    colors.setColor(QPalette::WindowText, ink);
    label->setPalette(colors);
  }
  if (bold) {
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
  }
  return label;
}

void dressLink(QPushButton* button, const Palette& theme) {
  button->setStyleSheet(
      QStringLiteral("QPushButton { border: 1px solid transparent; background: transparent; color: %1; "
                     "padding: 3px; } QPushButton:hover { text-decoration: underline; } "
                     "QPushButton:focus { border-color: %1; }")
          .arg(theme.link.name()));
}

void addRest(qsizetype left, QVBoxLayout* column, Card* card) {
  if (left > 0)
    column->addWidget(
        card->makeWay({QObject::tr("and %1 more, in Problems").arg(left), {"view.panel", "problems"}, false, true}), 0,
        Qt::AlignLeft);
}

Card::Card(Commands* commands, QWidget* ground)
    : QFrame(ground),
      commands_(commands),
      column_(new QVBoxLayout(this)),
      mark_(new QLabel(this)),
      title_(cardLabel({}, this, {}, true)),
      aside_(cardLabel({}, this)),
      close_(new QToolButton(this)),
      ways_(new QHBoxLayout) {
  setAutoFillBackground(false);
  column_->setContentsMargins(kEdge + kSpace, kSpace, kSpace, kSpace);
  column_->setSpacing(8);
  auto* head = new QHBoxLayout;
  head->addWidget(mark_, 0, Qt::AlignTop);
  head->addWidget(title_, 1);
  head->addWidget(aside_, 0, Qt::AlignTop);
  head->addWidget(close_, 0, Qt::AlignTop);
  column_->addLayout(head);
  column_->addLayout(ways_);
  // Signs and words of the first line stand on one height.
  for (QLabel* label : {mark_, aside_}) label->setMinimumHeight(close_->sizeHint().height());
  title_->setObjectName("cardTitle");
  title_->setWordWrap(true);
  close_->setIcon(icon("close"));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Close  Esc"));
  close_->setAccessibleName(tr("Close"));
  connect(close_, &QToolButton::clicked, this, &Card::dismiss);
  hide();
}

void Card::begin(CardTone tone, const QString& title, const QString& aside) {
  tone_ = tone;
  title_->setText(title);
  aside_->setText(aside);
  setAccessibleName(title);
  dress();
}

void Card::setContent(QWidget* content) {
  if (content_) {
    column_->removeWidget(content_);
    content_->hide();
    content_->deleteLater();
  }
  content_ = content;
  column_->insertWidget(1, content);
}

void Card::setWays(const std::vector<CardWay>& ways) {
  while (QLayoutItem* item = ways_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  buttons_.clear();
  const auto add = [&](const CardWay& way) {
    buttons_ << makeWay(way);
    ways_->addWidget(buttons_.back());
  };
  for (const CardWay& way : ways)
    if (!way.link) add(way);
  ways_->addStretch(1);
  for (const CardWay& way : ways)
    if (way.link) add(way);
  dress();
}

QPushButton* Card::makeWay(const CardWay& way) {
  auto* button = new QPushButton(way.label, this);
  button->setFlat(way.link);
  button->setProperty("primary", way.primary);
  button->setAutoDefault(true);
  if (way.link) dressLink(button, Palette::forQt(palette()));
  connect(button, &QPushButton::clicked, this, [this, command = way.command] {
    dismiss();
    commands_->run(command.value(0), command.mid(1));
  });
  return button;
}

void Card::setText(const QString& text) {
  text_ = text;
  setAccessibleDescription(text);
}

void Card::open(const QRect& area, const QRect& clear, CardSide side, bool focus) {
  side_ = side;
  if (focus && !isVisible()) focusBefore_ = QApplication::focusWidget();
  place(area, clear);
  show();
  // Of a card that was there before, what is new in it would only be shown, and measured, with the next event.
  if (content_) content_->show();
  for (QPushButton* button : buttons_) button->show();
  place(area, clear);  // its labels know their sizes once they are shown
  raise();
  if (focus && !buttons_.isEmpty()) buttons_.front()->setFocus(Qt::OtherFocusReason);
}

void Card::dock() {
  auto* rows = qobject_cast<QBoxLayout*>(parentWidget()->layout());
  if (rows && rows->indexOf(this) < 0) rows->insertWidget(0, this);
  show();
}

void Card::dismiss() {
  if (isHidden()) return;
  const bool hadFocus = isAncestorOf(QApplication::focusWidget());
  hide();
  if (hadFocus) (focusBefore_ ? focusBefore_ : QPointer<QWidget>(parentWidget()))->setFocus(Qt::OtherFocusReason);
  Q_EMIT dismissed();
}

void Card::place(const QRect& area, const QRect& clear) {
  const int most = std::max(200, area.width() - 2 * kSpace);
  const int letters = side_ == CardSide::Right ? kWideLetters : kLetters;
  // A table is as wide as its cells where there is room; sentences wrap.
  const int needed = std::max(minimumSizeHint().width(), column_->sizeHint().width());
  const int usual = std::min(most, std::max(needed, fontMetrics().averageCharWidth() * letters));
  // Where its place is narrower than what it says, it goes beyond: nothing of it is cut off.
  const int width = std::max(usual, std::min(needed, parentWidget()->width() - 2 * kSpace));
  const bool beyond = width > most;
  const int wanted = column_->hasHeightForWidth() ? column_->totalHeightForWidth(width) : sizeHint().height();
  const int height = std::min(wanted, std::max(80, area.height() - 2 * kSpace));
  const int right = area.right() - kSpace - width + 1;
  const int middle = area.left() + (area.width() - width) / 2;
  // Nothing of it lies outside of the window, wherever the middle of its place is.
  const int last = std::max(kSpace, parentWidget()->width() - kSpace - width);
  const int x = std::clamp(side_ == CardSide::Right ? right : middle, kSpace, last);
  int y = area.top() + (area.height() - height) / 2;
  // Beside the text; what is wider stands as low as it can, so that the text above it stays.
  if (side_ == CardSide::Right) y = beyond ? area.bottom() - height - kSpace : area.top() + 4 * kSpace;
  const QRect wish(x, y, width, height);
  // Below the line that it speaks of, or above it; where neither has room, as far away as it goes.
  if (clear.isValid() && wish.adjusted(0, -kSpace, 0, kSpace).intersects(clear)) {
    const int below = clear.bottom() + kSpace;
    const int above = clear.top() - kSpace - height;
    y = below + height <= area.bottom() ? below : above >= area.top() ? above : area.bottom() - height;
  }
  setGeometry(x, std::clamp(y, area.top(), std::max(area.top(), area.bottom() - height)), width, height);
}

void Card::dress() {
  const Palette& theme = Palette::forQt(palette());
  const int size = fontMetrics().height();
  mark_->setPixmap(icon(iconOf(tone_), inkOf(tone_, theme)).pixmap(QSize(size, size)));
  QFont font = this->font();
  font.setBold(true);
  font.setPointSizeF(font.pointSizeF() * 1.1);
  title_->setFont(font);
  QPalette grey = palette();
  grey.setColor(QPalette::WindowText, theme.grey);
  aside_->setPalette(grey);
  for (QPushButton* button : buttons_)
    if (button->isFlat()) dressLink(button, theme);
}

void Card::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return dismiss();
  QFrame::keyPressEvent(event);
}

void Card::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.grey);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.fillRect(QRect(1, 3, kEdge, height() - 6), inkOf(tone_, theme));
}

void Card::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && close_) dress();
}

}  // namespace rx::views
