// What the graph panel does for commands, menus and the find bar.
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <algorithm>

#include "views/canvas/graph_dot.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/graph/graph_export.h"
#include "views/panels/graph/graph_panel.h"

namespace rx::views {

void GraphPanel::contextMenu(const QPoint& position, quint64 id) {
  if (id) activate(id);
  Q_EMIT menuWanted(position);
}

QStringList GraphPanel::menuCommands() const {
  const QStringList own = {"-",           "pass.apply",    "pass.applyTo",     "diff.graphs", "search.light",
                           "-",           "graph.fit",     "graph.actualSize", "graph.fold",  "graph.unfold",
                           "graph.focus", "graph.machine", "graph.weights",    "-",           "export.graph"};
  return bindingMenu("graph") + own;
}

/// What is on screen, folded layers as they are, in the colours of paper.
bool GraphPanel::writeTo(const QString& path) {
  QString error;
  if (folded_.model.nodes.empty()) {
    Q_EMIT message(tr("There is no graph to write."));
    return false;
  }
  const std::string dot = dotText(folded_.model, Palette::lightTheme(), function_.toStdString());
  const auto done = [this, path](const QString& failure) {
    Q_EMIT message(failure.isEmpty() ? tr("The graph is written to %1.").arg(path) : failure);
    Q_EMIT settled();
  };
  if (export_->start(path, QByteArray::fromStdString(dot), done, &error)) return true;
  Q_EMIT message(error);
  return false;
}

bool GraphPanel::setColour(const QString& word) {
  for (const GraphColourRow& row : graphColourRows()) {
    if (word != QLatin1String(row.word)) continue;
    colour_ = row.colour;
    askTimes();
    showColours();
    return true;
  }
  return false;
}

/// "compare 3" keeps the stage that this panel is compared with; "compare" alone lets it go and shows kinds again.
bool GraphPanel::setCompared(const QStringList& arguments) {
  bool ok = false;
  const int stage = arguments.value(0).toInt(&ok);
  if (!arguments.isEmpty() && !ok) return false;
  compared_ = arguments.isEmpty() ? -1 : stage;
  colour_ = arguments.isEmpty() ? GraphColour::Kind : GraphColour::Change;
  showColours();
  return true;
}

/// Around the selected node; the same distance again shows the whole graph.
bool GraphPanel::setFocusDistance(int distance) {
  constexpr int kUsual = 2;
  const int wanted = distance > 0 ? distance : wish_.focus > 0 ? 0 : kUsual;
  if (wanted > 0 && canvas_->selected() == 0) {
    Q_EMIT message(tr("Select a node first: the graph then shows what is near it."));
    return false;
  }
  wish_.focus = wanted;
  wish_.focusId = canvas_->selected();
  build(true, false);
  canvas_->fit();
  return true;
}

bool GraphPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("export")) return arguments.size() == 1 && writeTo(arguments[0]);
  if (name == QLatin1String("fit")) {
    wholeAsked_ = true;
    return canvas_->fit(), true;
  }
  if (name == QLatin1String("zoomIn")) return canvas_->zoomBy(1.25), true;
  if (name == QLatin1String("zoomOut")) return canvas_->zoomBy(0.8), true;
  if (name == QLatin1String("reset")) return canvas_->resetZoom(), true;
  if (name == QLatin1String("focus")) return setFocusDistance(arguments.isEmpty() ? 0 : arguments[0].toInt());
  if (name == QLatin1String("colour")) return arguments.size() == 1 && setColour(arguments[0]);
  if (name == QLatin1String("compare")) return setCompared(arguments);
  if (name == QLatin1String("weights")) return canvas_->setWeightLabels(!canvas_->weightLabels()), true;
  if (name == QLatin1String("machine")) {
    wish_.machine = !wish_.machine;
    return build(true, true), true;
  }
  if (name == QLatin1String("fold")) {
    wish_.open.clear();
    return build(true, false), true;
  }
  if (name == QLatin1String("unfold")) {
    wish_.open = allFoldKeys(whole_->graph.model, whole_->runs);
    return build(true, false), true;
  }
  return false;
}

