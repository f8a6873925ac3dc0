#include "views/shell/place_keeper.h"

#include "views/models/origin_chain.h"

namespace rx::views {

PlaceKeeper::PlaceKeeper(Document* document, Selection* selection, DebugSession* debug, QObject* parent)
    : QObject(parent), document_(document), selection_(selection), debug_(debug) {
  connect(selection, &Selection::changed, this, &PlaceKeeper::changed);
  connect(document, &Document::stageReady, this, [this] {
    if (seeking_) return seek();
    if (kept_ < 0) remember(selection_->place());
  });
  connect(document, &Document::opened, this, [this] {
    keptStage_.reset();
    kept_ = -1;
    seeking_ = false;
  });
  connect(debug, &DebugSession::stopChanged, this, &PlaceKeeper::follow);
  connect(debug, &DebugSession::stateChanged, this, [this] {
    const RunState state = debug_->state();
    if (state == RunState::Running || state == RunState::Starting || state == RunState::Off) shownStep_ = -1;
  });
}

void PlaceKeeper::move(const Place& place) {
  moving_ = true;
  selection_->replace(place);
  moving_ = false;
}

void PlaceKeeper::changed(const Place& place, const Place& old) {
  if (moving_) return;
  // Another stage without a word about the binding: the same thing is meant there.
  const bool onlyStage = place.stage != old.stage && place.binding < 0 && place.function == old.function;
  seeking_ = false;
  if (!onlyStage || kept_ < 0) return remember(place);
  seeking_ = true;
  seek();
}

void PlaceKeeper::remember(const Place& place) {
  const StageIndexPtr stage = document_->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  if (!binding && function && !place.variable.isEmpty()) binding = function->bindingNamed(place.variable);
  keptStage_ = binding ? stage : nullptr;
  keptFunction_ = binding ? function->name : QString();
  kept_ = binding ? binding->ordinal : -1;
}

void PlaceKeeper::seek() {
  const Place& now = selection_->place();
  const StageIndexPtr stage = document_->stage(now.stage, false);
  if (!stage || !keptStage_) return;
  const FunctionRow* from = keptStage_->function(keptFunction_);
  const BindingRow* binding = from ? from->binding(kept_) : nullptr;
  if (!binding) return;
  Place place = now;
  const SitePlace found = stage->counterpart(*binding, keptFunction_);
  if (const BindingRow* row = stage->binding(found)) {
    place.function = stage->functions[static_cast<size_t>(found.function)].name;
    place.binding = row->ordinal;
    place.variable = row->name;
    seeking_ = false;
    return move(place);
  }
  place.variable.clear();
  move(place);
  seeking_ = !sayGone(now.stage);
}

bool PlaceKeeper::sayGone(int stage) {
  const BindingRow* binding = keptStage_->function(keptFunction_)->binding(kept_);
  const int from = keptStage_->stage;
  if (stage < from) {
    Q_EMIT said(tr("%1 is not in stage %2: a later pass adds it.").arg(binding->name, QString::number(stage)));
    return true;
  }
  const QString pass = removedBy(*document_, from, keptFunction_, kept_, stage, true);
  if (!pass.isEmpty())
    Q_EMIT said(tr("%1 is gone in stage %2: %3 removed it.").arg(binding->name, QString::number(stage), pass));
  return !pass.isEmpty();
}

/// A stop selects the value that was just made; at the entry, where there is none, what runs next.
void PlaceKeeper::follow() {
  const StopInfo& stop = debug_->stop();
  const RunState state = debug_->state();
  if (state == RunState::Running || state == RunState::Starting || state == RunState::Off) return;
  // What somebody selects while the machine stands still stays selected.
  if (stop.step == shownStep_) return;
  shownStep_ = stop.step;
  Place place = selection_->place();
  place.step = stop.step;
  // At the end of a run no function is at work: what is selected stays, and links lead to the end.
  if (stop.function.isEmpty()) return selection_->replace(place);
  place.stage = debug_->config().stage;
  const bool made = stop.madeBinding >= 0 && stop.reason != QLatin1String("exception");
  place.function = made ? stop.madeFunction : stop.function;
  if (made || stop.binding >= 0) {
    place.binding = made ? stop.madeBinding : stop.binding;
    place.variable = made ? stop.madeVariable : stop.variable;
  }
  selection_->replace(place);
  Q_EMIT stopped();
}

}  // namespace rx::views
