#include "views/shell/graph_pair.h"

#include "views/canvas/graph_canvas.h"
#include "views/panels/graph/graph_panel.h"

namespace rx::views {

GraphPair::GraphPair(Document* document, Selection* window, Side left, Side right, QObject* parent)
    : QObject(parent), document_(document), window_(window), sides_{left, right} {
  for (size_t side = 0; side < sides_.size(); ++side) {
    connect(sides_[side].lock->selection(), &Selection::changed, this, [this, side] { chosenIn(side); });
    GraphCanvas* canvas = sides_[side].panel->canvas();
    connect(canvas, &GraphCanvas::viewMoved, this, [this, side] { movedIn(side); });
    // The second of the two layouts to arrive stands where the first does.
    connect(canvas, &GraphCanvas::layoutChanged, this, [this, side] { movedIn(1 - side); });
  }
  connect(window, &Selection::changed, this, [this](const Place& place) { chosenInWindow(place); });
  chosenInWindow(window->place());
}

Place GraphPair::placeAt(const Place& place, int stage) const {
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

void GraphPair::chosenIn(size_t side) {
  if (acting_ || !sides_[0].lock || !sides_[1].lock) return;
  acting_ = true;
  const Place place = sides_[side].lock->place();
  PanelLock& other = *sides_[1 - side].lock;
  other.selection()->replace(placeAt(place, other.place().stage));
  const Place shown = placeAt(place, window_->place().stage);
  if (shown.binding >= 0 || place.binding < 0) window_->select(shown);
  acting_ = false;
}

/// Behind the locks, which know a binding by its name alone.
void GraphPair::chosenInWindow(const Place& place) {
  if (acting_) return;
  acting_ = true;
  for (const Side& side : sides_)
    if (side.lock && place.function == side.lock->place().function)
      side.lock->selection()->replace(placeAt(place, side.lock->place().stage));
  acting_ = false;
}

void GraphPair::movedIn(size_t side) {
  if (acting_ || !sides_[0].panel || !sides_[1].panel) return;
  acting_ = true;
  sides_[1 - side].panel->canvas()->follow(sides_[side].panel->canvas()->anchor());
  acting_ = false;
}

}  // namespace rx::views
