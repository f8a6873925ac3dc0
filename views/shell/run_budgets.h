// The budgets of runs as the settings keep them.
#pragma once

#include <span>

#include "views/models/debug_rows.h"

namespace rx::views {

class Settings;

struct BudgetRow {
  const char* key;    // of the settings and, behind its "/", of `debug.start`
  const char* title;
  const char* unit;
  const char* without;  // what holds where none is set
  const char* help;
  qint64 size;  // of one unit
  qint64 RunBudgets::* field;
};

std::span<const BudgetRow> budgetRows();
/// What the settings say; 0 where nothing was set.
RunBudgets budgetsOf(const Settings& settings);

}  // namespace rx::views
