// The card of the last outcome: of a run that failed or ended, or of a file that was refused. Decides what it says and
// which commands are the ways on, shows it, and shows it again.
#pragma once

#include <QObject>
#include <functional>

#include "views/shell/cards/card.h"
#include "views/shell/desk.h"

namespace rx::views {

class OutcomeCards : public QObject {
  Q_OBJECT

 public:
  /// Where cards stand, and the line of text that they keep clear of, both in the ground.
  struct Ground {
    QWidget* widget = nullptr;
    std::function<QRect()> middle;
    std::function<QRect()> beside;  ///< right of the text
    std::function<QRect(const QString& panel)> line;
  };
  OutcomeCards(Desk& desk, Commands* commands, Ground ground);

  /// The card again (F8); false when nothing has come out yet.
  bool showAgain();
  bool isOpen() const { return card_->isVisible(); }
  void dismiss() { card_->dismiss(); }
  /// What it says, open or not.
  QString text() const { return kind_ == Kind::None ? QString() : card_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Kind : uint8_t { None, Failure, Result, Refused, Fixed };
  void follow();
  void showFailure(bool focus);
  void showResult();
  void showRefused();
  void showFixed();
  void forget();
  QRect area() const;
  QRect clear() const;
  std::vector<CardWay> failureWays(const RunFailure& failure) const;
  Desk& desk_;
  Ground ground_;
  Card* card_;
  Kind kind_ = Kind::None;
  QString refusedPath_;
  QString refusedWhy_;
};

}  // namespace rx::views
