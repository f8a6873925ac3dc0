#include "views/session/frame_values.h"

#include <algorithm>
#include <tuple>

#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

constexpr int64_t kPart = 500;  // values of one answer: a longer one would hold the window up

}  // namespace

dap::ValuesArguments FrameValues::request() const {
  dap::ValuesArguments arguments;
  arguments.activation = activation_;
  arguments.since = std::max<int64_t>(known_, 0);
  arguments.count = kPart;
  return arguments;
}

bool FrameValues::take(const dap::ValuesBody& body, int at, const NumberOf& numberOf) {
  if (body.since <= 0) {
    bindings_.clear();
    order_.clear();
  }
  function_ = qtText(body.function);
  activation_ = body.activation;
  shown_ = at;
  for (const dap::BindingValue& value : body.bindings) {
    const int binding = numberOf(function_, value.binding, qtText(value.variable));
    if (binding < 0) continue;
    bindings_[binding].push_back({value.state, summaryOf(value.value, value.variable)});
    order_.insert(behind(value.state), {value.state, binding});
  }
  params_.clear();
  symbols_.clear();
  for (const dap::BindingValue& value : body.params)
    params_[qtText(value.variable)] = summaryOf(value.value, value.variable);
  for (const dap::SymbolValue& symbol : body.symbols) symbols_.emplace_back(qtText(symbol.name), symbol.value);
  const bool part = !body.complete && !body.bindings.empty();
  const int64_t until = part ? body.bindings.back().state : static_cast<int64_t>(at);
  known_ = body.since <= 0 ? until : std::max(known_, until);
  return !part;
}

std::vector<std::pair<int64_t, int>>::const_iterator FrameValues::behind(int64_t state) const {
  return std::upper_bound(order_.begin(), order_.end(), state,
                          [](int64_t wanted, const auto& one) { return wanted < one.first; });
}

int FrameValues::newest(int but) const {
  int found = -1;
  int64_t state = -1;
  for (auto at = behind(shown_); at != order_.begin();) {
    --at;
    if (found >= 0 && at->first != state) break;
    // Of the names that a value got at once the first is the one that was computed.
    if (at->second == but || stateOf(function_, at->second) == ValueState::None) continue;
    std::tie(state, found) = *at;
  }
  return found;
}

const ValueSummary* FrameValues::find(const QString& function, int binding, int64_t at) const {
  const auto found = bindings_.find(binding);
  if (found == bindings_.end() || function != function_) return nullptr;
  const auto after = std::upper_bound(found->second.begin(), found->second.end(), at,
                                      [](int64_t state, const Since& since) { return state < since.state; });
  return after == found->second.begin() ? nullptr : &std::prev(after)->value;
}

ValueSummary FrameValues::ofBinding(const QString& function, int binding, int64_t at) const {
  const ValueSummary* value = find(function, binding, at);
  return value ? *value : ValueSummary();
}

ValueState FrameValues::stateOf(const QString& function, int binding) const {
  const ValueSummary* value = find(function, binding, shown_);
  return !value || !value->known ? ValueState::None : value->bad() ? ValueState::Bad : ValueState::Finite;
}

ValueSummary FrameValues::ofParam(const QString& function, const QString& name) const {
  const auto found = params_.find(name);
  return function == function_ && found != params_.end() ? found->second : ValueSummary();
}

std::vector<std::pair<QString, qint64>> FrameValues::symbols(const QString& function) const {
  return function == function_ ? symbols_ : std::vector<std::pair<QString, qint64>>();
}

}  // namespace rx::views
