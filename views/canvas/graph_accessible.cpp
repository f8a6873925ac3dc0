#include "views/canvas/graph_accessible.h"

#include <QAccessibleWidget>
#include <map>

#include "views/canvas/graph_canvas.h"

namespace rx {
namespace {

/// One node.
class NodeAccessible : public QAccessibleInterface {
 public:
  NodeAccessible(GraphCanvas* canvas, uint32_t index) : canvas_(canvas), index_(index) {}

  bool isValid() const override { return canvas_ && canvas_->graph() && index_ < canvas_->graph()->model.nodes.size(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return canvas_ ? canvas_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override {
    return isValid() && kind == QAccessible::Name ? canvas_->nodeDescription(index_) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect local = canvas_->rectOf(canvas_->graph()->model.nodes[index_].id).toRect();
    return {canvas_->mapToGlobal(local.topLeft()), local.size()};
  }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State state;
    if (!isValid()) return state;
    state.selectable = state.focusable = true;
    state.selected = state.focused = canvas_->graph()->model.nodes[index_].id == canvas_->selected();
    state.offscreen = !canvas_->rect().intersects(canvas_->rectOf(canvas_->graph()->model.nodes[index_].id).toRect());
    return state;
  }

 private:
  QPointer<GraphCanvas> canvas_;
  uint32_t index_;
};

class CanvasAccessible : public QAccessibleWidget {
 public:
  explicit CanvasAccessible(GraphCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::List) {
    // Another graph has other nodes.
    connection_ = QObject::connect(canvas, &GraphCanvas::layoutChanged, canvas, [this] { forget(); });
  }
  ~CanvasAccessible() override {
    QObject::disconnect(connection_);
    forget();
  }

  int childCount() const override {
    const LaidGraph* graph = canvas()->graph();
    return graph ? static_cast<int>(graph->model.nodes.size()) : 0;
  }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    auto [it, isNew] = children_.try_emplace(index);
    if (isNew)
      it->second = QAccessible::registerAccessibleInterface(new NodeAccessible(canvas(), static_cast<uint32_t>(index)));
    return QAccessible::accessibleInterface(it->second);
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [index, id] : children_)
      if (QAccessible::accessibleInterface(id) == child) return index;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const uint64_t id = canvas()->idAt(QPointF(canvas()->mapFromGlobal(QPoint(x, y))));
    return id ? child(static_cast<int>(canvas()->graph()->indexOf.at(id))) : nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    const LaidGraph* graph = canvas()->graph();
    if (!graph) return nullptr;
    auto it = graph->indexOf.find(canvas()->selected());
    return it == graph->indexOf.end() ? nullptr : child(static_cast<int>(it->second));
  }

 private:
  GraphCanvas* canvas() const { return static_cast<GraphCanvas*>(widget()); }
  void forget() {
    for (const auto& [index, id] : children_) QAccessible::deleteAccessibleInterface(id);
    children_.clear();
  }
  mutable std::map<int, QAccessible::Id> children_;
  QMetaObject::Connection connection_;
};

QAccessibleInterface* makeAccessible(const QString&, QObject* object) {
  auto* canvas = qobject_cast<GraphCanvas*>(object);
  return canvas ? new CanvasAccessible(canvas) : nullptr;
}

}  // namespace

void installGraphAccessibility() {
  // Qt keeps one list of factories for the process and drops duplicates.
  QAccessible::installFactory(makeAccessible);
}

}  // namespace rx
