#include "views/shell/svg_picture.h"

#include <QBuffer>
#include <QHash>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QWidget>
#include <climits>
#include <optional>

namespace rx::views {
namespace {

// What is left out Qt paints with what is there.
constexpr QPaintEngine::PaintEngineFeatures kFeatures =
    QPaintEngine::PrimitiveTransform | QPaintEngine::PixmapTransform | QPaintEngine::PainterPaths |
    QPaintEngine::AlphaBlend | QPaintEngine::Antialiasing | QPaintEngine::ConstantOpacity;

QByteArray number(qreal value) { return QByteArray::number(value, 'g', 7); }

QByteArray pathText(const QPainterPath& path) {
  QByteArray text;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element at = path.elementAt(i);
    const char* const kWays[] = {"M", "L", "C", " "};
    text += kWays[at.type] + number(at.x) + ',' + number(at.y);
  }
  return text;
}

QByteArray transformText(const QTransform& to) {
  if (to.isIdentity()) return {};
  QByteArray text = " transform=\"matrix(";
  for (const qreal part : {to.m11(), to.m12(), to.m21(), to.m22(), to.dx()}) text += number(part) + ',';
  return text + number(to.dy()) + ")\"";
}

QByteArray colorText(const char* what, const QColor& color, qreal opacity) {
  QByteArray text = QByteArray(" ") + what + "=\"" + color.name().toLatin1() + '"';
  const qreal alpha = color.alphaF() * opacity;
  return alpha < 1 ? text + ' ' + what + "-opacity=\"" + number(alpha) + '"' : text;
}

class SvgEngine : public QPaintEngine {
 public:
  SvgEngine() : QPaintEngine(kFeatures) {}
  Type type() const override { return User; }
  bool begin(QPaintDevice*) override { return true; }
  bool end() override {
    closeClip();
    return true;
  }
  const QByteArray& body() const { return body_; }

  void updateState(const QPaintEngineState& state) override {
    const DirtyFlags dirty = state.state();
    if (dirty & DirtyTransform) transform_ = state.transform();
    if (dirty & DirtyPen) pen_ = state.pen();
    if (dirty & DirtyBrush) brush_ = state.brush();
    if (dirty & DirtyOpacity) opacity_ = state.opacity();
    if (dirty & DirtyHints) hints_ = state.renderHints();
    if (dirty & DirtyClipEnabled) clips_ = state.isClipEnabled();
    if (dirty & DirtyClipPath) takeClip(state.clipPath(), state.clipOperation());
    if (dirty & DirtyClipRegion) {
      QPainterPath path;
      path.addRegion(state.clipRegion());
      takeClip(path, state.clipOperation());
    }
  }

  void drawPath(const QPainterPath& path) override { addPath(path, brush_); }

  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    QPainterPath path;
    path.moveTo(points[0]);
    for (int i = 1; i < count; ++i) path.lineTo(points[i]);
    path.setFillRule(mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
    if (mode != PolylineMode) path.closeSubpath();
    addPath(path, mode == PolylineMode ? QBrush(Qt::NoBrush) : brush_);
  }

  void drawPixmap(const QRectF& to, const QPixmap& pixmap, const QRectF& from) override {
    const bool smooth = hints_ & QPainter::SmoothPixmapTransform;
    QPixmap shown = pixmap.copy(from.toAlignedRect());
    // Cells of a heat map have edges, which viewers would blur.
    const QSize large = transform_.mapRect(to).size().toSize();
    if (!smooth && large.width() > shown.width() && large.height() > shown.height()) shown = shown.scaled(large);
    QBuffer png;
    if (!shown.save(&png, "PNG")) return;
    add("<image x=\"" + number(to.x()) + "\" y=\"" + number(to.y()) + "\" width=\"" + number(to.width()) +
        "\" height=\"" + number(to.height()) + "\" preserveAspectRatio=\"none\"" +
        (opacity_ < 1 ? " opacity=\"" + number(opacity_) + '"' : QByteArray()) + transformText(transform_) +
        " xlink:href=\"data:image/png;base64," + png.data().toBase64() + "\"/>\n");
  }

  /// As wide as on screen whatever font a viewer has.
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QString text = item.text().trimmed();
    if (text.isEmpty()) return;
    const QFont font = item.font();
    // Blanks at the ends are places, no letters.
    const QFontMetricsF metrics(font);
    const QString blanks = item.text().left(item.text().indexOf(text));
    const qreal before = metrics.horizontalAdvance(blanks);
    const qreal width = metrics.horizontalAdvance(text);
    add("<text x=\"" + number(at.x() + before) + "\" y=\"" + number(at.y()) + "\" textLength=\"" + number(width) +
        "\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" font-family=\"" +
        font.families().value(0).toHtmlEscaped().toUtf8() + "\" font-size=\"" + number(QFontInfo(font).pixelSize()) +
        "\" font-weight=\"" + QByteArray::number(font.weight()) + '"' +
        (font.italic() ? " font-style=\"italic\"" : "") + colorText("fill", pen_.color(), opacity_) +
        transformText(transform_) + '>' + text.toHtmlEscaped().toUtf8() + "</text>\n");
  }

