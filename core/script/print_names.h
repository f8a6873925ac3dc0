// Names of variables while a text is printed: unique among those in scope, with TVM's `_1`, `_2` suffixes.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/node.h"

namespace rx::script {

class NameScopes {
 public:
  NameScopes();

  void enter() { marks_.push_back(log_.size()); }
  /// Frees the names given since the matching enter.
  void leave();
  /// Gives `node` the first free name after `hint`. A node that is defined again gets another name.
  std::string_view define(const Node* node, std::string_view hint);
  /// The same, for the whole function: the name is freed with the outermost scope.
  std::string_view defineForFunction(const Node* node, std::string_view hint);
  /// Makes `node` stand for a fixed text ("A.data"); `text` is kept.
  void alias(const Node* node, std::string text);
  /// The name, empty when the node was never defined.
  std::string_view find(const Node* node) const {
    auto at = names_.find(node);
    return at == names_.end() ? std::string_view() : at->second;
  }

 private:
  std::string_view fresh(std::string_view hint, bool forFunction);
  void reserve(std::string_view name);

  struct Used {
    uint32_t next = 1;     ///< first suffix that may be free
    uint32_t holders = 0;  ///< scopes that hold the name itself
  };
  struct Entry {
    std::string_view name;
    std::string_view hint;
    uint32_t oldNext;
  };
  std::unordered_map<const Node*, std::string_view> names_;
  std::unordered_map<std::string_view, Used> used_;
  std::deque<std::string> texts_;
  std::vector<Entry> log_;
  std::vector<Entry> functionLog_;
  std::vector<size_t> marks_;
};

}  // namespace rx::script
