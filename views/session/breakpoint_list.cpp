#include "views/session/breakpoint_list.h"

#include <algorithm>

#include "views/session/engine_rows.h"

namespace rx::views {

const BreakpointRow* BreakpointList::at(int stage, const QString& function, int binding) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const BreakpointRow& row) {
    return row.kind == BreakpointKind::Binding && row.stage == stage && row.function == function &&
           row.binding == binding;
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
  row.stage = stage;
  row.function = function;
  row.binding = binding;
  row.variable = variable;
  add(std::move(row));
}

int BreakpointList::add(BreakpointRow row) {
  std::erase_if(rows_, [&](const BreakpointRow& old) {
    return old.kind == row.kind && old.stage == row.stage && old.function == row.function &&
           old.binding == row.binding && old.reg == row.reg && old.instruction == row.instruction;
  });
  row.id = next_++;
  row.verified = false;
  row.hits = row.engineId = 0;
  rows_.push_back(std::move(row));
  return rows_.back().id;
}

void BreakpointList::setEnabled(int id, bool enabled) {
  if (BreakpointRow* found = row(id)) found->enabled = enabled;
}

void BreakpointList::setRule(int id, const BreakpointRule& rule) {
  BreakpointRow* found = row(id);
  if (!found) return;
  static_cast<BreakpointRule&>(*found) = rule;
  found->error.clear();
}

void BreakpointList::remove(int id) {
  std::erase_if(rows_, [id](const BreakpointRow& row) { return row.id == id; });
}

dap::SetBindingBreakpointsArguments BreakpointList::request(std::vector<int>* ids, std::optional<int> only,
                                                            bool byName) const {
  dap::SetBindingBreakpointsArguments arguments;
  for (const BreakpointRow& row : rows_) {
    // An instruction is of the program, which every stage has in common.
    const bool ofProgram = row.kind == BreakpointKind::Instruction;
    if (!row.enabled || (only && row.stage != *only && !ofProgram)) continue;
    dap::BindingBreakpoint sent;
    sent.stage = only ? 0 : row.stage;
    sent.function = row.function.toStdString();
    sent.binding = row.binding;
    if (byName && row.binding >= 0) {
      sent.binding = -1;
      sent.variable = row.variable.toStdString();
    }
    if (!row.condition.isEmpty()) sent.condition = row.condition.toStdString();
    if (!row.hitCondition.isEmpty()) sent.hitCondition = row.hitCondition.toStdString();
    if (!row.logMessage.isEmpty()) sent.logMessage = row.logMessage.toStdString();
    if (row.kind == BreakpointKind::Data) sent.access = "write";
    if (row.reg >= 0) sent.reg = row.reg;
    if (ofProgram) sent.instruction = row.instruction;
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
  const auto told = stopped.find("breakpointHits");
  if (told == stopped.end() || !told->is_array()) return false;
  bool changed = false;
  for (const dap::Json& json : *told) {
    const Result<dap::BreakpointHits> hits = dap::decode<dap::BreakpointHits>(json, "stopped");
    if (!hits) continue;
    for (BreakpointRow& row : rows_) {
      if (row.engineId != hits->id) continue;
      const QString error = qtText(hits->error);
      changed = changed || row.hits != hits->hits || row.error != error;
      row.hits = static_cast<int>(hits->hits);
      row.error = error;
      row.errorBegin = charactersBefore(row.condition, hits->errorBegin);
      row.errorEnd = charactersBefore(row.condition, hits->errorEnd);
    }
  }
  return changed;
}

const BreakpointRow* BreakpointList::written(const dap::Json& stopped) const {
  const auto hits = stopped.find("hitBreakpointIds");
  if (hits == stopped.end() || !hits->is_array()) return nullptr;
  const auto wrote = [&](const BreakpointRow& row) {
    return row.kind == BreakpointKind::Data && row.binding >= 0 &&
           std::any_of(hits->begin(), hits->end(),
                       [&](const dap::Json& id) { return id.is_number_integer() && id.get<int>() == row.engineId; });
  };
  const auto found = std::find_if(rows_.begin(), rows_.end(), wrote);
  return found == rows_.end() ? nullptr : &*found;
}

QString BreakpointList::reason(const dap::Json& stopped) const {
  const auto hits = stopped.find("hitBreakpointIds");
  if (hits == stopped.end() || !hits->is_array()) return {};
  QStringList reasons;
  for (const dap::Json& id : *hits) {
    for (const BreakpointRow& row : rows_) {
      if (!id.is_number_integer() || row.engineId != id.get<int>() || !row.error.isEmpty()) continue;
      if (row.kind == BreakpointKind::Data) reasons << QStringLiteral("%1 was written").arg(row.variable);
      if (!row.condition.isEmpty()) reasons << QStringLiteral("condition %1 is true").arg(row.condition);
      if (!row.hitCondition.isEmpty()) reasons << QStringLiteral("hit %1").arg(row.hits);
    }
  }
  return reasons.join(QStringLiteral(", "));
}

void BreakpointList::forgetRun() {
  for (BreakpointRow& row : rows_) {
    row.verified = false;
    row.hits = row.engineId = 0;
    row.message.clear();
    row.error.clear();
  }
}

}  // namespace rx::views
