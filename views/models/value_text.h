// Values in words, as every view writes them.
#pragma once

#include <QString>

#include "views/models/debug_rows.h"

namespace rx::views {

/// What is not finite in a value: "3 NaN, 15 Inf"; empty when all of it is finite.
QString badText(const ValueSummary& value);

}  // namespace rx::views
