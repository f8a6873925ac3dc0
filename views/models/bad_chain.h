// The way of a NaN or Inf through a function, from the operation that made it to the value that is looked at.
#pragma once

#include <QString>
#include <vector>

#include "views/models/debug_session.h"
#include "views/models/stage_index.h"

namespace rx::views {

struct BadLink {
  int binding = -1;  // -1 for a parameter
  QString name;      // see BindingRow::called
  QString variable;  // its own name
  OpKind kind = OpKind::Other;
  ValueSummary value;
  bool made = false;  // here: no input has any
  QString reason;     // "made here, step 48; inputs finite", "passed on", "Inf - Inf"
};

struct BadChain {
  std::vector<BadLink> links;  // the first ones in the order of the program; the value itself is the last of all
  size_t count = 0;            // of all of them
};

/// At most `most` links, the first that made some among them. Empty when the value is finite or not known. What only
/// names or holds a value (a tuple, an alias) is walked through.
BadChain badChain(const DebugSession& debug, const FunctionRow& function, int binding, size_t most);
/// The bindings of a function whose values hold a NaN or Inf, ordinals in the order of the program.
std::vector<int> badBindings(const DebugSession& debug, const FunctionRow& function);
/// Those of them that made it out of finite inputs, the first `most`.
std::vector<int> badRoots(const DebugSession& debug, const FunctionRow& function, const std::vector<int>& bad,
                          size_t most);

}  // namespace rx::views
