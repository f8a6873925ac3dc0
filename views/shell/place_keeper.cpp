#include "views/shell/place_keeper.h"

#include "views/models/origin_chain.h"
#include "views/models/run_place.h"

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

bool PlaceKeeper::placeEnd(Place* place) const {
  const RunResult* result = debug_->result();
  const StageIndexPtr stage = document_->stage(debug_->config().stage, false);
  if (!result || !stage) return false;
  const FunctionRow* function = stage->function(result->function);
  if (!function) return false;
  const BindingRow* binding = result->bad ? function->bindingNamed(result->bad->variable) : nullptr;
  for (const OperandRow& returned : function->results)
    if (!binding && returned.kind == OperandRow::Kind::Binding) binding = function->binding(returned.index);
  if (binding) binding = &makerOf(*function, *binding);
  place->stage = stage->stage;
  place->function = function->name;
  place->binding = binding ? binding->ordinal : -1;
  place->variable = binding ? binding->name : QString();
  return true;
}

/// A stop selects the value that was just made; at the entry, where there is none, what runs next.
void PlaceKeeper::follow() {
  const StopInfo& stop = debug_->stop();
  const RunState state = debug_->state();
  if (state == RunState::Running || state == RunState::Starting || state == RunState::Off) return;
  // What somebody selects while the machine stands still stays selected.
  if (stop.step == shownStep_) return;
  Place place = selection_->place();
  place.step = stop.step;
  // The result is known a moment later than that the run ended.
  if (stop.function.isEmpty() && !debug_->idle()) return selection_->replace(place);
  shownStep_ = stop.step;
  // At the end of a run no function is at work: what it came to is selected, and links lead to the end. Between the
  // bindings of a function, as before its return, something was made all the same.
  const bool made = stop.madeBinding >= 0 && stop.reason != QLatin1String("exception");
  if (stop.function.isEmpty() && (state != RunState::Stopped || !made)) {
    const bool found = !debug_->failure() && placeEnd(&place);
    selection_->replace(place);
    return found ? stopped() : void();
  }
  place.stage = debug_->config().stage;
  place.function = made ? stop.madeFunction : stop.function;
  if (made || stop.binding >= 0) {
    place.binding = made ? stop.madeBinding : stop.binding;
    place.variable = made ? stop.madeVariable : stop.variable;
  }
  // What lies in a buffer is the work of the call that wrote it.
  const StageIndexPtr stage = made ? document_->stage(place.stage, false) : nullptr;
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  if (const BindingRow* row = function ? function->binding(place.binding) : nullptr) {
    const BindingRow& maker = makerOf(*function, *row, stop.nextFunction == place.function ? stop.nextBinding : -1);
    place.binding = maker.ordinal;
    place.variable = maker.name;
  }
  selection_->replace(place);
  Q_EMIT stopped();
}

}  // namespace rx::views
