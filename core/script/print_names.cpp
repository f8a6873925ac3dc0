#include "core/script/print_names.h"

#include <array>

namespace rx::script {

namespace {
/// Python keywords and the names that a text uses for its own ends.
constexpr std::string_view kReserved[] = {
    "False", "None",  "True",   "and",      "as",     "assert",  "async",  "await",    "break",  "class", "continue",
    "def",   "del",   "elif",   "else",     "except", "finally", "for",    "from",     "global", "if",    "import",
    "in",    "is",    "lambda", "nonlocal", "not",    "or",      "pass",   "raise",    "return", "try",   "while",
    "with",  "yield", "T",      "R",        "I",      "cls",     "Module", "metadata", "range"};

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool isIdentifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text) {
    if (!isWord(c)) return false;
  }
  return true;
}

std::string asIdentifier(std::string_view text) {
  std::string out;
  if (text.empty()) out = "v";
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') out = "_";
  for (char c : text) out += isWord(c) ? c : '_';
  return out;
}
}  // namespace

NameScopes::NameScopes() {
  for (std::string_view name : kReserved) reserve(name);
}

void NameScopes::reserve(std::string_view name) { used_[name].holders = 1; }

void NameScopes::leave() {
  auto undo = [&](std::vector<Entry>& log, size_t mark) {
    while (log.size() > mark) {
      const Entry& entry = log.back();
      --used_[entry.name].holders;
      if (entry.hint.data() != entry.name.data()) used_[entry.hint].next = entry.oldNext;
      log.pop_back();
    }
  };
  undo(log_, marks_.back());
  marks_.pop_back();
  if (marks_.empty()) undo(functionLog_, 0);
}

std::string_view NameScopes::fresh(std::string_view hint, bool forFunction) {
  if (!isIdentifier(hint)) hint = texts_.emplace_back(asIdentifier(hint));
  auto& log = forFunction ? functionLog_ : log_;
  auto at = used_.emplace(hint, Used{}).first;
  if (at->second.holders == 0) {
    at->second.holders = 1;
    log.push_back({hint, hint, 0});
    return hint;
  }
  Used& base = at->second;
  const uint32_t oldNext = base.next;
  for (;;) {
    std::string candidate = std::string(hint) + '_' + std::to_string(base.next++);
    auto other = used_.find(candidate);
    if (other != used_.end() && other->second.holders > 0) continue;
    std::string_view name = texts_.emplace_back(std::move(candidate));
    used_[name].holders = 1;
    log.push_back({name, hint, oldNext});
    return name;
  }
}

std::string_view NameScopes::define(const Node* node, std::string_view hint) {
  return names_[node] = fresh(hint, marks_.empty());
}

std::string_view NameScopes::defineForFunction(const Node* node, std::string_view hint) {
  return names_[node] = fresh(hint, true);
}

void NameScopes::alias(const Node* node, std::string text) { names_[node] = texts_.emplace_back(std::move(text)); }

}  // namespace rx::script
