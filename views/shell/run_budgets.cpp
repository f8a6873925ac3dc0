#include "views/shell/run_budgets.h"

#include "views/shell/settings.h"

namespace rx::views {
namespace {

constexpr qint64 kMiB = 1 << 20;
constexpr BudgetRow kRows[] = {
    {"budget/instructions", "Instructions of a run", "", "no limit",
     "A run that has not ended after so many instructions of the machine stops with an error: a loop that never ends "
     "does not run for ever.",
     1, &RunBudgets::instructions},
    {"budget/memory", "Memory of a run", " MiB", "what is free",
     "Storage of values alive at a time. A run that asks for more stops with an error instead of taking the memory of "
     "the computer.",
     kMiB, &RunBudgets::memory},
    {"budget/record", "Disk of a recording", " MiB", "half of what is free",
     "Steps and values that are kept on disk for stepping back. Where a run makes more, the oldest steps can not be "
     "stepped back to.",
     kMiB, &RunBudgets::record},
};

}  // namespace

std::span<const BudgetRow> budgetRows() { return kRows; }

RunBudgets budgetsOf(const Settings& settings) {
  RunBudgets budgets;
  for (const BudgetRow& row : kRows) budgets.*row.field = settings.value(row.key).toLongLong() * row.size;
  return budgets;
}

}  // namespace rx::views
