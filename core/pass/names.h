// Names of passes as people write them: with TVM's spaces before them or without. Private to core/pass.
#pragma once

#include <string>
#include <string_view>

#include "core/pass/pass.h"

namespace rx::pass {

/// `tvm.relay.transform.FuseOps` is FuseOps of relay; `transform.FuseOps` names no space.
struct SpacedName {
  std::string_view space;
  std::string_view name;
};
SpacedName inSpace(std::string_view name);

/// "did you mean ...?" for a name that no row has; among rows of its space where that has any. Nothing where none is
/// near.
std::string nearPass(const PassTable& table, std::string_view name);

}  // namespace rx::pass
