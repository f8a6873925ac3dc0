// What the shown value can be compared with: other values of the function, and arrays of files beside the module.
#pragma once

#include <functional>

#include "views/models/debug_rows.h"
#include "views/panels/panel.h"

namespace rx::views {

/// The other side of a comparison, by name, so that it is found again at every stop.
struct Compared {
  QString name;   // a binding or parameter of the same function
  QString file;   // or an .npy or .npz
  QString array;  // name in the .npz
  bool any() const { return !name.isEmpty() || !file.isEmpty(); }
  /// "gv", "expected.npz gv"
  QString title() const;
  bool operator==(const Compared&) const = default;
};

/// Values of the function that are there and have the shape of `value`, that itself left out.
std::vector<Compared> comparableValues(const PanelContext& context, const ValueSummary& value);
/// Arrays of that shape in the .npz and .npy files of the module's folder. The answer comes once, when all were read.
void findComparableArrays(const PanelContext& context, const ValueSummary& value, QObject* owner,
                          std::function<void(const std::vector<Compared>&)> answer);
/// The elements of a comparison of a value of a function; a source that does not compare where the other side is not
/// there now.
ElementSource sourceOf(const PanelContext& context, const QString& function, const ValueSummary& value,
                       const Compared& other, Distance distance);

}  // namespace rx::views
