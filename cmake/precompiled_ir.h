// The same for the layers that read the IR, with what nearly every file of theirs includes of it.
#pragma once

#include "precompiled_core.h"

#include "core/ir/attrs.h"
#include "core/ir/module.h"
#include "core/ir/node.h"
#include "core/ir/prim_expr.h"
#include "core/ir/relax.h"
#include "core/ir/stmt.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"
#include "core/support/ref.h"
#include "core/support/result.h"
#include "core/support/str.h"