 private:
  void takeClip(const QPainterPath& path, Qt::ClipOperation operation) {
    const QPainterPath there = transform_.map(path);
    clips_ = operation != Qt::NoClip;
    if (operation == Qt::NoClip)
      clip_.reset();
    else
      clip_ = operation == Qt::IntersectClip && clip_ ? clip_->intersected(there) : there;
  }

  /// What can be seen now: of the widget that is painted, and of what it clips itself.
  std::optional<QPainterPath> visible() const {
    std::optional<QPainterPath> path;
    if (const QRegion region = systemClip(); !region.isEmpty()) path.emplace().addRegion(region);
    if (!clips_ || !clip_) return path;
    return path ? path->intersected(*clip_) : clip_;
  }

  void add(const QByteArray& element) {
    const std::optional<QPainterPath> path = visible();
    const QByteArray clip = path ? pathText(*path) : QByteArray();
    if (clip != openClip_) {
      closeClip();
      if (!clip.isEmpty()) {
        int& known = clipNumbers_[clip];
        if (known == 0) {
          known = static_cast<int>(clipNumbers_.size());
          body_ += "<clipPath id=\"c" + QByteArray::number(known) + "\"><path d=\"" + clip + "\"/></clipPath>\n";
        }
        body_ += "<g clip-path=\"url(#c" + QByteArray::number(known) + ")\">\n";
      }
      openClip_ = clip;
    }
    body_ += element;
  }

  void closeClip() {
    if (!openClip_.isEmpty()) body_ += "</g>\n";
    openClip_.clear();
  }

  void addPath(const QPainterPath& path, const QBrush& brush) {
    const bool strokes = pen_.style() != Qt::NoPen;
    if (path.isEmpty() || (!strokes && brush.style() == Qt::NoBrush)) return;
    QTransform to = transform_;
    // Without smoothing a line lies on the pixels whose number it has, not between them.
    if (strokes && !(hints_ & QPainter::Antialiasing)) to = QTransform::fromTranslate(0.5, 0.5) * to;
    add("<path d=\"" + pathText(path) + '"' + transformText(to) +
        (path.fillRule() == Qt::OddEvenFill ? " fill-rule=\"evenodd\"" : "") +
        (brush.style() == Qt::NoBrush ? " fill=\"none\"" : colorText("fill", brush.color(), opacity_)) +
        (strokes ? strokeText() : QByteArray()) + "/>\n");
  }

  QByteArray strokeText() const {
    const qreal width = pen_.widthF() > 0 ? pen_.widthF() : 1;
    QByteArray text = colorText("stroke", pen_.color(), opacity_) + " stroke-width=\"" + number(width) + '"';
    if (pen_.isCosmetic()) text += " vector-effect=\"non-scaling-stroke\"";
    if (pen_.capStyle() == Qt::RoundCap) text += " stroke-linecap=\"round\"";
    if (pen_.joinStyle() == Qt::RoundJoin) text += " stroke-linejoin=\"round\"";
    if (pen_.style() == Qt::SolidLine) return text;
    QByteArray dashes;
    for (const qreal part : pen_.dashPattern()) dashes += (dashes.isEmpty() ? "" : ",") + number(part * width);
    return text + " stroke-dasharray=\"" + dashes + '"';
  }

  QTransform transform_;
  QPen pen_;
  QBrush brush_;
  qreal opacity_ = 1;
  QPainter::RenderHints hints_;
  bool clips_ = false;
  std::optional<QPainterPath> clip_;  // in pixels of the picture
  QByteArray body_;
  QByteArray openClip_;  // of the group that is open
  QHash<QByteArray, int> clipNumbers_;
};

/// As large as the widget, with as many dots per inch as its screen.
class SvgSheet : public QPaintDevice {
 public:
  SvgSheet(const QWidget* widget, SvgEngine* engine) : widget_(widget), engine_(engine) {}
  QPaintEngine* paintEngine() const override { return engine_; }

 protected:
  int metric(PaintDeviceMetric what) const override {
    switch (what) {
      case PdmWidth:
        return widget_->width();
      case PdmHeight:
        return widget_->height();
      case PdmWidthMM:
        return widget_->widthMM();
      case PdmHeightMM:
        return widget_->heightMM();
      case PdmDpiX:
      case PdmPhysicalDpiX:
        return widget_->logicalDpiX();
      case PdmDpiY:
      case PdmPhysicalDpiY:
        return widget_->logicalDpiY();
      case PdmDepth:
        return 32;
      case PdmNumColors:
        return INT_MAX;
      case PdmDevicePixelRatio:
        return 1;
      case PdmDevicePixelRatioScaled:
        return static_cast<int>(devicePixelRatioFScale());
      default:
        return QPaintDevice::metric(what);
    }
  }

 private:
  const QWidget* widget_;
  SvgEngine* engine_;
};

}  // namespace

QByteArray svgPicture(QWidget* widget, const QString& title) {
  SvgEngine engine;
  SvgSheet sheet(widget, &engine);
  QPainter painter;
  if (!painter.begin(&sheet)) return {};
  widget->render(&painter);
  if (!painter.end()) return {};
  const QByteArray width = QByteArray::number(widget->width()), height = QByteArray::number(widget->height());
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
         "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
         width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + ' ' + height + "\">\n<title>" +
         title.toHtmlEscaped().toUtf8() + "</title>\n" + engine.body() + "</svg>\n";
}

}  // namespace rx::views
