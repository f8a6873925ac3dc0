// Draws what is on screen of a graph, with less detail the further it is away.
#pragma once

#include <QPainter>

#include "views/canvas/graph_labels.h"

namespace rx {

class GraphPainter {
 public:
  GraphPainter(const GraphCanvas& canvas, QPainter& painter);
  void paint();

 private:
  enum class Detail : uint8_t { Full, Boxes, Blocks, Dots };
  void paintPlaceholder();
  void paintRegions();
  void paintScope(size_t region, const QRectF& rect);
  QColor groundOf(int region) const;
  void paintEdges();
  void paintEdge(const EdgePath& path, bool strong);
  void paintStubs();
  void findVisible();
  void paintNodes(const std::vector<QRectF>& names);
  void paintNode(uint32_t index, const QRectF& box);
  void paintChip(uint32_t index, const QRectF& box, const QColor& line);
  void paintSign(TintSign sign, const QColor& ink, const QRectF& box);
  void paintNodeText(const GraphNode& node, const NodeMark* mark, const QRectF& box, const QColor& ink);
  void paintPillText(const QFont& title, const QString& name, const QString& type, const QRectF& box,
                     const QColor& ink);
  QString noteOf(const GraphNode& node, const NodeMark* mark, const std::string& otherwise) const;
  void paintBadges(const NodeMark* mark, const QRectF& box);
  void paintRoot(const QRectF& box);
  void paintFoldButtons();
  void paintFoldButton(const QRectF& box, bool folded);
  void paintOverview();
  QPixmap overviewPicture(const QSizeF& wanted, double ratio) const;
  void paintBusy();
  QRectF place(const GraphRect& box) const;
  QPointF place(const GraphPoint& point) const;
  bool isMatch(uint32_t index) const;
  double em() const { return em_ * canvas_.scale_; }

  bool readable() const { return canvas_.scale_ >= kReadableScale; }

  const GraphCanvas& canvas_;
  QPainter& painter_;
  const Palette& theme_;
  QRectF view_;  // visible part of the scene
  Detail detail_;
  double em_;  // height of the font, in scene units
  QFont font_, small_;
  std::vector<uint32_t> visible_;
  std::vector<QRectF> boxes_;  // of those, as they are drawn
};

}  // namespace rx
