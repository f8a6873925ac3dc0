// The symbol that a run could not give one value: who bound it, what did not fit, and what depends on it.
#include <algorithm>

#include "views/models/known_sizes.h"
#include "views/models/numbers.h"
#include "views/models/run_outcome.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

/// "x, axis 0" as a way to x.
InspectionPiece wayTo(const Inspector& inspector, const QString& place) {
  return {place, InkRole::Plain, inspector.bindingTarget(place.section(QStringLiteral(", "), 0, 0))};
}

void addUsersOf(const Inspector& inspector, const SymbolRow& symbol, InspectionSection* section) {
  std::vector<InspectionPiece> users;
  for (const SymbolUseRow& use : symbol.uses) {
    const auto same = [&](const InspectionPiece& piece) { return piece.text == use.variable; };
    if (use.variable.isEmpty() || std::ranges::any_of(users, same)) continue;
    if (users.size() == kMostInspected) {
      users.push_back({text("and more"), InkRole::Grey});
      break;
    }
    users.push_back({use.variable, InkRole::Code, inspector.bindingTarget(use.variable)});
  }
  if (!users.empty()) addRow(*section, text("used in"), std::move(users));
}

/// What is computed of the symbol, with the value that it was bound to.
void addDerived(const SymbolRow& symbol, const SymbolSizes& sizes, InspectionSection* section) {
  QStringList seen{symbol.name};
  for (const SymbolUseRow& use : symbol.uses) {
    if (seen.contains(use.text) || section->rows.size() >= kMostInspected) continue;
    seen << use.text;
    const std::optional<qint64> size = sizeWith(use.text, sizes);
    if (size) addRow(*section, text("derived"), {{use.text, InkRole::Code}, {text("= %1").arg(grouped(*size))}});
  }
}

}  // namespace

void addMisfit(Inspector& inspector) {
  const RunFailure* failure = inspector.context.debug->failure();
  if (!failure || failure->symbol.isEmpty() || failure->stage != inspector.place.stage) return;
  const QString function = failure->function.isEmpty() ? failure->run : failure->function;
  const FunctionRow& row = *inspector.function;
  const auto symbol = std::ranges::find(row.symbols, failure->symbol, &SymbolRow::name);
  if (row.name != function || symbol == row.symbols.end()) return;
  InspectionSection section{text("Symbol %1").arg(symbol->name)};
  const QString bound = QStringLiteral("%1 = %2").arg(symbol->name, failure->wanted);
  if (!failure->boundBy.isEmpty())
    addRow(section, text("bound by"), {wayTo(inspector, failure->boundBy), {bound, InkRole::Good}});
  const QString checked = failure->parameter.isEmpty() ? failure->variable : failure->parameter;
  if (!checked.isEmpty())
    addRow(section, text("checked at"),
           {wayTo(inspector,
                  failure->axis < 0 ? checked : text("%1, axis %2").arg(checked, QString::number(failure->axis))),
            {failure->given, InkRole::Error}});
  addUsersOf(inspector, *symbol, &section);
  bool number = false;
  const qint64 wanted = failure->wanted.toLongLong(&number);
  if (number) addDerived(*symbol, {{symbol->name, wanted}}, &section);
  addRow(section, text("run"), {{failureProgress(*failure), InkRole::Grey}});
  if (failure->when == RunFailure::When::Start && number && wanted != failure->given.toLongLong()) {
    std::vector<InspectionPiece> ways{{text("inputs made for")}};
    for (const QString& value : {failure->wanted, failure->given})
      ways.push_back({QStringLiteral("%1 = %2").arg(symbol->name, value), InkRole::Plain,
                      QStringLiteral("run:debug.start %1 seed=0 %2=%3").arg(failure->run, symbol->name, value)});
    addRow(section, text("try"), std::move(ways));
  }
  section.link = {text("all symbols"), InkRole::Plain, QStringLiteral("run:view.panel symbols")};
  inspector.keep(std::move(section));
}

}  // namespace rx::views
