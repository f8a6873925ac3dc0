#include "core/script/print_names.h"

#include "core/ir/structural_hash.h"
#include "core/script/names.h"

namespace rx::script {

namespace {
/// Python keywords and the names that a text uses for its own ends.
constexpr std::string_view kReserved[] = {
    "False", "None",  "True",   "and",      "as",     "assert",  "async",  "await",    "break",  "class", "continue",
    "def",   "del",   "elif",   "else",     "except", "finally", "for",    "from",     "global", "if",    "import",
    "in",    "is",    "lambda", "nonlocal", "not",    "or",      "pass",   "raise",    "return", "try",   "while",
    "with",  "yield", "T",      "R",        "I",      "cls",     "Module", "metadata", "range"};

std::string asIdentifier(std::string_view text) {
  std::string out;
  if (text.empty()) out = "v";
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') out = "_";
  for (char c : text) out += isIdentifierPart(c) ? c : '_';
  return out;
}
}  // namespace

uint64_t NameScopes::hashOf(std::string_view name) { return hashBytes(0, name.data(), name.size()); }

void NameScopes::setName(const Node* node, std::string_view name) {
  const uint64_t hash = hashOf(node);
  if (const uint32_t at = findNode(node, hash); at != HashIndex::kNone) {
    named_[at].name = name;
    return;
  }
  named_.push_back({node, name});
  nodeIndex_.add(hash, static_cast<uint32_t>(named_.size() - 1), [&](uint32_t at) { return hashOf(named_[at].node); });
}

uint32_t NameScopes::use(std::string_view name, bool copies) {
  // Most texts that are printed alone, a shape or a type, name nothing: the table is made for the first name.
  if (used_.empty())
    for (std::string_view word : kReserved) used_[addUsed(word, false)].holders = 1;
  return addUsed(name, copies);
}

uint32_t NameScopes::addUsed(std::string_view name, bool copies) {
  const uint64_t hash = hashOf(name);
  const uint32_t found = usedIndex_.find(hash, [&](uint32_t at) { return used_[at].name == name; });
  if (found != HashIndex::kNone) return found;
  used_.push_back({copies ? std::string_view(texts_.emplace_back(name)) : name, 1, 0});
  const auto at = static_cast<uint32_t>(used_.size() - 1);
  usedIndex_.add(hash, at, [&](uint32_t other) { return hashOf(used_[other].name); });
  return at;
}

void NameScopes::leave() {
  auto undo = [&](std::vector<Entry>& log, size_t mark) {
    while (log.size() > mark) {
      const Entry& entry = log.back();
      --used_[entry.name].holders;
      if (entry.hint != entry.name) used_[entry.hint].next = entry.oldNext;
      log.pop_back();
    }
  };
  undo(log_, marks_.back());
  marks_.pop_back();
  if (!marks_.empty()) return;
  undo(functionLog_, 0);
  // What two functions share is declared in each.
  named_.clear();
  nodeIndex_ = {};
}

std::string_view NameScopes::fresh(std::string_view hint, bool forFunction) {
  if (!isIdentifier(hint)) hint = texts_.emplace_back(asIdentifier(hint));
  auto& log = forFunction ? functionLog_ : log_;
  uint32_t base = use(hint, false);
  // In the place of a reserved name stands another from the start, so that a text of it is printed with the same names.
  if (base < std::size(kReserved)) {
    hint = texts_.emplace_back(std::string(hint) + "_1");
    base = use(hint, false);
  }
  if (used_[base].holders == 0) {
    used_[base].holders = 1;
    log.push_back({base, base, 0});
    return used_[base].name;
  }
  const uint32_t oldNext = used_[base].next;
  std::string candidate;
  for (;;) {
    candidate = hint;
    candidate += '_';
    candidate += std::to_string(used_[base].next++);
    const uint32_t at = use(candidate, true);
    if (used_[at].holders > 0) continue;
    used_[at].holders = 1;
    log.push_back({at, base, oldNext});
    return used_[at].name;
  }
}

std::string_view NameScopes::define(const Node* node, std::string_view hint) {
  const std::string_view name = fresh(hint, marks_.empty());
  setName(node, name);
  return name;
}

std::string_view NameScopes::defineForFunction(const Node* node, std::string_view hint) {
  const std::string_view name = fresh(hint, true);
  setName(node, name);
  return name;
}

void NameScopes::reserve(std::string_view name) {
  const uint32_t at = use(name, true);
  ++used_[at].holders;
  functionLog_.push_back({at, at, 0});
}

void NameScopes::alias(const Node* node, std::string text) { setName(node, texts_.emplace_back(std::move(text))); }

}  // namespace rx::script
