// Where the bytes of one line stand on the screen, and what is drawn for them.
#pragma once

#include <QFontMetricsF>
#include <QString>
#include <string_view>
#include <vector>

namespace rx {

/// UTF-8 as text that is safe to show: controls and bidirectional overrides become U+FFFD, so that a name from a file
/// can not reorder or hide what stands beside it. Tabs become one space.
QString shownText(std::string_view bytes);

/// A tooltip that shows a text as it is, never as markup; empty stays empty.
QString plainTip(const QString& text);

/// Bytes [begin, end) of a line that are shown as another, shorter text.
struct Shortening {
  uint32_t begin = 0;
  uint32_t end = 0;
  QString text;
};

/// Columns of a monospaced line. Lines of plain ASCII need no table; others are measured glyph by glyph, up to
/// `kMaxMeasured` bytes, beyond which nothing of them is shown.
class LineMetrics {
 public:
  /// `shortened` are in order and do not overlap; their bytes all stand where the first one does.
  LineMetrics(std::string_view line, qreal charWidth, const QFontMetricsF& metrics,
              std::vector<Shortening> shortened = {});

  /// Distance of a byte from the left edge of the line.
  qreal xOf(uint32_t byte) const;
  /// The byte boundary nearest to a distance.
  uint32_t byteAt(qreal x) const;
  /// The last byte boundary that is not right of a distance.
  uint32_t lastWithin(qreal x) const;
  /// The byte boundary that follows one.
  uint32_t after(uint32_t byte) const;
  qreal width() const { return xOf(shownBytes_); }
  bool simple() const { return simple_; }
  uint32_t shownBytes() const { return shownBytes_; }
  const std::vector<Shortening>& shortened() const { return shortened_; }

  static constexpr uint32_t kMaxMeasured = 20'000;
  static constexpr uint32_t kTabColumns = 4;

 private:
  struct Stop {
    uint32_t byte;
    qreal x;
  };
  void measure(std::string_view line, const QFontMetricsF& metrics);

  qreal charWidth_;
  uint32_t shownBytes_;
  bool simple_ = true;
  std::vector<Stop> stops_;
  std::vector<Shortening> shortened_;
};

}  // namespace rx
