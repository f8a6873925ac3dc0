// A text with a line above it that says what state it is in: of an earlier stage, of a file that does not open.
#pragma once

#include <QWidget>

#include "views/text/decorations.h"

class QLabel;

namespace rx {

class TextView;

class BannerView : public QWidget {
 public:
  explicit BannerView(QWidget* parent = nullptr);
  TextView* text() const { return text_; }
  /// Shows a sentence above the text; an empty one hides the line.
  void setBanner(const QString& sentence, MarkKind tone);
  void setTheme(const Palette& theme);

 private:
  QLabel* banner_;
  TextView* text_;
  const Palette* theme_;
  MarkKind tone_ = MarkKind::Warning;
};

}  // namespace rx
