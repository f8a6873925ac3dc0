#include "views/shell/linked_panels.h"

#include "views/canvas/graph_canvas.h"
#include "views/panels/graph/graph_panel.h"

namespace rx::views {

LinkedPanels::LinkedPanels(Document* document, Selection* window, std::vector<Member> members, QObject* parent)
    : QObject(parent), document_(document), window_(window), members_(std::move(members)) {
  for (size_t member = 0; member < members_.size(); ++member) {
    connect(members_[member].lock->selection(), &Selection::changed, this, [this, member] { chosenIn(member); });
    GraphCanvas* canvas = canvasOf(members_[member]);
    if (!canvas) continue;
    connect(canvas, &GraphCanvas::viewMoved, this, [this, member] { movedIn(member); });
    // The last of the layouts to arrive stands where the first does.
    connect(canvas, &GraphCanvas::layoutChanged, this, [this, member] {
      for (size_t other = 0; other < members_.size(); ++other)
        if (other != member && canvasOf(members_[other])) return movedIn(other);
    });
  }
  connect(window, &Selection::changed, this, [this](const Place& place) { chosenInWindow(place); });
  chosenInWindow(window->place());
}

GraphCanvas* LinkedPanels::canvasOf(const Member& member) {
  auto* graph = qobject_cast<GraphPanel*>(member.panel.data());
  return graph ? graph->canvas() : nullptr;
}

Place LinkedPanels::placeAt(const Place& place, int stage) const {
  if (place.stage == stage) return place;
  Place there = place;
  there.stage = stage;
  there.binding = -1;
  const StageIndexPtr from = document_->stage(place.stage, false), to = document_->stage(stage, false);
  const FunctionRow* function = from ? from->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  if (!binding || !to) return there;
  const SitePlace found = to->counterpart(*binding, place.function);
  const FunctionRow* sameFunction = to->function(place.function);
  const BindingRow* row = to->binding(found);
  if (!row && sameFunction) row = sameFunction->bindingNamed(place.variable);
  there.variable = row ? row->name : QString();
  if (row) there.binding = row->ordinal;
  return there;
}

void LinkedPanels::chosenIn(size_t member) {
  if (acting_ || !members_[member].lock) return;
  acting_ = true;
  const Place place = members_[member].lock->place();
  for (size_t other = 0; other < members_.size(); ++other) {
    PanelLock* lock = members_[other].lock;
    if (lock && other != member) lock->selection()->replace(placeAt(place, lock->place().stage));
  }
  const Place shown = placeAt(place, window_->place().stage);
  if (shown.binding >= 0 || place.binding < 0) window_->select(shown);
  acting_ = false;
}

/// Behind the locks, which know a binding by its name alone.
void LinkedPanels::chosenInWindow(const Place& place) {
  if (acting_) return;
  acting_ = true;
  for (const Member& member : members_)
    if (member.lock && place.function == member.lock->place().function)
      member.lock->selection()->replace(placeAt(place, member.lock->place().stage));
  acting_ = false;
}

void LinkedPanels::movedIn(size_t member) {
  const GraphCanvas* leader = canvasOf(members_[member]);
  if (acting_ || !leader) return;
  acting_ = true;
  for (size_t other = 0; other < members_.size(); ++other)
    if (GraphCanvas* canvas = canvasOf(members_[other]); canvas && other != member) canvas->follow(leader->anchor());
  acting_ = false;
}

}  // namespace rx::views
