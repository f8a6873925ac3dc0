#include "core/analysis/layout_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/arith/fold.h"
#include "core/op/layout.h"

namespace rx::analysis {

namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// The dimensions of a layout, in order.
std::string lettersOf(std::string_view layout) {
  std::string letters;
  for (char c : layout) {
    if (isUpper(c)) letters.push_back(c);
  }
  return letters;
}

}  // namespace

std::vector<std::string> partsOf(std::string_view layout) {
  std::vector<std::string> parts;
  std::string open;
  for (char c : layout) {
    open.push_back(c);
    if (c >= '0' && c <= '9') continue;
    parts.push_back(std::exchange(open, {}));
  }
  return parts;
}

size_t partCount(std::string_view layout) {
  return static_cast<size_t>(std::ranges::count_if(layout, [](char c) { return c < '0' || c > '9'; }));
}
size_t primalCount(std::string_view layout) { return static_cast<size_t>(std::ranges::count_if(layout, isUpper)); }

std::optional<LayoutText> initialLayout(int64_t rank) {
  if (rank < 0 || rank > static_cast<int64_t>(kLetters.size())) return std::nullopt;
  return LayoutText(kLetters.substr(0, static_cast<size_t>(rank)));
}

std::optional<LayoutText> movedLike(std::string_view layout, std::string_view source, std::string_view target) {
  const std::vector<std::string> parts = partsOf(layout), from = partsOf(source), to = partsOf(target);
  if (from.size() != to.size() || parts.size() != from.size()) return std::nullopt;
  LayoutText moved;
  for (const std::string& part : to) {
    const auto at = std::ranges::find(from, part);
    if (at == from.end()) return std::nullopt;
    moved += parts[static_cast<size_t>(at - from.begin())];
  }
  return moved;
}

std::optional<std::string> splitLike(std::string_view letters, std::string_view source, std::string_view target) {
  std::string split;
  for (char c : target) {
    if (c >= '0' && c <= '9') {
      split.push_back(c);
      continue;
    }
    const size_t at = source.find(upper(c));
    if (at == std::string_view::npos || at >= letters.size()) return std::nullopt;
    split.push_back(isUpper(c) ? letters[at] : lower(letters[at]));
  }
  return split;
}

int64_t axisIn(std::string_view layout, int64_t axis) {
  const std::vector<std::string> parts = partsOf(layout);
  if (parts.empty()) return -1;
  const auto rank = static_cast<int64_t>(parts.size());
  const std::string wanted(1, static_cast<char>('A' + (axis + rank) % rank));
  const auto at = std::ranges::find(parts, wanted);
  return at == parts.end() ? -1 : at - parts.begin();
}

std::optional<LayoutText> broadcastTo(const LayoutText& layout, int64_t rank) {
  const auto own = static_cast<int64_t>(partCount(layout));
  if (own == rank) return layout;
  const std::optional<LayoutText> added = initialLayout(rank - own);
  if (!added) return std::nullopt;
  LayoutText wide = *added;
  for (char c : layout) wide.push_back(isUpper(c) ? static_cast<char>(c + (rank - own)) : c);
  return wide;
}

bool fitsExactly(std::string_view source, std::string_view target, std::span<const tir::PrimExpr> shape) {
  const auto from = op::Layout::parse(source), to = op::Layout::parse(target);
  const std::string plain = lettersOf(source);
  if (!from || !to || !from->covers(plain) || !to->covers(plain)) return false;
  if (static_cast<int64_t>(shape.size()) != from->rank()) return false;
  const op::Dims there = to->fromPlain(plain, from->toPlain(plain, shape));
  const op::Dims back = from->fromPlain(plain, to->toPlain(plain, there));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (const auto size = tir::asInt(shape[i]); size && tir::asInt(back[i]) != size) return false;
  }
  return true;
}

std::optional<Ref<tir::IndexMap>> indexMap(std::string_view source, std::string_view target) {
  const std::vector<std::string> from = partsOf(source), to = partsOf(target);
  auto factorIn = [](const std::vector<std::string>& parts, char letter) -> int64_t {
    for (const std::string& part : parts) {
      if (part.back() == lower(letter)) return std::stoll(part.substr(0, part.size() - 1));
    }
    return 1;
  };
  auto number = [](int64_t value) { return tir::intImm(value, DataType::Int(32)); };
  std::vector<tir::VarRef> indices;
  std::vector<std::pair<char, tir::PrimExpr>> flat;  // the index of each whole dimension
  for (size_t i = 0; i < from.size(); ++i) {
    indices.push_back(make<tir::Var>(Str(fmt::format("i{}", i)), DataType::Int(32)));
    const char letter = upper(from[i].back());
    const bool outer = isUpper(from[i].back());
    const tir::PrimExpr share = outer ? arith::mul(indices[i], number(factorIn(from, letter))) : indices[i];
    auto known = std::ranges::find(flat, letter, [](const auto& entry) { return entry.first; });
    if (known == flat.end()) {
      flat.emplace_back(letter, share);
    } else {
      known->second = arith::add(known->second, share);
    }
  }
  std::vector<tir::PrimExpr> moved;
  for (const std::string& part : to) {
    auto index = std::ranges::find(flat, upper(part.back()), [](const auto& entry) { return entry.first; });
    if (index == flat.end()) return std::nullopt;
    const tir::PrimExpr factor = number(factorIn(to, part.back()));
    moved.push_back(isUpper(part.back()) ? arith::floorDiv(index->second, factor)
                                         : arith::floorMod(index->second, factor));
  }
  return make<tir::IndexMap>(Array<tir::VarRef>(std::move(indices)), Array<tir::PrimExpr>(std::move(moved)));
}

}  // namespace rx::analysis
