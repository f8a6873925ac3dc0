// The names of a primitive's arguments, as its row has them.
#pragma once

#include <string_view>
#include <vector>

#include "core/schedule/primitives.h"

namespace rx::schedule {

/// One argument in a text.
struct ArgumentName {
  std::string_view name;
  bool spread = false;     ///< all that stand without a name
  std::string_view value;  ///< the only one that it may have; "@": the name of the kernel; empty: any
  bool isFixed() const { return !value.empty(); }
};

inline std::vector<ArgumentName> argumentNames(const PrimitiveRow& row) {
  std::vector<ArgumentName> names;
  for (std::string_view left = row.arguments; !left.empty();) {
    std::string_view one = left.substr(0, left.find(", "));
    left.remove_prefix(std::min(left.size(), one.size() + 2));
    ArgumentName name;
    if ((name.spread = one.starts_with('*'))) one.remove_prefix(1);
    const size_t equals = one.find('=');
    name.name = one.substr(0, equals);
    if (equals != std::string_view::npos) name.value = one.substr(equals + 1);
    names.push_back(name);
  }
  return names;
}

}  // namespace rx::schedule
