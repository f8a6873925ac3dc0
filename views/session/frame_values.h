// What is known of the values of the innermost frame. An answer of the engine holds only what the steps since the last
// one made, so that a step in a function of many bindings costs what the step did; what was known stays for looking
// back.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class FrameValues {
 public:
  /// Asks for what is not known yet.
  dap::ValuesArguments request() const;
  /// The number that a binding of the run has in the text that is shown; -1 where it has none.
  using NumberOf = std::function<int(const QString& function, int64_t binding, const QString& variable)>;
  /// An answer, given for state `at`; false when it is a part and the next one has to be asked for.
  bool take(const dap::ValuesBody& body, int at, const NumberOf& numberOf);

  /// The value that a binding has at the state of the last answer; not `known` where it has none.
  ValueSummary ofBinding(const QString& function, int binding) const { return ofBinding(function, binding, shown_); }
  ValueState stateOf(const QString& function, int binding) const;
  /// The same at another state, as far as it is known.
  ValueSummary ofBinding(const QString& function, int binding, int64_t state) const;
  ValueSummary ofParam(const QString& function, const QString& name) const;
  std::vector<std::pair<QString, qint64>> symbols(const QString& function) const;
  /// The function of the frame, and its binding that got its value last, but for one; -1 for none.
  const QString& function() const { return function_; }
  int newest(int but) const;

 private:
  struct Since {
    int64_t state = 0;
    ValueSummary value;
  };
  QString function_;
  int64_t activation_ = -1;
  int64_t known_ = -1;  // the latest state that was asked for
  int64_t shown_ = -1;
  /// Where values of later states begin.
  std::vector<std::pair<int64_t, int>>::const_iterator behind(int64_t state) const;
  const ValueSummary* find(const QString& function, int binding, int64_t state) const;
  std::unordered_map<int, std::vector<Since>> bindings_;  // by ordinal, in the order of the states
  std::vector<std::pair<int64_t, int>> order_;            // state and binding of each, in the order of the states
  std::map<QString, ValueSummary> params_;
  std::vector<std::pair<QString, qint64>> symbols_;
};

}  // namespace rx::views
