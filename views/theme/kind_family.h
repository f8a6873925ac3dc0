// Which kinds of operators share their colours and their mark. Inside views/theme only.
#pragma once

#include "views/theme/palette.h"

namespace rx {

/// The families that have colours of their own; every kind belongs to one.
enum KindFamily : uint8_t { Compute, Movement, Reduction, Elementwise, Constant, Machine, Plain, kKindFamilies };

KindFamily familyOf(OpKind kind);

/// The theme that everything is drawn with, to be changed by own colours. It belongs to the application and goes with
/// it; null where there is none.
Palette* shownTheme(bool dark);

}  // namespace rx
