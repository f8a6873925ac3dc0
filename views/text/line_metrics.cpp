#include "views/text/line_metrics.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "views/theme/qt_text.h"

namespace rx {
namespace {

bool isBidiControl(char32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
}

/// Bytes of the UTF-8 sequence at the front; 1 for a byte that begins none.
uint32_t sequenceLength(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const uint32_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (wanted > bytes.size()) return 1;
  for (uint32_t i = 1; i < wanted; ++i)
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) return 1;
  return wanted;
}

}  // namespace

QString shownText(std::string_view bytes) {
  QString text = views::qtText(bytes);
  for (QChar& c : text) {
    const char16_t code = c.unicode();
    if (code == '\t') {
      c = QLatin1Char(' ');
    } else if (code < 0x20 || code == 0x7f || isBidiControl(code) || code == 0x2028 || code == 0x2029) {
      c = QChar::ReplacementCharacter;
    }
  }
  return text;
}

QString plainTip(const QString& text) {
  if (text.isEmpty()) return {};
  // Lines are broken here: a tooltip that breaks them itself is narrow, whatever it has to say.
  constexpr qsizetype kMost = 90;
  QStringList lines;
  for (QString rest : text.split(QLatin1Char('\n'))) {
    while (rest.size() > kMost) {
      const qsizetype space = rest.lastIndexOf(QLatin1Char(' '), kMost);
      const qsizetype at = space > kMost / 2 ? space : kMost;
      lines << rest.left(at);
      rest = rest.mid(at == space ? at + 1 : at);
    }
    lines << rest;
  }
  return QStringLiteral("<div style='white-space:pre'>%1</div>").arg(lines.join(QLatin1Char('\n')).toHtmlEscaped());
}

LineMetrics::LineMetrics(std::string_view line, qreal charWidth, const QFontMetricsF& metrics,
                         std::vector<Shortening> shortened)
    : charWidth_(charWidth), shownBytes_(static_cast<uint32_t>(line.size())), shortened_(std::move(shortened)) {
  simple_ = shortened_.empty() && std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!simple_) measure(line, metrics);
}

void LineMetrics::measure(std::string_view line, const QFontMetricsF& metrics) {
  qreal x = 0;
  uint32_t at = 0;
  auto shorter = shortened_.begin();
  while (at < line.size() && at < kMaxMeasured) {
    stops_.push_back({at, x});
    if (shorter != shortened_.end() && shorter->begin == at) {
      x += metrics.horizontalAdvance(shorter->text);
      at = shorter++->end;
      continue;
    }
    const uint32_t length = sequenceLength(line.substr(at));
    if (line[at] == '\t') {
      const qreal tab = charWidth_ * kTabColumns;
      x = (std::floor(x / tab + 1e-6) + 1) * tab;
    } else if (length == 1 && !(line[at] & 0x80)) {
      x += charWidth_;
    } else {
      x += metrics.horizontalAdvance(shownText(line.substr(at, length)));
    }
    at += length;
  }
  stops_.push_back({at, x});
  shownBytes_ = at;
}

qreal LineMetrics::xOf(uint32_t byte) const {
  byte = std::min(byte, shownBytes_);
  if (simple_) return byte * charWidth_;
  auto it = std::upper_bound(stops_.begin(), stops_.end(), byte, [](uint32_t b, const Stop& s) { return b < s.byte; });
  return std::prev(it)->x;
}

uint32_t LineMetrics::byteAt(qreal x) const {
  if (x <= 0) return 0;
  if (simple_) return std::min(static_cast<uint32_t>(x / charWidth_ + 0.5), shownBytes_);
  auto it = std::lower_bound(stops_.begin(), stops_.end(), x, [](const Stop& s, qreal v) { return s.x < v; });
  if (it == stops_.end()) return shownBytes_;
  if (it == stops_.begin()) return it->byte;
  return it->x - x < x - std::prev(it)->x ? it->byte : std::prev(it)->byte;
}

uint32_t LineMetrics::lastWithin(qreal x) const {
  if (x <= 0) return 0;
  if (simple_) return static_cast<uint32_t>(std::min<qreal>(x / charWidth_, shownBytes_));
  auto it = std::upper_bound(stops_.begin(), stops_.end(), x, [](qreal v, const Stop& s) { return v < s.x; });
  return it == stops_.begin() ? 0 : std::prev(it)->byte;
}

uint32_t LineMetrics::after(uint32_t byte) const {
  if (simple_) return std::min(byte + 1, shownBytes_);
  auto it = std::upper_bound(stops_.begin(), stops_.end(), byte, [](uint32_t b, const Stop& s) { return b < s.byte; });
  return it == stops_.end() ? shownBytes_ : it->byte;
}

}  // namespace rx
