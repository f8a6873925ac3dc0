// Targets in a text ("cuda -arch=sm_80", or a dictionary with every default spelled out) in one form.
#pragma once

#include "core/ir/attrs.h"

namespace rx::script {

/// What a target says beyond the defaults of its kind: the name of the kind alone (StrAttr), or a dictionary without
/// the entries that are defaults. Two texts of one target give equal forms.
NodeRef targetForm(const NodeRef& target);

}  // namespace rx::script
