#include "views/models/stage_index.h"

#include <algorithm>
#include <cstring>

#include "core/support/best_share.h"

namespace rx::views {
namespace {

/// Spreads the bits of a number over all of it (splitmix64).
uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace

const BindingRow* FunctionRow::binding(int ordinal) const {
  return ordinal >= 0 && ordinal < static_cast<int>(bindings.size()) ? &bindings[static_cast<size_t>(ordinal)]
                                                                     : nullptr;
}

const BindingRow* FunctionRow::bindingNamed(const QString& name) const {
  const auto found =
      std::find_if(bindings.begin(), bindings.end(), [&](const BindingRow& b) { return b.name == name; });
  return found == bindings.end() ? nullptr : &*found;
}

const BindingRow* FunctionRow::bindingAtLine(int line) const {
  // Bindings stand in text order: the last that starts at or before the line, or one around it, covers the line.
  const auto after = std::upper_bound(bindings.begin(), bindings.end(), line,
                                      [](int number, const BindingRow& b) { return number < b.line; });
  const BindingRow* covering = after == bindings.begin() ? nullptr : &*std::prev(after);
  while (covering && std::max(covering->line, covering->lastLine) < line) covering = binding(covering->parent);
  return covering;
}

const OutlineRow* FunctionRow::outlineAt(int ordinal) const {
  const auto after = std::upper_bound(outline.begin(), outline.end(), ordinal,
                                      [](int number, const OutlineRow& row) { return number < row.first; });
  const BindingRow* row = binding(ordinal);
  if (!row || after == outline.begin()) return nullptr;
  const OutlineRow& found = *std::prev(after);
  return ordinal <= found.last && row->block == found.block ? &found : nullptr;
}

const FunctionRow* StageIndex::function(const QString& name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionRow& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const FunctionRow* StageIndex::functionAtLine(int line) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [line](const FunctionRow& f) { return f.firstLine <= line && line <= f.lastLine; });
  return found == functions.end() ? nullptr : &*found;
}

const BindingRow* StageIndex::binding(const SitePlace& place) const {
  if (place.function < 0 || place.function >= static_cast<int>(functions.size())) return nullptr;
  return functions[static_cast<size_t>(place.function)].binding(place.ordinal);
}

std::span<const SitePlace> StageIndex::placesOf(uint64_t key) const {
  const auto before = [](const SitePlace& a, const SitePlace& b) { return a.key < b.key; };
  const auto [first, last] = std::equal_range(sites.begin(), sites.end(), SitePlace{key}, before);
  return {first, last};
}

SitePlace StageIndex::counterpart(const BindingRow& binding, const QString& function) const {
  std::vector<SitePlace> candidates;
  for (const OriginRow& origin : binding.origins) {
    for (const SitePlace& place : placesOf(origin.key)) candidates.push_back({0, place.function, place.ordinal});
  }
  return bestShare(std::move(candidates), binding.origins.size(), [&](const SitePlace& place) {
    const BindingRow& row = *this->binding(place);
    return ShareScore{row.origins.size(), functions[static_cast<size_t>(place.function)].name == function,
                      row.name == binding.name, row.role == FlowRole::Computes};
  });
}

int StageIndex::lineOf(int offset) const {
  const auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  return static_cast<int>(after - lineStarts.begin());
}

QByteArray StageIndex::line(int number) const {
  if (number < 1 || number > lineCount()) return {};
  const int begin = lineStarts[static_cast<size_t>(number - 1)];
  const int end = number < lineCount() ? lineStarts[static_cast<size_t>(number)] - 1 : static_cast<int>(text.size());
  return text.mid(begin, end - begin);
}

void findLines(StageIndex* index) {
  index->lineStarts.assign(1, 0);
  const char* const begin = index->text.constData();
  const char* const end = begin + index->text.size();
  // A break at the very end opens no line.
  for (const char* at = begin; const void* hit = std::memchr(at, '\n', static_cast<size_t>(end - at));) {
    at = static_cast<const char*>(hit) + 1;
    if (at == end) break;
    index->lineStarts.push_back(static_cast<int>(at - begin));
  }
}

void indexOrigins(StageIndex* index) {
  index->sites.clear();
  for (size_t f = 0; f < index->functions.size(); ++f) {
    for (const BindingRow& binding : index->functions[f].bindings) {
      for (const OriginRow& origin : binding.origins)
        index->sites.push_back({origin.key, static_cast<int>(f), binding.ordinal});
    }
  }
  std::sort(index->sites.begin(), index->sites.end());
}

uint64_t originKeyOf(std::string_view function, uint32_t block, uint32_t binding) {
  uint64_t key = 0xcbf29ce484222325u;
  for (const char c : function) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return std::max<uint64_t>(mixed(mixed(key) + (uint64_t(block) << 32 | binding)), 1);
}

}  // namespace rx::views
