#include "views/canvas/region_names.h"

#include <QFontMetricsF>
#include <algorithm>
#include <memory>
#include <optional>

#include "views/theme/scope_look.h"

namespace rx {
namespace {

/// More lines than this are not drawn, nor looked at.
constexpr size_t kMostLines = 20'000;
/// More names than this are a texture, not words.
constexpr size_t kMostNames = 200;
constexpr double kGap = 3;

class NamePainter {
 public:
  NamePainter(QPainter& painter, const GraphCanvas& canvas, const std::vector<QRectF>& boxes)
      : painter_(painter),
        canvas_(canvas),
        graph_(*canvas.graph()),
        boxes_(boxes),
        font_(canvas.font()),
        em_(canvas.fontMetrics().height() * canvas.scale()) {
    font_.setPointSizeF(font_.pointSizeF() * std::max(kReadableScale, 0.85 * canvas.scale()));
    metrics_ = std::make_unique<QFontMetricsF>(font_);
  }

  std::vector<QRectF> run() {
    painter_.setFont(font_);
    // The inner ones first: what is around them has more room.
    for (size_t r = graph_.model.regions.size(); r-- > 0 && taken_.size() < kMostNames;) {
      const QRectF frame = canvas_.drawnRegion(r);
      if (frame.intersects(canvas_.viewRect())) paintName(r, frame);
    }
    return std::move(taken_);
  }

 private:
  struct Span {
    double from, to;
  };

  /// The whole title, or what of it says whose region it is.
  static QStringList wordsOf(const GraphRegion& region) {
    const QString title = QString::fromStdString(region.title);
    const QString dot = QStringLiteral("  ·  ");
    QStringList words{title, title.section(dot, 0, 1), title.section(dot, 0, 0), QString::fromStdString(region.brief)};
    words.removeAll(QString());
    words.removeDuplicates();
    return words;
  }

  void paintName(size_t number, const QRectF& frame) {
    const GraphRegion& region = graph_.model.regions[number];
    const QRectF view = canvas_.viewRect();
    const double height = metrics_->height() * 0.95, pad = std::max(kGap, em_ * 0.5);
    // The line stays on screen while the frame is moved out of it, as far as to its end.
    const double own = frame.top() + std::max(1.0, em_ * 0.2);
    const double top = std::max(own, std::min(view.top() + 1, frame.bottom() - 2 * height));
    const double button = region.foldId ? canvas_.foldButtonOf(frame).width() + em_ * 0.4 : 0;
    const QRectF line(QPointF(std::max(frame.left() + pad, view.left() + kGap), top),
                      QPointF(std::min(frame.right() - button, view.right()) - kGap, top + height));
    if (line.width() <= 0 || placeIn(line, region) || top > own) return;  // that only says again what stands further up
    // Where nodes stand close under the border it stands on that, as in the frame of a form.
    if (placeIn(line.translated(0, frame.top() - top - height / 2), region)) return;
    const std::vector<Span> firm = firmIn(line);
    // What lies under a name is better than none: the lines alone go on behind it.
    for (const QString& words : wordsOf(region))
      if (const auto left = firstGap(line, firm, widthOf(words))) return put(region, {*left, top}, words);
    const QString name = wordsOf(region).back();
    const QRectF beside(frame.right() + kGap, frame.top(), widthOf(name), height);
    if (region.kind == RegionKind::Layer && view.contains(beside) && firmIn(beside).empty())
      return put(region, beside.topLeft(), name);
    const QString some = metrics_->elidedText(name, Qt::ElideRight, line.width());
    if (some.size() > 4 && firstGap(line, firm, widthOf(some) - 1)) put(region, line.topLeft(), some);
  }

  /// The longest words that have room between all that is in a line.
  bool placeIn(const QRectF& line, const GraphRegion& region) {
    std::vector<Span> spans = firmIn(line);
    const std::vector<Span> lines = linesIn(line);
    spans.insert(spans.end(), lines.begin(), lines.end());
    for (const QString& words : wordsOf(region))
      if (const auto left = firstGap(line, spans, widthOf(words))) {
        put(region, {*left, line.top()}, words);
        return true;
      }
    return false;
  }

