// The registers of the innermost frame. As with FrameValues, an answer of the engine holds only those that differ from
// what is shown, and comes in parts, so that a step of a frame with ten thousand registers costs what the step did.
#pragma once

#include <QMap>
#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class FrameRegisters {
 public:
  /// Asks for what is not known yet of state `at`; parts of another state are forgotten.
  dap::RegistersArguments request(int at);
  /// Of hundreds of thousands of registers: a hash that grows moves them all in one event.
  using Names = QMap<QString, QString>;
  /// An answer, given for state `at`; false when it is a part and the next one has to be asked for. Registers get the
  /// names of the bindings that they were made for where all these are known.
  bool take(const dap::RegistersBody& body, int at, const Names* names = nullptr);
  /// Names those that came since the last call and got none then.
  void name(const Names& bindings);
  /// Those that hold something or were changed by the last step, by number.
  const std::vector<RegisterRow>& rows() const { return rows_; }

 private:
  struct Coming {
    int number = 0;
    bool held = false;
    bool named = false;
    RegisterRow row;
  };
  /// Where a register stands, or would.
  size_t positionOf(int number) const;
  bool has(size_t position, int number) const { return position < numbers_.size() && numbers_[position] == number; }
  void merge();
  void forgetChanges();
  void mergeFew();
  void mergeMany();

  std::vector<int> numbers_;  // ascending, beside the rows
  std::vector<RegisterRow> rows_;
  std::vector<int> changed_;    // numbers of what the last answer said to be changed
  std::vector<int> unnamed_;    // of what came since names were given
  std::vector<Coming> coming_;  // of an answer whose parts are not all there
  bool anew_ = false;           // it replaces all that was known
  int64_t activation_ = -1;
  int64_t shown_ = -1;   // state that the rows are whole for
  int64_t next_ = 0;     // where the next part begins
  int64_t partOf_ = -1;  // state of the parts that came
};

}  // namespace rx::views
