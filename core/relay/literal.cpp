#include "core/relay/literal.h"

#include <cstdlib>
#include <string>

#include "core/support/assert.h"

namespace rx::relay {

namespace {

void skipBlanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

NodeRef word(std::string_view text) {
  if (text == "None") return ir::nullAttr();
  if (text == "True" || text == "False") return ir::boolAttr(text == "True");
  const std::string number(text);
  if (number.find_first_of(".e") == std::string::npos) return ir::intAttr(std::strtoll(number.c_str(), nullptr, 10));
  return ir::floatAttr(std::strtod(number.c_str(), nullptr));
}

/// Lists nest two deep at most.
NodeRef value(std::string_view& text) {
  skipBlanks(text);
  if (text.front() == '\'') {
    const size_t end = text.find('\'', 1);
    NodeRef out = ir::strAttr(Str(text.substr(1, end - 1)));
    text.remove_prefix(end + 1);
    return out;
  }
  if (text.front() != '[') {
    const size_t end = std::min(text.find_first_of(",] "), text.size());
    NodeRef out = word(text.substr(0, end));
    text.remove_prefix(end);
    return out;
  }
  text.remove_prefix(1);
  std::vector<NodeRef> items;
  for (skipBlanks(text); text.front() != ']'; skipBlanks(text)) {
    items.push_back(value(text));
    skipBlanks(text);
    if (text.front() == ',') text.remove_prefix(1);
  }
  text.remove_prefix(1);
  return ir::arrayAttr(std::move(items));
}

}  // namespace

NodeRef readLiteral(std::string_view text) {
  NodeRef out = value(text);
  RX_ASSERT(text.empty(), "a literal of the tables goes on with '{}'", text);
  return out;
}

}  // namespace rx::relay