  double widthOf(const QString& words) const { return metrics_->horizontalAdvance(words) + 2; }

  /// Nodes and other names, with the room that they need.
  std::vector<Span> firmIn(const QRectF& line) const {
    std::vector<Span> spans;
    for (const auto* rects : {&boxes_, &taken_})
      for (const QRectF& rect : *rects)
        if (rect.intersects(line)) spans.push_back({rect.left() - kGap, rect.right() + kGap});
    return spans;
  }

  std::vector<Span> linesIn(const QRectF& line) const {
    std::vector<Span> spans;
    const auto near = graph_.edgeBands.between(canvas_.sceneY(line.top()), canvas_.sceneY(line.bottom()));
    if (near.size() > kMostLines) return spans;
    for (const uint32_t e : near) {
      const auto& points = graph_.layout.edges[e].points;
      for (size_t i = 0; i + 1 < points.size(); ++i) {
        const QPointF a = canvas_.pointAt(points[i]), b = canvas_.pointAt(points[i + 1]);
        if (std::max(a.y(), b.y()) >= line.top() && std::min(a.y(), b.y()) <= line.bottom() &&
            std::max(a.x(), b.x()) >= line.left() && std::min(a.x(), b.x()) <= line.right())
          addLine(line, a, b, &spans);
      }
    }
    return spans;
  }

  /// As graph_painter.cpp draws them.
  void addLine(const QRectF& line, QPointF a, QPointF b, std::vector<Span>* spans) const {
    constexpr int kSteps = 24;
    const QPointF bend(0, std::max((b.y() - a.y()) / 2, em_ * 0.5));
    std::optional<Span> span;
    QPointF last = a;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps, s = 1 - t;
      const QPointF at = a * s * s * s + (a + bend) * 3 * s * s * t + (b - bend) * 3 * s * t * t + b * t * t * t;
      if (std::max(last.y(), at.y()) >= line.top() && std::min(last.y(), at.y()) <= line.bottom()) {
        const auto [low, high] = std::minmax(last.x(), at.x());
        span = span ? Span{std::min(span->from, low), std::max(span->to, high)} : Span{low, high};
      }
      last = at;
    }
    if (span) spans->push_back({span->from - kGap, span->to + kGap});
  }

  /// Where the first gap of that width begins.
  static std::optional<double> firstGap(const QRectF& line, std::vector<Span> spans, double width) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
    double at = line.left();
    for (const Span& span : spans) {
      if (span.from - at >= width) break;
      at = std::max(at, span.to);
    }
    return at + width <= line.right() ? std::optional(at) : std::nullopt;
  }

  void put(const GraphRegion& region, QPointF at, const QString& words) {
    const Palette& theme = canvas_.theme();
    const QRectF rect(at, QSizeF(widthOf(words), metrics_->height() * 0.95));
    QColor ground = region.kind == RegionKind::Dataflow ? theme.dataflow : theme.base;
    ground.setAlpha(225);
    painter_.fillRect(rect, ground);
    painter_.setPen(region.kind == RegionKind::Scope   ? scopeLook(region.branch, theme).ink
                    : region.kind == RegionKind::Layer ? theme.text
                                                       : theme.grey);
    painter_.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, words);
    taken_.push_back(rect);
  }

  QPainter& painter_;
  const GraphCanvas& canvas_;
  const LaidGraph& graph_;
  const std::vector<QRectF>& boxes_;
  QFont font_;
  std::unique_ptr<QFontMetricsF> metrics_;
  const double em_;  // height of a line of text, on screen
  std::vector<QRectF> taken_;
};

}  // namespace

std::vector<QRectF> paintRegionNames(QPainter& painter, const GraphCanvas& canvas, const std::vector<QRectF>& boxes) {
  return NamePainter(painter, canvas, boxes).run();
}

}  // namespace rx
