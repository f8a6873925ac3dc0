// Watch expressions that are an item of a tuple.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace rx::views {

struct WatchedItem {
  QString name;             ///< of the tuple
  std::vector<int64_t> at;  ///< one number for each tuple on the way, at least one, none negative
};

/// "pair[1][0]" as an item; nothing where the expression, as core/expression reads it, is another one.
std::optional<WatchedItem> watchedItem(const QString& expression);

}  // namespace rx::views
