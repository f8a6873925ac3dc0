#include "core/pass/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/nearest.h"

namespace rx::pass {

namespace {
/// Spaces of the passes that have no language of their own in the table.
constexpr std::string_view kOwnSpaces[] = {"relax", "s_tir", "tirx"};
}  // namespace

SpacedName inSpace(std::string_view name) {
  constexpr std::string_view kTvm = "tvm.";
  if (name.starts_with(kTvm)) name.remove_prefix(kTvm.size());
  SpacedName out{{}, name};
  for (size_t dot = out.name.find('.'); dot != std::string_view::npos; dot = out.name.find('.')) {
    const std::string_view part = out.name.substr(0, dot);
    if (part != "transform" && part != "backend") {
      if (!out.space.empty() || part.empty()) return {{}, name};
      out.space = part;
    }
    out.name.remove_prefix(dot + 1);
  }
  return out;
}

const PassRow* PassTable::find(std::string_view name, std::string_view language) const {
  auto of = [&](std::string_view wanted, std::string_view owner) -> const PassRow* {
    auto hit = std::find_if(rows_.begin(), rows_.end(),
                            [&](const PassRow& row) { return row.name == wanted && row.language == owner; });
    return hit == rows_.end() ? nullptr : &*hit;
  };
  auto bare = [&](std::string_view wanted) {
    const PassRow* row = of(wanted, language);
    return row ? row : of(wanted, {});
  };
  if (const PassRow* row = bare(name)) return row;
  const auto [space, own] = inSpace(name);
  if (space.empty()) return bare(own);
  const bool isOwn = std::ranges::find(kOwnSpaces, space) != std::end(kOwnSpaces);
  return of(own, isOwn ? std::string_view() : space);
}

std::string nearPass(const PassTable& table, std::string_view name) {
  const auto [space, own] = inSpace(name);
  Nearest nearest(own), anywhere(own);
  for (const PassRow& row : table.rows()) {
    anywhere.offer(row.name);
    if (!space.empty() && table.find(fmt::format("{}.{}", space, row.name)) == &row) nearest.offer(row.name);
  }
  std::string fix = nearest.fix(name.substr(0, name.size() - own.size()));
  return fix.empty() ? anywhere.fix() : fix;
}

}  // namespace rx::pass
