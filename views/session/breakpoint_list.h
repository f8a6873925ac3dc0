// The breakpoints of the window: rows that outlive a run, and what the engine is told and says about them.
#pragma once

#include <optional>
#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class BreakpointList {
 public:
  const std::vector<BreakpointRow>& rows() const { return rows_; }
  /// The breakpoint at a place that stops there, or null.
  const BreakpointRow* at(int stage, const QString& function, int binding) const;
  /// Sets one, or removes the one that is there.
  void toggle(int stage, const QString& function, int binding, const QString& variable);
  void setEnabled(int id, bool enabled);
  void setRule(int id, const BreakpointRule& rule);
  /// Adds one as a row describes it, in place of one of its kind at the same place; its number.
  int add(BreakpointRow row);
  void remove(int id);
  void clear() { rows_.clear(); }

  /// What the engine is asked to stop at: the rows that are enabled; `ids` gets their numbers in the same order.
  /// What an engine gets; where it has only one stage, those of that stage, as its first.
  /// Where the program is of another text (`byName`), bindings go by their names.
  dap::SetBindingBreakpointsArguments request(std::vector<int>* ids, std::optional<int> only, bool byName) const;
  /// Its answer to that request.
  void takeAnswer(const std::vector<int>& ids, const dap::BreakpointsBody& body);
  /// The hits and faulty conditions that a `stopped` event tells of; whether anything is another than before.
  bool takeHits(const dap::Json& stopped);
  /// Why the breakpoints that a `stopped` event names stopped, in words; empty when they are plain.
  QString reason(const dap::Json& stopped) const;
  /// The data breakpoint at a binding among those that a `stopped` event names; null for none.
  const BreakpointRow* written(const dap::Json& stopped) const;
  /// Forgets what a run said about them.
  void forgetRun();

 private:
  BreakpointRow* row(int id);
  std::vector<BreakpointRow> rows_;
  int next_ = 1;
};

}  // namespace rx::views
