// What was opened, in a sentence, once its first stage can be seen: how much of it there is, how long that took, what
// the reader found, and the next steps as buttons.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include "views/shell/cards/toast.h"
#include "views/shell/desk.h"

namespace rx::views {

/// "Opened in 48 ms: 1 Relax function with 7 bindings." and what the reader found.
ToastContent openingNews(const Desk& desk, const StageIndex& stage, qint64 milliseconds);

/// What goes on where a run that is stopped is not of what is open any more, and how that is run instead; empty where
/// nothing is stopped so.
ToastContent pastRunNews(const Desk& desk);

class OpeningNews : public QObject {
  Q_OBJECT

 public:
  OpeningNews(Desk& desk, QObject* parent);
  /// Another module is open: the news follow when a stage of it is there.
  void expect() { expected_ = true; }

 Q_SIGNALS:
  void said(const rx::views::ToastContent& content);

 private:
  void tell(int stage);
  Desk& desk_;
  QElapsedTimer since_;
  bool expected_ = false;
};

}  // namespace rx::views
