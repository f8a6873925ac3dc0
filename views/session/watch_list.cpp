#include "views/session/watch_list.h"

#include <algorithm>

#include "core/expression/expression.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

QString numberText(const dap::WatchValue& value, double number) {
  if (value.kind == "bool") return qtText(value.text);
  // The engine writes the unit behind the count.
  if (value.kind == "bytes")
    return grouped(static_cast<qint64>(number)) + QLatin1Char(' ') + qtText(value.text).section(' ', 1);
  if (value.kind == "int") return grouped(qtText(value.text).toLongLong());
  return shortNumber(number);
}

/// Whether a value is another one than it was; a tensor is known by its numbers in short.
bool differs(const WatchRow& a, const WatchRow& b) {
  if (a.isNumber && b.isNumber) return !(a.number == b.number || (std::isnan(a.number) && std::isnan(b.number)));
  return a.text != b.text || a.value.mean != b.value.mean || a.value.firstBad != b.value.firstBad;
}

}  // namespace

WatchRow watchRow(const QString& expression, const dap::WatchValue& value) {
  WatchRow row;
  row.expression = expression;
  row.known = value.error.empty() && !value.kind.empty();
  row.error = qtText(value.error);
  row.errorBegin = charactersBefore(expression, value.errorBegin);
  row.errorEnd = charactersBefore(expression, value.errorEnd);
  row.isNumber = !value.number.is_null();
  row.compared = qtText(value.compared);
  if (row.isNumber) {
    row.number = dap::numberFrom(value.number);
    row.truth = row.number != 0;
    row.text = numberText(value, row.number);
    return row;
  }
  row.truth = row.known && !(value.kind == "text" && value.text.empty());
  row.value = summaryOf(value.value, {});
  row.text = row.value.isTensor ? valueInShort(row.value) : qtText(value.text);
  return row;
}

WatchRow uncheckedRow(const QString& expression) {
  WatchRow row;
  row.expression = expression;
  const Result<Unit> checked = debug::checkExpression(expression.toStdString());
  if (checked) return row;
  const Diagnostic& problem = checked.diagnostics().front();
  row.error = qtText(problem.message);
  row.errorBegin = charactersBefore(expression, problem.span.begin);
  row.errorEnd = charactersBefore(expression, problem.span.end);
  return row;
}

WatchRow* WatchList::row(int id) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [id](const WatchRow& row) { return row.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

int WatchList::add(const QString& expression) {
  for (const WatchRow& row : rows_)
    if (row.expression == expression) return row.id;
  rows_.push_back(uncheckedRow(expression));
  rows_.back().id = next_++;
  return rows_.back().id;
}

void WatchList::set(int id, const QString& expression) {
  WatchRow* found = row(id);
  if (!found || found->expression == expression) return;
  *found = uncheckedRow(expression);
  found->id = id;
}

void WatchList::remove(int id) {
  std::erase_if(rows_, [id](const WatchRow& row) { return row.id == id; });
}

dap::WatchArguments WatchList::request(std::vector<int>* ids) const {
  dap::WatchArguments arguments;
  for (const WatchRow& row : rows_) {
    arguments.expressions.push_back(row.expression.toStdString());
    ids->push_back(row.id);
  }
  return arguments;
}

void WatchList::takeAnswer(const std::vector<int>& ids, const dap::WatchBody& body, bool again) {
  for (size_t i = 0; i < ids.size() && i < body.values.size(); ++i) {
    WatchRow* found = row(ids[i]);
    if (!found) continue;  // removed while the engine was asked
    WatchRow now = watchRow(found->expression, body.values[i]);
    now.id = found->id;
    now.changed = again ? found->changed : now.known && found->known && differs(*found, now);
    *found = std::move(now);
  }
}

void WatchList::forgetRun() {
  for (WatchRow& row : rows_) {
    const int id = row.id;
    row = uncheckedRow(row.expression);
    row.id = id;
  }
}

}  // namespace rx::views
