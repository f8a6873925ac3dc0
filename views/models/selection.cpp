#include "views/models/selection.h"

namespace rx::views {
namespace {
constexpr size_t kMostEntries = 1000;
}

Selection::Selection(QObject* parent) : QObject(parent), history_{Place{}} {}

void Selection::select(const Place& place) {
  if (place == this->place()) return;
  if (sameSpot(place, this->place())) return replace(place);
  const Place old = this->place();
  history_.resize(at_ + 1);
  history_.push_back(place);
  if (history_.size() > kMostEntries) history_.erase(history_.begin());
  at_ = history_.size() - 1;
  Q_EMIT changed(place, old);
  Q_EMIT historyChanged();
}

void Selection::selectStage(int stage) {
  Place next = place();
  next.stage = stage;
  next.binding = -1;  // ordinals differ between stages; views find the binding again by its variable
  select(next);
}

void Selection::selectFunction(const QString& function) {
  Place next = place();
  next.function = function;
  next.binding = -1;
  next.variable.clear();
  select(next);
}

void Selection::selectBinding(const QString& function, int binding, const QString& variable) {
  Place next = place();
  next.function = function;
  next.binding = binding;
  next.variable = variable;
  select(next);
}

void Selection::selectStep(int step) {
  Place next = place();
  next.step = step;
  replace(next);
}

void Selection::setCompareStage(int stage) {
  if (stage == compareStage_) return;
  compareStage_ = stage;
  Q_EMIT compareStageChanged(stage);
}

void Selection::replace(const Place& place) {
  if (place == this->place()) return;
  const Place old = this->place();
  history_[at_] = place;
  Q_EMIT changed(place, old);
}

void Selection::back() {
  if (canGoBack()) moveTo(at_ - 1);
}

void Selection::forward() {
  if (canGoForward()) moveTo(at_ + 1);
}

void Selection::moveTo(size_t index) {
  const Place old = place();
  at_ = index;
  Q_EMIT changed(place(), old);
  Q_EMIT historyChanged();
}

void Selection::reset() {
  const Place old = place();
  history_.assign(1, Place{});
  at_ = 0;
  compareStage_ = -1;
  Q_EMIT changed(place(), old);
  Q_EMIT historyChanged();
}

}  // namespace rx::views
