// Two stages of a kernel side by side: each is chosen by itself, the line of the caret in one marks in the other the
// lines that it came from or became, and the loop around it is lit in both.
#pragma once

#include <QWidget>

#include "views/models/kernel_listing.h"

class QComboBox;
class QHBoxLayout;

namespace rx {
struct Palette;
class TextView;
}  // namespace rx

namespace rx::views {

class LinkBridge;

class KernelSides : public QWidget {
  Q_OBJECT

 public:
  explicit KernelSides(QWidget* parent = nullptr);
  /// Where the stages of the same kinds were shown before they are again; null for none.
  void setListing(KernelListingPtr listing);
  const KernelListingPtr& listing() const { return listing_; }
  enum Side { Left = 0, Right = 1 };
  int stage(Side side) const;
  /// By its number, its name ("asm"), "next" or "previous"; false where there is none.
  bool setStage(Side side, const QString& which);
  /// Puts the caret on a line, from 1, as a click does; false where there is none.
  bool goTo(Side side, int line);
  /// Takes the focus to the other side, to the first line that is linked; false where none is.
  bool cross();
  TextView* view(Side side) const { return sides_[side].view; }
  /// The side that the caret was moved in last.
  Side active() const { return active_; }
  void setTheme(const Palette& theme);
  /// The loop around the caret in machine code, where that is shown; null where there is none.
  const KernelLoop* machineLoop() const;
  /// Both stages; ">" stands before the lines that belong together.
  QString dump() const;

 Q_SIGNALS:
  /// Another line, or another stage: the loop around the caret may be another.
  void moved();
  void menuWanted(const QPoint& global);

 private:
  struct Part {
    QComboBox* box = nullptr;
    TextView* view = nullptr;
    int line = 1;
    KernelLines marked;  // what belongs to the line of the caret
  };
  void makeSide(Side side, const QString& name, QHBoxLayout* row);
  void showStage(Side side);
  int heaviestLine() const;
  void link(Side from, int line);
  void mark();
  const KernelStageText* text(Side side) const;
  /// The loop that is lit: around the caret, or of the other side the one around most of what is linked.
  const KernelLoop* litLoop(Side side) const;
  static Side other(Side side) { return side == Left ? Right : Left; }

  KernelListingPtr listing_;
  Part sides_[2];
  LinkBridge* bridge_ = nullptr;
  Side active_ = Left;
};

}  // namespace rx::views
