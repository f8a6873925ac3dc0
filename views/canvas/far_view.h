// A graph as it is drawn from so far that its own texts are too small: with boxes and chips that hold larger labels,
// and frames that hold those boxes.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <unordered_map>
#include <vector>

namespace rx {

class GraphCanvas;
struct GraphNode;
struct LaidGraph;

/// From this scale down the texts inside the nodes give way to labels.
inline constexpr double kReadableScale = 0.72;
/// Down to this one the operators of nodes can be read in them.
inline constexpr double kLegibleScale = 0.33;

/// The font of labels that are seen from afar, and that of their second lines.
QFont farFont(const GraphCanvas& canvas);
QFont farSmallFont(const GraphCanvas& canvas);

/// The words that a node may say from afar, the longer ones first.
struct FarWords {
  QString title, shorter;  ///< name and operation, or the operation alone
  QString second, brief;   ///< what stands under it: "(n, 32) f16", or "(n, 32)"; empty for none
};
/// Of the node alone: what a run or a colouring says of it is not among them.
FarWords farWordsOf(const GraphNode& node);

/// Places in pixels from the left top corner of the layout, so that they stay where the view is moved.
class FarView {
 public:
  /// Of a large graph only the nodes in sight are made wider, and where these are very many none is.
  /// `last`, which may be null, is what was shown before; it gives away what it has measured.
  FarView(const GraphCanvas& canvas, FarView* last);
  /// Whether it is still that of the canvas.
  bool isOf(const GraphCanvas& canvas) const;

  QRectF box(uint32_t node) const;
  const QRectF& region(size_t region) const { return regions_[region]; }
  struct Chip {
    QRectF rect;  ///< empty where it has no room
    QString text;
  };
  /// Null where the node has none.
  const Chip* chip(uint32_t node) const;
  /// How wide a text is in the font of labels, or in that of their second lines.
  double widthOf(const QString& text, bool small = false) const;

 private:
  friend class FarWidener;
  const LaidGraph* graph_;
  double scale_, width_;
  QFont font_, canvasFont_;
  QRectF view_;                   // that it was made for, where it is of the nodes in sight
  std::vector<QRectF> boxes_;     // empty where all are those of the layout
  std::vector<uint32_t> looked_;  // whose boxes may be others
  std::vector<QRectF> regions_;
  std::unordered_map<uint32_t, Chip> chips_;
  // The same words come again and again, and to shape one takes longer than all else that is done for it.
  mutable std::unordered_map<QString, double> widths_, smallWidths_;
};

}  // namespace rx
