#include "views/session/breakpoint_list.h"

#include <algorithm>

#include "views/session/engine_rows.h"

namespace rx::views {

const BreakpointRow* BreakpointList::at(int stage, const QString& function, int binding) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const BreakpointRow& row) {
    return row.stage == stage && row.function == function && row.binding == binding;
  });
  return found == rows_.end() ? nullptr : &*found;
}

BreakpointRow* BreakpointList::row(int id) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [id](const BreakpointRow& row) { return row.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

void BreakpointList::toggle(int stage, const QString& function, int binding, const QString& variable) {
  if (const BreakpointRow* found = at(stage, function, binding)) return remove(found->id);
  BreakpointRow row;
  row.id = next_++;
  row.stage = stage;
  row.function = function;
  row.binding = binding;
  row.variable = variable;
  rows_.push_back(row);
}

void BreakpointList::setEnabled(int id, bool enabled) {
  if (BreakpointRow* found = row(id)) found->enabled = enabled;
}

void BreakpointList::setCondition(int id, const QString& condition) {
  if (BreakpointRow* found = row(id)) found->condition = condition;
}

void BreakpointList::remove(int id) {
  std::erase_if(rows_, [id](const BreakpointRow& row) { return row.id == id; });
}

dap::SetBindingBreakpointsArguments BreakpointList::request(std::vector<int>* ids) const {
  dap::SetBindingBreakpointsArguments arguments;
  for (const BreakpointRow& row : rows_) {
    if (!row.enabled) continue;
    dap::BindingBreakpoint sent;
    sent.stage = row.stage;
    sent.function = row.function.toStdString();
    sent.binding = row.binding;
    if (!row.condition.isEmpty()) sent.condition = row.condition.toStdString();
    arguments.breakpoints.push_back(sent);
    ids->push_back(row.id);
  }
  return arguments;
}

void BreakpointList::takeAnswer(const std::vector<int>& ids, const dap::BreakpointsBody& body) {
  for (size_t i = 0; i < ids.size() && i < body.breakpoints.size(); ++i) {
    BreakpointRow* found = row(ids[i]);
    if (!found) continue;  // removed while the engine was asked
    found->engineId = static_cast<int>(body.breakpoints[i].id);
    found->verified = body.breakpoints[i].verified;
    found->message = qtText(body.breakpoints[i].message.value_or(""));
  }
}

bool BreakpointList::takeHits(const dap::Json& stopped) {
  const auto hits = stopped.find("hitBreakpointIds");
  if (hits == stopped.end() || !hits->is_array()) return false;
  for (const dap::Json& id : *hits) {
    for (BreakpointRow& row : rows_) row.hits += id.is_number_integer() && row.engineId == id.get<int>();
  }
  return true;
}

}  // namespace rx::views
