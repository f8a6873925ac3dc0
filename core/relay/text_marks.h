// Where nodes stand in a text that is put together from its inside out: marks in its parts, taken out of the whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/script/print.h"

namespace rx::relay {

class TextMarks {
 public:
  /// Without `on` texts stay as they are.
  explicit TextMarks(bool on) : on_(on) {}

  /// The text of a node.
  std::string anchor(const Node* node, std::string text);
  /// A name of a node.
  std::string name(const Node* node, script::NameRole role, std::string text);
  /// A text that came from outside, in which anything may stand.
  std::string foreign(std::string text) const;
  /// The text without marks, and what they said.
  script::PrintResult taken(std::string text) const;

 private:
  struct Mark {
    const Node* node;
    script::NameRole role;
    bool isName;
  };
  std::string marked(const Mark& mark, std::string text);

  bool on_;
  std::vector<Mark> marks_;
};

}  // namespace rx::relay
