// Cases of the legalization test: one call of an operator each, as the text of a function, with random arguments.
#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/op/op_table.h"
#include "core/runtime/value.h"
#include "random.h"

namespace rx::test {

/// How an operator is called: a row of calls.def, or what its own row says.
struct CallRow {
  std::string op;          ///< "relax.nn.conv2d"
  std::string parameters;  ///< "x: N 4 float, w: ..."
  std::string call;        ///< "R.nn.conv2d(x, w)"
  std::string refusal;     ///< the rule that it ends with; empty: it runs
  bool derived = false;    ///< from the operator's row: some ranks of it may be refused
};

/// What the sizes N M K L are in a case, and whether the program knows them.
struct Sizes {
  const char* name;
  int64_t n, m, k, l;  ///< 0: none; -1: random
  bool symbolic;
};

struct Case {
  const CallRow* row = nullptr;
  std::string name;  ///< of the function
  std::string what;  ///< "relax.add, float32, sizes zero"
  std::string text;
  std::vector<vm::Value> args;
};

/// The calls of an operator: those of calls.def, else some that its row allows; none where its arguments need more than
/// the row says.
std::vector<CallRow> callsOf(const op::OpRow& row, Random& random);

/// The cases of a call: every kind of sizes, in types that the operator takes. Cases without possible arguments (an
/// index into nothing) are left out.
struct Cases {
  std::vector<Case> accepted;
  std::vector<std::string> refused;  ///< what the operator does not take, and why
};
Cases casesOf(const CallRow& row, size_t& counter, Random& random);

/// The function of a case, or why there is none (the operator does not take these types or sizes).
Result<ir::Module> moduleOf(const Case& made);

}  // namespace rx::test
