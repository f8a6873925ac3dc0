// The card of the last outcome: of a run that failed or ended, or of a file that was refused. Decides what it says and
// which commands are the ways on, shows it, and shows it again. The end of a run takes its place above the Inspector,
// in a few lines that cover nothing, and is a card when it is asked for; closed, it stays so until the next run.
#pragma once

#include <QObject>
#include <QPointer>
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
    std::function<QWidget*()> inspector;  ///< above whose content the end of a run stands
  };
  OutcomeCards(Desk& desk, Commands* commands, Ground ground);

  /// The card again (F8); false when nothing has come out yet.
  bool showAgain();
  bool isOpen() const { return card_->isVisible() || (brief_ && brief_->isVisible()); }
  void dismiss();
  /// Where it belongs now: the panels have moved.
  void placeAgain();
  /// What it says, open or not.
  QString text() const { return kind_ == Kind::None ? QString() : card_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Kind : uint8_t { None, Failure, Result, Refused, Fixed };
  void follow();
  void showFailure(bool focus);
  void showResult();
  void fillResult(Card* card);
  void showBrief();
  void fillRefused();
  void showFixed();
  void forget();
  QRect area() const;
  QRect clear() const;
  std::vector<CardWay> failureWays(const RunFailure& failure) const;
  Desk& desk_;
  Ground ground_;
  Commands* commands_;
  Card* card_;
  QPointer<Card> brief_;  ///< goes with the panel that it stands in
  bool closed_ = false;   ///< the user closed the result of this run
  Kind kind_ = Kind::None;
  QString refusedPath_;
  QString refusedWhy_;
};

}  // namespace rx::views
