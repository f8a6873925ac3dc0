// A small table of labels and texts, as the panels of the profile write it into their labels.
#pragma once

#include <QString>

#include "views/theme/palette.h"

namespace rx::views {

/// Rows without a text are left out.
class LabelRows {
 public:
  explicit LabelRows(const Palette& theme) : grey_(theme.grey.name()) {}
  void add(const QString& label, const QString& text) {
    if (text.isEmpty()) return;
    rows_ += QStringLiteral("<tr><td><span style='color:%1'>%2&nbsp;&nbsp;</span></td><td>%3</td></tr>")
                 .arg(grey_, label, text.toHtmlEscaped());
  }
  QString html() const { return QStringLiteral("<table cellspacing='0' cellpadding='1'>%1</table>").arg(rows_); }

 private:
  QString grey_, rows_;
};

}  // namespace rx::views
