#include "views/shell/cards/toast.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/shell/cards/card.h"
#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kShortest = 4000;  // milliseconds
constexpr int kLongest = 6000;
constexpr int kPerLetter = 25;
constexpr int kTick = 250;
constexpr int kEdge = 4;      // width of the coloured edge
constexpr int kDistance = 8;  // from the border of the ground
constexpr int kMostLetters = 300;

struct ToneLook {
  const char* word;
  QColor Palette::*ink;
};
constexpr ToneLook kTones[] = {
    {"", &Palette::accent}, {QT_TR_NOOP("Note: "), &Palette::warning}, {QT_TR_NOOP("Error: "), &Palette::error}};

const ToneLook& lookOf(ToastTone tone) { return kTones[static_cast<int>(tone)]; }

/// A text whose words have room in a line: of a longer one, such as a link, the middle is left out.
QString wordsWithin(const QString& text, const QFontMetrics& font, int room) {
  QStringList lines = text.split('\n');
  for (QString& line : lines) {
    QStringList words = line.split(' ');
    for (QString& word : words) word = font.elidedText(word, Qt::ElideMiddle, room);
    line = words.join(' ');
  }
  return lines.join('\n');
}

/// What a toast says, for lines of a width; where that is less than all, the rest is in the tip.
void write(QLabel* label, const ToastContent& content, int width) {
  const bool isLong = content.text.size() > kMostLetters;
  const QString text = wordsWithin(isLong ? content.text.left(kMostLetters) + QStringLiteral("…") : content.text,
                                   label->fontMetrics(), width);
  const char* word = lookOf(content.tone).word;
  label->setText(*word == 0 ? text : Toast::tr(word) + text);
  label->setToolTip(text == content.text ? QString() : content.text);
}

}  // namespace

Toast::Toast(Commands* commands, QWidget* ground)
    : QFrame(ground),
      commands_(commands),
      line_(new QHBoxLayout),
      below_(new QHBoxLayout),
      text_(new QLabel(this)),
      undo_(new QPushButton(tr("Undo"), this)),
      left_(new QLabel(this)),
      close_(new QToolButton(this)) {
  setObjectName("toast");
  setAccessibleName(tr("Message"));
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(kEdge + 10, 6, 6, 6);
  rows->addLayout(line_);
  rows->addLayout(below_);
  below_->addStretch();
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line_->addWidget(text_, 1);
  line_->addWidget(undo_);
  line_->addWidget(left_);
  line_->addWidget(close_);
  undo_->setFlat(true);
  close_->setIcon(icon("close"));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Dismiss"));
  close_->setAccessibleName(tr("Dismiss"));
  for (QWidget* button : {static_cast<QWidget*>(undo_), static_cast<QWidget*>(close_)})
    button->setFocusPolicy(Qt::NoFocus);
  connect(close_, &QToolButton::clicked, this, &Toast::dismiss);
  connect(undo_, &QPushButton::clicked, this, [this] {
    const QStringList undo = content_.undo;
    dismiss();
    commands_->run(undo.value(0), undo.mid(1));
  });
  timer_.setInterval(kTick);
  connect(&timer_, &QTimer::timeout, this, &Toast::tick);
  ground->installEventFilter(this);
  dress();
  hide();
}

int Toast::timeFor(const QString& text) {
  return std::clamp(kShortest + kPerLetter * std::max(0, static_cast<int>(text.size()) - 40), kShortest, kLongest);
}

void Toast::show(const ToastContent& content) {
  content_ = content;
  undo_->setVisible(!content.undo.isEmpty());
  qDeleteAll(ways_);
  ways_.clear();
  for (const QString& id : content.commands) {
    auto* way = new QPushButton(commands_->label(id), this);
    way->setFocusPolicy(Qt::NoFocus);
    connect(way, &QPushButton::clicked, this, [this, id] {
      dismiss();
      commands_->run(id);
    });
    below_->insertWidget(below_->count() - 1, way);
    way->show();  // at once, so that the height of the text is that beside them
    ways_ << way;
  }
  const bool stays = content.tone == ToastTone::Error;
  left_->setVisible(!stays);
  remaining_ = timeFor(content.text);
  timer_.stop();
  if (!stays) {
    timer_.start();
    tick();
  }
  dress();
  QFrame::show();
  place();
  setAccessibleDescription(text_->text());
  raise();
}

void Toast::setMiddle(const QRect& middle) {
  middle_ = middle;
  place();
}

void Toast::dismiss() {
  timer_.stop();
  hide();
}

/// The time stands still while the mouse is on it: whoever reads it is not to lose it.
void Toast::tick() {
  if (!underMouse() || !isVisible()) remaining_ -= kTick;
  if (remaining_ <= 0) return dismiss();
  left_->setText(tr("goes in %1 s").arg((remaining_ + 999) / 1000));
}

void Toast::place() {
  const QRect middle = middle_.isValid() ? middle_ : parentWidget()->rect();
  const int most = std::max(200, std::min(middle.width() - 2 * kDistance, fontMetrics().averageCharWidth() * 90));
  const QMargins margins = layout()->contentsMargins();
  int beside = margins.left() + margins.right();
  for (const QWidget* widget :
       {static_cast<QWidget*>(undo_), static_cast<QWidget*>(left_), static_cast<QWidget*>(close_)})
    if (!widget->isHidden()) beside += widget->sizeHint().width() + line_->spacing();
  write(text_, content_, std::max(80, most - beside));
  layout()->activate();  // the rows in it keep the height of the text before until then
  int width = std::min(most, sizeHint().width() + fontMetrics().averageCharWidth() * 2);
  // A label that wraps asks for less than its text needs on one line.
  const int oneLine = text_->fontMetrics().horizontalAdvance(text_->text());
  width = std::min(most, std::max(width, width - text_->sizeHint().width() + oneLine));
  const int height = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : sizeHint().height();
  setGeometry(middle.right() - kDistance - width + 1, middle.bottom() - kDistance - height + 1, width, height);
}

void Toast::dress() {
  const Palette& theme = Palette::forQt(palette());
  QPalette grey = theme.toQt();
  grey.setColor(QPalette::WindowText, theme.grey);
  left_->setPalette(grey);
  dressLink(undo_, theme);
  QFont bold = font();
  bold.setBold(true);
  text_->setFont(bold);
}

bool Toast::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) place();
  return false;
}

void Toast::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.border);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.fillRect(QRect(0, 2, kEdge, height() - 4), theme.*lookOf(content_.tone).ink);
}

void Toast::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && close_) dress();
}

}  // namespace rx::views
