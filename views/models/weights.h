// Which parameters of a function are weights, who says so, and what the user may say instead.
#pragma once

#include "views/models/stage_index.h"

namespace rx::views {

/// True for a parameter that is no input of the program: those behind the `num_input` first ones where the function
/// says it, else every one behind the first whose shape is fixed and whose elements are no integers.
bool isWeight(const FunctionRow& function, int param);

/// What a parameter is taken for.
struct ParamRole {
  bool weight = false;
  bool guessed = false;  // neither the text nor the user says it
  QString why;           // a sentence
};
/// `chosen`: the user said it of this function.
ParamRole roleOf(const FunctionRow& function, int param, bool chosen);

/// What comes of saying that a parameter is a weight or an input: how many parameters are inputs then. Calls pass
/// inputs first, so one number holds it: guesses about other parameters give way to what is said, but what is said of
/// them already does not.
struct RoleChange {
  int inputs = -1;
  QString refused;  // a sentence, where it can not be
};
RoleChange changeRole(const FunctionRow& function, int param, bool weight);

}  // namespace rx::views
