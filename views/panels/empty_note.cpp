#include "views/panels/empty_note.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "views/panels/panel.h"

namespace rx::views {

EmptyNote::EmptyNote(const QString& text, Commands* commands, const QString& id, QWidget* parent)
    : QWidget(parent), text_(new QLabel(text, this)) {
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  text_->setAlignment(Qt::AlignCenter);
  text_->setWordWrap(true);
  text_->setForegroundRole(QPalette::PlaceholderText);
  auto* button = new QPushButton(commands->label(id), this);
  connect(button, &QPushButton::clicked, this, [commands, id] { commands->run(id); });
  setFocusProxy(button);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(fontMetrics().height() / 2);
  column->addStretch(1);
  column->addWidget(text_);
  column->addWidget(button, 0, Qt::AlignHCenter);
  column->addStretch(1);
}

}  // namespace rx::views
