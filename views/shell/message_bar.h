// Messages above the panels instead of modal questions: what happened, where, and what can be done now, as buttons.
#pragma once

#include <QWidget>
#include <vector>

#include "views/panels/panel.h"

class QVBoxLayout;

namespace rx::views {

/// Tone of a message; the word is shown too, never the colour alone.
enum class MessageTone : uint8_t { Info, Warning, Error };

class MessageBar : public QWidget {
  Q_OBJECT

 public:
  explicit MessageBar(Commands* commands, QWidget* parent = nullptr);
  /// Shows a message. One with the same `topic` replaces the earlier one; `commandIds` become buttons.
  void show(const QString& topic, MessageTone tone, const QString& text, const QStringList& commandIds = {});
  void dismiss(const QString& topic);
  void dismissAll();
  /// The messages as text, for `expect` and for screen readers.
  QString text() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Entry {
    QString topic;
    QString text;
    MessageTone tone;
    QWidget* row;
  };
  QWidget* makeRow(const QString& topic, MessageTone tone, const QString& text, const QStringList& commandIds);
  Commands* commands_;
  QVBoxLayout* layout_;
  std::vector<Entry> entries_;
};

}  // namespace rx::views
