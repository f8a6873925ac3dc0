// Below the stages of a kernel: which rules applied, which vector registers its loop uses and for what, and what one
// turn of the loop consists of.
#pragma once

#include <QWidget>
#include <vector>

#include "views/models/kernel_listing.h"

class QPushButton;

namespace rx::views {

/// What a vector register is used for, in the order of what is said of one that is used for several.
enum class RegisterUse : uint8_t { None, Other, Loaded, Sum };

/// The uses of the vector registers of a processor in lines of its assembly, from 1, both included. Of x86 alone, whose
/// registers share their numbers at all widths.
std::vector<RegisterUse> registerUses(const QByteArray& assembly, int first, int last, int registers);

class KernelStrip : public QWidget {
  Q_OBJECT

 public:
  explicit KernelStrip(QWidget* parent = nullptr);
  /// `loop` is the loop around the caret in machine code; the whole kernel where it is null. Either may go away before
  /// the strip is shown something else: it keeps the listing, and a copy of the loop.
  void show(const KernelListingPtr& kernel, const KernelLoop* loop);
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// Of a kernel that no rule was asked about: the pipeline that asks them is wanted.
  void pipelineWanted();
  /// Of a kernel that rules refused: a schedule is to be written for it.
  void scheduleWanted();

 public:
  QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void placeForward();
  struct Row {
    QString name, rest;
    bool applies = true;
  };
  void paintTitle(class QPainter& painter, const QRectF& column, const QString& bold, const QString& rest) const;
  void paintRules(QPainter& painter, const QRectF& column) const;
  void paintRegisters(QPainter& painter, const QRectF& column) const;
  void paintLegend(QPainter& painter, QPointF at) const;
  void paintTurn(QPainter& painter, const QRectF& column) const;
  void paintLimit(QPainter& painter, const QRectF& row) const;
  double cyclesOf(const QString& name) const;
  double line() const { return fontMetrics().height() * 1.25; }

  QPushButton* forward_;  // hidden where a rule applied
  bool asked_ = false;    // rules were, and refused
  QString title_;         // of the rules
  std::vector<Row> rules_;
  KernelCounts counts_;
  QString turn_;             // what the counts are of
  QString cycles_;           // what a turn costs, or why nobody knows; empty where there is no machine code
  double turnTakes_ = 0;     // cycles; 0 where nobody knows
  double measured_ = 0;      // cycles that it took; 0 where nobody looked
  PortCycles byName_;        // of instructions by their names; empty where nobody knows
  QString limit_;            // what the turn waits for, in short
  bool portLimits_ = false;  // the turn waits for the port that the first of them takes most of
  int available_ = 0;
  std::vector<RegisterUse> uses_;
};

}  // namespace rx::views
