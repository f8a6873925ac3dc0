// What names mean while a text is read. Values are nodes: IR, attribute values for Python literals, or a Marker.
#pragma once

#include <vector>

#include "core/ir/node.h"
#include "core/script/names.h"

namespace rx::script {

/// Nested scopes over dense name ids: a look-up is one array access, leaving a scope undoes its definitions.
class Scope {
 public:
  void push() { marks_.push_back(undo_.size()); }
  void pop() {
    size_t mark = marks_.back();
    marks_.pop_back();
    while (undo_.size() > mark) {
      values_[undo_.back().first] = std::move(undo_.back().second);
      undo_.pop_back();
    }
  }
  void define(NameId name, NodeRef value) {
    if (name >= values_.size()) values_.resize(name + 64);
    if (!marks_.empty()) undo_.emplace_back(name, std::move(values_[name]));
    values_[name] = std::move(value);
  }
  /// Null when the name is not defined.
  const NodeRef& lookup(NameId name) const {
    static const NodeRef kNothing;
    return name < values_.size() ? values_[name] : kNothing;
  }
  /// Calls `take` with each name that is defined, unless there are too many to look through.
  template <class Take>
  void eachName(Take&& take) const {
    if (values_.size() > 20000) return;
    for (NameId name = 0; name < values_.size(); ++name) {
      if (values_[name]) take(name);
    }
  }
  size_t depth() const { return marks_.size(); }
  /// Names defined since the innermost push, oldest first (repeats possible).
  std::vector<NameId> definedHere() const {
    std::vector<NameId> names;
    for (size_t i = marks_.empty() ? 0 : marks_.back(); i < undo_.size(); ++i) names.push_back(undo_[i].first);
    return names;
  }

 private:
  std::vector<NodeRef> values_;
  std::vector<std::pair<NameId, NodeRef>> undo_;
  std::vector<size_t> marks_;
};

}  // namespace rx::script
