// How operators are written in Relax, one function a form. Private to the translation.
#pragma once

#include "core/relay/passes/to_relax_call.h"

namespace rx::relay::translate {

#define RX_TO_RELAX(op, function, counterpart, attrs) relax::Expr function(CallTranslation& t);
#include "core/relay/passes/to_relax.def"

}  // namespace rx::relay::translate
