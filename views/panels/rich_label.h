// A label with rich text that wraps. QLabel lays its text out again for every question about its size, twice each; here
// a text is laid out once for its least width and once for each width that it is given, and drawn as it was laid out.
// QLabel reads the text, which takes as long again, once somebody points at it, selects or walks through its links.
#pragma once

#include <QHash>
#include <QLabel>
#include <QTextDocument>
#include <vector>

namespace rx::views {

class RichLabel : public QLabel {
 public:
  explicit RichLabel(QWidget* parent);
  /// Nothing happens where it has that text. Where the label is narrower than `least` the narrow form stands there, if
  /// there is one: what is broken in the middle of a word can not be read.
  void setHtml(const QString& html, const QString& narrow = {}, int least = 0);
  QSize sizeHint() const override { return minimumSizeHint(); }
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;
  /// Where its text holds a pattern, as places for `mark`.
  std::vector<int> placesOf(const QString& pattern) const;
  /// Selects so many letters from a place on, none for 0; where the line stands in the label.
  QRect mark(int place, int length);

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// What is around the text: at both sides, and above and below it.
  int across() const { return 2 * margin() + contentsMargins().left() + contentsMargins().right(); }
  int along() const { return 2 * margin() + contentsMargins().top() + contentsMargins().bottom(); }
  /// The text that is measured is read when somebody asks.
  void measure() const;
  /// Reads it where that is to be done, and breaks its lines for a label so wide.
  void layOut(int width) const;
  /// Where the text begins.
  QPoint textCorner() const { return {margin() + contentsMargins().left(), margin() + contentsMargins().top()}; }
  void forget() const;
  /// Takes the form that the width has room for.
  void choose();

  QString wide_, narrow_;
  int least_ = 0;  // pixels
  mutable QTextDocument measured_{this};
  mutable bool read_ = false;
  mutable int leastWidth_ = -1;
  mutable QHash<int, int> heights_;  // by width
};

}  // namespace rx::views
