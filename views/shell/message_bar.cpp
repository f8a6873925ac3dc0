#include "views/shell/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr size_t kMostMessages = 3;

struct ToneLook {
  const char* word;
  QColor Palette::* ink;
  QColor Palette::* ground;
};
constexpr ToneLook kTones[] = {{"ⓘ", &Palette::text, &Palette::hover},
                               {"△", &Palette::warning, &Palette::warningFill},
                               {"▲", &Palette::error, &Palette::errorFill}};

void colorRow(QWidget* row, MessageTone tone, const Palette& theme) {
  const ToneLook& look = kTones[static_cast<int>(tone)];
  QPalette colors = theme.toQt();
  colors.setColor(QPalette::Window, theme.*look.ground);
  colors.setColor(QPalette::WindowText, theme.*look.ink);
  row->setPalette(colors);
}

}  // namespace

MessageBar::MessageBar(Commands* commands, QWidget* parent)
    : QWidget(parent), commands_(commands), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  setAccessibleName(tr("Messages"));
  hide();
}

void MessageBar::show(const QString& topic, MessageTone tone, const QString& text, const QStringList& commandIds) {
  dismiss(topic);
  while (entries_.size() >= kMostMessages) dismiss(entries_.front().topic);
  QWidget* row = makeRow(topic, tone, text, commandIds);
  layout_->addWidget(row);
  entries_.push_back({topic, text, tone, row});
  setVisible(true);
}

QWidget* MessageBar::makeRow(const QString& topic, MessageTone tone, const QString& text,
                             const QStringList& commandIds) {
  const ToneLook& look = kTones[static_cast<int>(tone)];
  auto* row = new QWidget(this);
  row->setAutoFillBackground(true);
  colorRow(row, tone, Palette::forQt(palette()));
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(8, 3, 8, 3);
  auto* mark = new QLabel(QString::fromUtf8(look.word), row);
  auto* label = new QLabel(text, row);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line->addWidget(mark);
  line->addWidget(label, 1);
  for (const QString& id : commandIds) {
    auto* button = new QPushButton(commands_->label(id), row);
    connect(button, &QPushButton::clicked, this, [this, id] { commands_->run(id); });
    line->addWidget(button);
  }
  auto* close = new QPushButton(QStringLiteral("✕"), row);
  close->setFlat(true);
  close->setAccessibleName(tr("Dismiss"));
  connect(close, &QPushButton::clicked, this, [this, topic] { dismiss(topic); });
  line->addWidget(close);
  return row;
}

void MessageBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (const Entry& entry : entries_) colorRow(entry.row, entry.tone, Palette::forQt(palette()));
}

void MessageBar::dismiss(const QString& topic) {
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->topic != topic) continue;
    it->row->hide();
    it->row->deleteLater();
    entries_.erase(it);
    break;
  }
  if (entries_.empty()) hide();
}

void MessageBar::dismissAll() {
  while (!entries_.empty()) dismiss(entries_.front().topic);
}

QString MessageBar::text() const {
  QStringList lines;
  for (const Entry& entry : entries_) lines << entry.text;
  return lines.join('\n');
}

}  // namespace rx::views
