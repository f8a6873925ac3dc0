// The values that the bindings of the imported module got in a run.
#pragma once

#include <map>

#include "core/debug/recording.h"
#include "core/support/cancel.h"

namespace rx::debug {

/// A value that a step gave.
struct GivenAt {
  uint32_t step = 0;
  ValuePlace place;
};
/// All values of each binding, in their order.
using Given = std::map<StagePlace, std::vector<GivenAt>>;

/// Of the whole recording; left out are items of tuples, for they are values as parts of their tuple, and what only
/// gives a value of the binding another name, as a call does where the function that it calls gave the binding what it
/// returns. Fails as reading does, with vm.cancelled where that was asked for.
Result<Given> givenIn(const Recording& run, const CancelToken& cancel = {});

/// One of them: the value of that number of its binding.
struct GivenInOrder {
  StagePlace binding;
  size_t number = 0;
  GivenAt given;
};
/// By step, and those of one step in the order of the text.
std::vector<GivenInOrder> inOrderOfRun(const Given& given);

}  // namespace rx::debug
