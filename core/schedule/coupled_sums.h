// Several values that are reduced together, as the number of the largest element and that element are: where the places
// of one axis lie side by side in what is read, lanes go across them.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The statement with vectors of places in the place of single ones, the steps of each place in their order as before.
/// Null where it reduces no such values, a size is not known, or no axis of places lies in order; `why` then says so of
/// one that does.
tir::Stmt coupledSums(const tir::Stmt& statement, const VectorShape& vectors, std::string& why);

}  // namespace rx::schedule
