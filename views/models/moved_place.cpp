#include "views/models/moved_place.h"

#include <algorithm>
#include <cstdlib>

namespace rx::views {

Place movedIn(const StageIndex& index, Place place) {
  const FunctionRow* function = index.function(place.function);
  if (!function || place.variable.isEmpty()) return place;
  const BindingRow* binding = function->binding(place.binding);
  if (binding && binding->name == place.variable) return place;
  const auto isParameter = [&](const ParamRow& param) { return param.name == place.variable; };
  const bool parameter = std::any_of(function->params.begin(), function->params.end(), isParameter);
  int best = -1;
  for (const BindingRow& row : function->bindings)
    if (row.name == place.variable && !parameter &&
        (best < 0 || std::abs(row.ordinal - place.binding) < std::abs(best - place.binding)))
      best = row.ordinal;
  place.binding = best;
  return place;
}

}  // namespace rx::views
