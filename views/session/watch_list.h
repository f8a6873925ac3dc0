// The watches of the window: expressions that outlive a run, and what the engine said of them at the last stop.
#pragma once

#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class WatchList {
 public:
  const std::vector<WatchRow>& rows() const { return rows_; }
  /// Adds an expression, or finds the row that has it already; its number.
  int add(const QString& expression);
  void set(int id, const QString& expression);
  void remove(int id);
  void clear() { rows_.clear(); }

  /// What the engine is asked; `ids` gets the numbers of the rows in the same order.
  dap::WatchArguments request(std::vector<int>* ids) const;
  /// Its answer, at a stop or (with `again`) about a stop that was answered before, which changes no mark.
  void takeAnswer(const std::vector<int>& ids, const dap::WatchBody& body, bool again);
  /// Forgets the values, not the expressions.
  void forgetRun();

 private:
  WatchRow* row(int id);
  std::vector<WatchRow> rows_;
  int next_ = 1;
};

/// A row from the engine's answer about an expression.
WatchRow watchRow(const QString& expression, const dap::WatchValue& value);
/// A row that says what is wrong with the form of an expression, or nothing.
WatchRow uncheckedRow(const QString& expression);

}  // namespace rx::views
