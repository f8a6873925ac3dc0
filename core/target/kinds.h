// The kinds of targets and what a target of each kind may say: the rows of kinds.def.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace rx::target {

/// Form of an attribute's value.
enum class Form : uint8_t { Bool, Int, Text, TextList, Any };
constexpr int64_t kNoDefault = std::numeric_limits<int64_t>::min();

struct KindRow {
  std::string_view name;
  int64_t deviceType;       ///< number of DLPack
  std::string_view keys;    ///< of a target that names none, separated by blanks
  std::string_view scopes;  ///< storage scopes beside "global", separated by blanks
};
struct AttributeRow {
  std::string_view kind;  ///< empty: of every kind
  std::string_view name;
  Form form;
  int64_t fallback;  ///< of Bool and Int; kNoDefault where a target that does not say it has none
};

std::span<const KindRow> kindRows();
std::span<const AttributeRow> attributeRows();
/// The row of a kind; null when there is none.
const KindRow* findKind(std::string_view name);
/// The row of an attribute, that of every kind included; null when there is none.
const AttributeRow* findAttribute(std::string_view kind, std::string_view name);
/// The words of a text that are separated by blanks (or another character); empty ones are left out.
std::vector<std::string_view> wordsOf(std::string_view text, char separator = ' ');

}  // namespace rx::target
