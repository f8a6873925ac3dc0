// Two stages of a kernel side by side, three where there is room: each is chosen by itself, the line of the caret in
// one marks in the others the lines that it came from or became, and the loop around it is lit in all.
#pragma once

#include <QWidget>
#include <array>
#include <compare>

#include "views/models/kernel_listing.h"

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace rx {
struct Palette;
class TextView;
}  // namespace rx

namespace rx::views {

class LinkBridge;
class SampleBars;
class StageRow;

class KernelSides : public QWidget {
  Q_OBJECT

 public:
  explicit KernelSides(QWidget* parent = nullptr);
  /// Where the stages of the same kinds were shown before they are again; null for none.
  void setListing(KernelListingPtr listing);
  const KernelListingPtr& listing() const { return listing_; }
  enum Side { Left = 0, Middle = 1, Right = 2 };
  static constexpr std::array kAll = {Left, Middle, Right};
  /// Whether there is room for three stages, and a third one to be shown.
  bool hasMiddle() const { return hasMiddle_; }
  int stage(Side side) const;
  /// By its number, its name ("asm"), "next" or "previous"; false where there is none.
  bool setStage(Side side, const QString& which);
  /// Shows a stage where stages of its kind stand: TIR on the left, what is made of it in the middle, machine code on
  /// the right; and what is new in it. By its number, its name, "next" or "previous" of the one that was shown so last.
  bool showStep(const QString& which);
  /// The stage that was shown so last, else the scheduled one in sight.
  int step() const;
  std::vector<int> stagesInSight() const;
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
  /// What is shown; ">" stands before the lines that belong together.
  QString dump() const;

 Q_SIGNALS:
  /// Another line, or another stage: the loop around the caret may be another.
  void moved();
  void menuWanted(const QPoint& global);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Part {
    QWidget* whole = nullptr;  // both of them
    QComboBox* box = nullptr;
    TextView* view = nullptr;
    SampleBars* bars = nullptr;
    QLabel* footer = nullptr;
    QString step;  // what made the stage, and what is new in it
    int line = 1;
    KernelLines marked;  // what belongs to the line of the caret
  };
  void makeSide(Side side, const QString& name, QHBoxLayout* row);
  void chooseStage(Side side);
  void showStage(Side side);
  int heaviestLine() const;
  void link(Side from, int line);
  struct Weight {
    int samples = 0, depth = 0, lines = 0;
    auto operator<=>(const Weight&) const = default;
  };
  Weight weightOf(Side side, int line) const;
  std::vector<int> coreOf(Side side) const;
  void showFooters();
  void showRow();
  void mark();
  const KernelStageText* text(Side side) const;
  /// The loop that is lit: around the caret, or of another side the one in which what is linked takes most of the time.
  const KernelLoop* litLoop(Side side) const;
  static Side other(Side side) { return side == Right ? Left : Right; }
  bool isShown(Side side) const { return side != Middle || hasMiddle_; }
  void showMiddle();

  KernelListingPtr listing_;
  StageRow* row_;
  std::array<Part, 3> sides_;
  struct Bridge {
    Side from, to;
    LinkBridge* widget;
  };
  std::vector<Bridge> bridges_;
  bool hasMiddle_ = false;
  bool room_ = false;  // for three
  int step_ = -1;
  Side active_ = Left;
};

}  // namespace rx::views
