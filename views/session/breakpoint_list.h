// The breakpoints of the window: rows that outlive a run, and what the engine is told and says about them.
#pragma once

#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class BreakpointList {
 public:
  const std::vector<BreakpointRow>& rows() const { return rows_; }
  /// The breakpoint at a place, or null.
  const BreakpointRow* at(int stage, const QString& function, int binding) const;
  /// Sets one, or removes the one that is there.
  void toggle(int stage, const QString& function, int binding, const QString& variable);
  void setEnabled(int id, bool enabled);
  void setCondition(int id, const QString& condition);
  void remove(int id);
  void clear() { rows_.clear(); }

  /// What the engine is asked to stop at: the rows that are enabled; `ids` gets their numbers in the same order.
  dap::SetBindingBreakpointsArguments request(std::vector<int>* ids) const;
  /// Its answer to that request.
  void takeAnswer(const std::vector<int>& ids, const dap::BreakpointsBody& body);
  /// Counts the hits that a `stopped` event names; false when it names none.
  bool takeHits(const dap::Json& stopped);

 private:
  BreakpointRow* row(int id);
  std::vector<BreakpointRow> rows_;
  int next_ = 1;
};

}  // namespace rx::views
