#include "core/target/kinds.h"

#include <algorithm>

namespace rx::target {

namespace {
constexpr KindRow kKinds[] = {
#define RX_TARGET_KIND(name, deviceType, keys, scopes) {name, deviceType, keys, scopes},
#define RX_TARGET_ATTRIBUTE(kind, name, form, fallback)
#include "core/target/kinds.def"
};
constexpr AttributeRow kAttributes[] = {
#define RX_TARGET_KIND(name, deviceType, keys, scopes)
#define RX_TARGET_ATTRIBUTE(kind, name, form, fallback) {kind, name, Form::form, fallback},
#include "core/target/kinds.def"
};
}  // namespace

std::span<const KindRow> kindRows() { return kKinds; }
std::span<const AttributeRow> attributeRows() { return kAttributes; }

const KindRow* findKind(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& k) { return k.name == name; });
  return row == std::end(kKinds) ? nullptr : row;
}

const AttributeRow* findAttribute(std::string_view kind, std::string_view name) {
  const auto* row = std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const AttributeRow& a) {
    return a.name == name && (a.kind.empty() || a.kind == kind);
  });
  return row == std::end(kAttributes) ? nullptr : row;
}

std::vector<std::string_view> wordsOf(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace rx::target
