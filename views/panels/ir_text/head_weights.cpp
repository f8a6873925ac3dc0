#include "views/panels/ir_text/head_weights.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/function_graph.h"

namespace rx::views {
namespace {

constexpr size_t kMany = 8;

/// Where the commas between the parameters stand, and at the end where the list is closed; empty where it is not.
std::vector<size_t> endsOfParams(std::string_view line, size_t open) {
  std::vector<size_t> ends;
  int depth = 0;
  bool quoted = false;
  for (size_t i = open + 1; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    const bool closes = c == ')' || c == ']';
    if (depth == 0 && (c == ',' || closes)) ends.push_back(i);
    if (depth == 0 && closes) return ends;
    depth += (c == '(' || c == '[') - closes;
  }
  return {};
}

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
  const std::vector<size_t> ends = endsOfParams(line, open);
  if (static_cast<size_t>(count - first) < kMany || ends.size() != function->params.size()) return {};
  const QString words = QCoreApplication::translate("IrTextPanel", ", … %1 weights").arg(count - first);
  return {{static_cast<uint32_t>(ends[static_cast<size_t>(first) - 1]), static_cast<uint32_t>(ends.back()), words}};
}

}  // namespace rx::views
