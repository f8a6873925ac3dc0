// Names that stand for a whole target: the tags of TVM and our short forms.
#pragma once

#include <string>
#include <string_view>

#include "core/ir/attrs.h"

namespace rx::target {

/// What a tag ("nvidia/geforce-rtx-3070") or a short form ("x86-64-v3") says; null when it is none.
ir::Attrs taggedAttrs(std::string_view name);
/// "did you mean ...?" among kinds, tags and short forms, or nothing.
std::string nearestTarget(std::string_view name);

}  // namespace rx::target
