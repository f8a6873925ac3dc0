// Which parameters of a function are weights.
#pragma once

#include "views/models/stage_index.h"

namespace rx::views {

/// True for a parameter that is no input of the program: those behind the `num_input` first ones where the function
/// says it, else every one behind the first whose shape is fixed and whose elements are no integers.
bool isWeight(const FunctionRow& function, int param);

}  // namespace rx::views
