#include "views/panels/ir_text/head_weights.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/list_parts.h"
#include "views/models/weights.h"

namespace rx::views {
namespace {

constexpr size_t kMany = 4;  // what they say together is shorter from here on

}  // namespace

std::vector<Shortening> weightsOfHead(const StageIndex& stage, std::string_view line) {
  constexpr std::string_view kDef = "def ";
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const size_t open = line.find('(', begin);
  if (!line.substr(begin).starts_with(kDef) || open == std::string_view::npos) return {};
  const std::string_view name = line.substr(begin + kDef.size(), open - begin - kDef.size());
  const FunctionRow* function = stage.function(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  if (!function || function->params.size() < kMany || function->kind != FunctionKind::Relax) return {};
  const int count = static_cast<int>(function->params.size());
  int first = count;
  while (first > 1 && isWeight(*function, first - 1)) --first;
  const ListParts params = listParts(line, open + 1);
  if (static_cast<size_t>(count - first) < kMany || !params.closed || params.parts.size() != function->params.size())
    return {};
  // What the text does not say is taken from the shapes.
  const bool said = function->numInput >= 0;
  const QString words = said ? QCoreApplication::translate("IrTextPanel", ", … %1 weights").arg(count - first)
                             : QCoreApplication::translate("IrTextPanel", ", … %1 likely weights").arg(count - first);
  const size_t lastShown = params.parts[static_cast<size_t>(first) - 1].end;
  return {{static_cast<uint32_t>(lastShown), static_cast<uint32_t>(params.parts.back().end), words}};
}

}  // namespace rx::views
