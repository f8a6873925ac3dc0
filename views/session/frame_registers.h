// The registers of the innermost frame. As with FrameValues, an answer of the engine holds only those that differ from
// what is shown, and comes in parts, so that a step of a frame with ten thousand registers costs what the step did.
#pragma once

#include <map>
#include <vector>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

class FrameRegisters {
 public:
  /// Asks for what is not known yet of state `at`; parts of another state are forgotten.
  dap::RegistersArguments request(int at);
  /// An answer, given for state `at`; false when it is a part and the next one has to be asked for.
  bool take(const dap::RegistersBody& body, int at);
  /// Gives the registers that came since the last call the name of the binding that they were made for.
  void name(const std::map<QString, QString>& bindings);
  /// Those that hold something or were changed by the last step, by number.
  std::vector<RegisterRow> rows() const;

 private:
  struct Known {
    int number = 0;
    bool held = false;
    bool named = false;
    RegisterRow row;
  };
  void merge();

  std::vector<Known> known_;   // by number
  std::vector<Known> coming_;  // of an answer whose parts are not all there
  bool anew_ = false;          // it replaces all that was known
  int64_t activation_ = -1;
  int64_t shown_ = -1;   // state that the rows are whole for
  int64_t next_ = 0;     // where the next part begins
  int64_t partOf_ = -1;  // state of the parts that came
};

}  // namespace rx::views
