#include "views/models/expression_words.h"

#include "core/expression/expression.h"
#include "core/expression/words.h"
#include "views/models/numbers.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

constexpr size_t kMostRows = 200;

QString typeText(const QString& shape, const QString& dtype, int line) {
  QStringList parts;
  if (!shape.isEmpty() || !dtype.isEmpty()) parts << (shape + ' ' + shortDtype(dtype)).trimmed();
  if (line > 0) parts << QStringLiteral("line %1").arg(line);
  return parts.join(QStringLiteral(", "));
}

/// All that can be written, in the order in which it is offered.
std::vector<CompletionRow> everything(bool member, const FunctionRow* function,
                                      const std::vector<RegisterRow>& registers) {
  std::vector<CompletionRow> rows;
  if (function && !member) {
    for (const BindingRow& binding : function->bindings)
      rows.push_back({binding.name, typeText(binding.shape, binding.dtype, binding.line)});
    for (const ParamRow& param : function->params)
      rows.push_back({param.name, QStringLiteral("parameter ") + typeText(param.shape, param.dtype, 0)});
    for (const SymbolRow& symbol : function->symbols)
      rows.push_back({symbol.name, QStringLiteral("symbol, bound by %1").arg(symbol.boundBy)});
  }
  for (const debug::Word& word : debug::expressionWords()) {
    if (member ? word.member : word.least > 0)
      rows.push_back({qtText(word.name),
                      (member ? QString() : qtText(word.form) + QStringLiteral(": ")) + qtText(word.help), !member});
  }
  if (!member)
    for (const RegisterRow& row : registers) rows.push_back({row.name, row.binding + ' ' + row.value.text});
  return rows;
}

}  // namespace

Completions completionsAt(const QString& text, int cursor, const FunctionRow* function,
                          const std::vector<RegisterRow>& registers) {
  const QByteArray bytes = text.toUtf8();
  const auto at = static_cast<size_t>(text.left(cursor).toUtf8().size());
  const debug::WordPlace place = debug::wordPlace({bytes.constData(), static_cast<size_t>(bytes.size())}, at);
  Completions found;
  if (!place.possible) return found;
  const auto characters = [&](size_t byte) {
    return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(byte))).size());
  };
  found.begin = characters(place.begin);
  found.end = characters(place.end);
  const QString written = text.mid(found.begin, cursor - found.begin);
  // What begins as it is written comes before what only holds it.
  std::vector<CompletionRow> inside;
  for (CompletionRow& row : everything(place.member, function, registers)) {
    if (row.text == written) continue;
    if (row.text.startsWith(written, Qt::CaseInsensitive)) {
      found.rows.push_back(std::move(row));
    } else if (row.text.contains(written, Qt::CaseInsensitive)) {
      inside.push_back(std::move(row));
    }
  }
  found.rows.insert(found.rows.end(), inside.begin(), inside.end());
  if (found.rows.size() > kMostRows) found.rows.resize(kMostRows);
  return found;
}

QString expressionFault(const QString& text) {
  const Result<Unit> checked = debug::checkExpression(text.toStdString());
  return checked ? QString() : qtText(checked.diagnostics().front().message);
}

QString logMessageFault(const QString& text) {
  const Result<Unit> checked = debug::checkLogMessage(text.toStdString());
  return checked ? QString() : qtText(checked.diagnostics().front().message);
}

}  // namespace rx::views
