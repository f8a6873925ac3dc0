// A toast: a sentence that needs no answer, over the lower right of what it lies on. It moves nothing, takes no focus
// and goes by itself, unless it tells of an error: that waits to be closed. A later one takes its place.
#pragma once

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

#include "views/panels/panel.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace rx::views {

/// Tone of a toast: the colour of its edge, and a word before the text where it is not good news.
enum class ToastTone : uint8_t { Info, Warning, Error };

struct ToastContent {
  QString text;
  ToastTone tone = ToastTone::Info;
  QStringList undo;      // the command that takes it back and its arguments; empty where nothing does
  QStringList commands;  // further ways on, as buttons
};

class Toast : public QFrame {
  Q_OBJECT

 public:
  /// Lies on `ground`, and follows its size.
  Toast(Commands* commands, QWidget* ground);
  /// Shows this instead of what was shown, for 4 to 6 seconds, longer while the mouse is on it; an error until somebody
  /// ends it.
  void show(const ToastContent& content);
  /// The part of `ground` in whose lower right corner it stands.
  void setMiddle(const QRect& middle);
  /// Ends what is shown, if anything is.
  void dismiss();
  const ToastContent& content() const { return content_; }
  /// How long a text of this length is shown, in milliseconds.
  static int timeFor(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void tick();
  void place();
  void dress();
  Commands* commands_;
  ToastContent content_;
  QRect middle_;
  QHBoxLayout* line_;
  QHBoxLayout* below_;  ///< the ways on, which take no room from the text
  QLabel* text_;
  QPushButton* undo_;
  QLabel* left_;
  QToolButton* close_;
  QList<QPushButton*> ways_;
  QTimer timer_;
  int remaining_ = 0;  // milliseconds
};

}  // namespace rx::views
