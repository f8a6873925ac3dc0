#include "views/models/weights.h"

#include <algorithm>

namespace rx::views {

bool isWeight(const FunctionRow& function, int param) {
  if (param < 0) return false;  // of a function inside this one, which has no row here
  if (function.numInput >= 0) return param >= function.numInput;
  const ParamRow& row = function.params[static_cast<size_t>(param)];
  const bool integers = row.dtype.startsWith(QLatin1String("int")) || row.dtype.startsWith(QLatin1String("uint")) ||
                        row.dtype == QLatin1String("bool");
  const bool fixed = std::none_of(row.shape.begin(), row.shape.end(), [](QChar c) { return c.isLetter(); });
  return param > 0 && fixed && !row.shape.isEmpty() && !integers;
}

}  // namespace rx::views
