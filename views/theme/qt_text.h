// Text of the core as text of Qt.
#pragma once

#include <QString>
#include <string_view>

namespace rx::views {

inline QString qtText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace rx::views
