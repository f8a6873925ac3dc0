#include "views/shell/role_choice.h"

#include <QAbstractItemView>
#include <algorithm>

#include "views/models/weights.h"
#include "views/shell/module_memory.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

const QString kKept = QStringLiteral("inputs");

/// The parameter that a row of the plan is of: items of a tuple are rows of their own, "x.0".
int paramOf(const FunctionRow& function, const QString& name) {
  const auto called = [&](const QString& text) {
    const auto found = std::find_if(function.params.begin(), function.params.end(),
                                    [&](const ParamRow& param) { return param.name == text; });
    return found == function.params.end() ? -1 : static_cast<int>(found - function.params.begin());
  };
  const int whole = called(name);
  return whole >= 0 ? whole : called(name.section('.', 0, 0));
}

}  // namespace

RoleChoice::RoleChoice(Desk& desk, QAbstractItemView* table, PlanModel* model, QWidget* parent)
    : QObject(parent), desk_(desk), table_(table), model_(model), says_(new QLabel(parent)) {
  says_->setObjectName("rolesSay");
  says_->setWordWrap(true);
  says_->hide();
  model_->onRole = [this](const QString& parameter, const QString& role) { choose(parameter, role); };
  // A choice makes another stage 0: its rows say what holds.
  connect(&desk.document, &Document::stageReady, this, [this](int stage) {
    if (stage == 0 && !function_.isEmpty()) show(function_);
  });
}

const FunctionRow* RoleChoice::row() const { return stage_ ? stage_->function(function_) : nullptr; }

bool RoleChoice::chosen() const {
  const QStringList said = desk_.document.inputCounts();
  return std::any_of(said.begin(), said.end(),
                     [this](const QString& each) { return each.section('=', 0, -2) == function_; });
}

void RoleChoice::show(const QString& function) {
  if (function != function_) says_->hide();
  function_ = function;
  if (const StageIndexPtr built = desk_.document.stage(0, false)) stage_ = built;
  describe();
}

void RoleChoice::describe() {
  const FunctionRow* function = desk_.document.canRunPasses() ? row() : nullptr;
  std::vector<PlanRow> rows = model_->rows();
  for (PlanRow& each : rows) {
    const int param = function && !each.parameter.isEmpty() ? paramOf(*function, each.parameter) : -1;
    each.role.clear();
    each.roleWhy.clear();
    if (param < 0) continue;
    const ParamRole role = roleOf(*function, param, chosen());
    each.role = (role.weight ? QStringLiteral("weight") : QStringLiteral("input")) + (role.guessed ? "?" : "");
    each.roleWhy = role.why + QStringLiteral(" Space or F2 changes it.");
  }
  model_->setRows(std::move(rows));
}

void RoleChoice::turn() {
  const PlanRow* current = model_->row(table_->currentIndex());
  if (!current || current->role.isEmpty()) return;
  choose(current->parameter, current->role.startsWith(QLatin1String("weight")) ? "input" : "weight");
}

void RoleChoice::choose(const QString& parameter, const QString& role) {
  const FunctionRow* function = row();
  const int param = function ? paramOf(*function, parameter) : -1;
  if (param < 0) return;
  const bool weight = role == QLatin1String("weight");
  if (function->numInput >= 0 && isWeight(*function, param) == weight) return says_->hide();
  const RoleChange change = changeRole(*function, param, weight);
  const QString refused = change.refused.isEmpty() ? sayInputs(desk_, function_, change.inputs) : change.refused;
  if (!refused.isEmpty()) return say(refused, true);
  const auto count = static_cast<int>(function->params.size());
  say(QStringLiteral(
          "Inputs of %1: %2 of %3 parameters, up to %4. The passes go by it, and it is kept with the module.")
          .arg(function_)
          .arg(change.inputs)
          .arg(count)
          .arg(function->params[static_cast<size_t>(change.inputs) - 1].name),
      false);
  Q_EMIT changed();
}

void RoleChoice::say(const QString& text, bool refused) {
  const Palette& theme = Palette::forQt(says_->palette());
  QPalette ink = says_->palette();
  ink.setColor(QPalette::WindowText, refused ? theme.error : theme.grey);
  says_->setPalette(ink);
  says_->setText(text);
  says_->show();
}

QString bringBackInputs(Desk& desk) {
  QString refused;
  for (const QVariant& kept : keptFor(desk.settings, kKept, moduleKey(desk))) {
    const QString text = kept.toString();
    const QString why = desk.document.setInputCount(text.section('=', 0, -2), text.section('=', -1).toInt());
    if (refused.isEmpty()) refused = why;
  }
  return refused;
}

QString sayInputs(Desk& desk, const QString& function, int count) {
  const int stage = desk.selection.place().stage;
  const QString refused = desk.document.setInputCount(function, count);
  if (!refused.isEmpty()) return refused;
  QVariantList rows;
  for (const QString& each : desk.document.inputCounts()) rows << each;
  keepFor(desk.settings, kKept, moduleKey(desk), rows);
  desk.document.runPassesTo(stage);
  return {};
}

}  // namespace rx::views