bool GraphPanel::busy() const {
  // A lock may keep a stage that this document does not have (yet).
  const int stage = context_.selection->place().stage;
  const bool waits = context_.document->state() == Document::State::Ready && stage <= context_.document->lastStage() &&
                     (!stage_ || stage_->stage != stage);
  return Panel::busy() || makes_ || compares_ || lights_ || asksTimes_ || canvas_->busy() || export_->busy() || waits;
}

QString GraphPanel::dump() const {
  QString text;
  std::vector<QStringList> inputs(folded_.model.nodes.size());
  for (const GraphEdge& edge : folded_.model.edges)
    inputs[edge.to] += QString::fromStdString(folded_.model.nodes[edge.from].title);
  for (size_t n = 0; n < folded_.model.nodes.size(); ++n) {
    const GraphNode& node = folded_.model.nodes[n];
    QStringList parts{QString::fromStdString(node.title), QString::fromStdString(node.subtitle)};
    parts += QString::fromStdString(node.members);
    parts += QString::fromStdString(node.chip);
    if (node.bytes >= 0) parts += bytesText(node.bytes);
    const NodeMark* mark = canvas_->mark(node.id);
    if (mark && !mark->note.isEmpty()) parts[1] = mark->note;
    if (mark && mark->error) parts += QStringLiteral("error");
    if (mark && mark->root) parts += QStringLiteral("root");
    if (mark && mark->current) parts += QStringLiteral("current");
    if (const NodeTint* tint = colour_ == GraphColour::Difference ? canvas_->tint(node.id) : nullptr)
      parts += tint->note;
    const auto change = changes_.find(node.id);
    if (colour_ == GraphColour::Change && change != changes_.end()) parts += changeName(change->second);
    if (const int hits = canvas_->hitsOf(node.id); hits > 0) parts += tr("lit %1").arg(hits);
    if (!inputs[n].isEmpty()) parts += QStringLiteral("<- ") + inputs[n].join(QStringLiteral(", "));
    parts.removeAll(QString());
    text += parts.join(QStringLiteral("  ")) + QLatin1Char('\n');
  }
  return text;
}

bool GraphPanel::showFind() {
  find_->show();
  find_->raise();
  placeFind();
  find_->setFocus(Qt::ShortcutFocusReason);
  find_->selectAll();
  return true;
}

bool GraphPanel::findNext(bool forward) { return canvas_->findNext(forward ? 1 : -1); }

int GraphPanel::find(const QString& text) {
  const int count = canvas_->find(text);
  if (count > 0) canvas_->findNext(1);
  return count > 0 ? count : findInside(text);
}

/// In layers that are folded: the first one is selected, which marks the node that shows its layer.
int GraphPanel::findInside(const QString& text) {
  int count = 0;
  uint64_t first = 0;
  for (const GraphNode& node : whole_->graph.model.nodes) {
    if (text.isEmpty() || !QString::fromStdString(node.title).contains(text, Qt::CaseInsensitive)) continue;
    if (count++ == 0) first = node.id;
  }
  if (count > 0) activate(first);
  return count;
}

void GraphPanel::closeFind() {
  find_->hide();
  canvas_->find({});
  canvas_->setFocus();
}

void GraphPanel::placeFind() {
  const int gap = fontMetrics().height() / 2;
  find_->resize(std::min(fontMetrics().averageCharWidth() * 30, width() - 2 * gap), find_->sizeHint().height());
  find_->move(width() - find_->width() - gap, gap);
}

void GraphPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  placeFind();
}

bool GraphPanel::eventFilter(QObject* object, QEvent* event) {
  if (object == find_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape) return closeFind(), true;
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_F3)
      return canvas_->findNext(key->modifiers() & Qt::ShiftModifier ? -1 : 1), true;
  }
  return Panel::eventFilter(object, event);
}

}  // namespace rx::views
