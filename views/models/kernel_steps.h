// What becomes of a kernel as a list: its TIR, the schedule a primitive a row, lowering a pass a row, machine code; and
// which of it the kernel view shows, for the panel that lists it.
#pragma once

#include <QObject>

#include "views/models/kernel_listing.h"

namespace rx::views {

struct KernelStepRow {
  bool heading = false;
  int number = -1;  // in its part, from 1; -1 for none
  QString title;
  QString rest;    // of a heading how much stands below it; of a row all of it, or why there is none
  int stage = -1;  // the text after it; -1 where there is none
  /// A primitive that only looks something up: the text stays as the one before left it.
  bool looksUp = false;
};

std::vector<KernelStepRow> kernelSteps(const KernelListing& kernel);

/// What the kernel view of a window shows: one for each window, for the panels beside it.
class KernelShown : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  /// Null where no stages are shown; `stages` are those in sight, `current` the one that was chosen last.
  void show(KernelListingPtr listing, std::vector<int> stages, int current);
  const KernelListingPtr& listing() const { return listing_; }
  const std::vector<int>& stages() const { return stages_; }
  int current() const { return current_; }

 Q_SIGNALS:
  void changed();

 private:
  KernelListingPtr listing_;
  std::vector<int> stages_;
  int current_ = -1;
};

}  // namespace rx::views
