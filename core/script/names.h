// Names of one text as small numbers: a look-up is an array access, a Str is made once a name.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/str.h"

namespace rx::script {

using NameId = uint32_t;

inline bool isIdentifierPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/// Whether a text can stand as a name: letters, digits and '_', no digit first.
bool isIdentifier(std::string_view text);

/// Interns names. Ids are dense, in order of first occurrence. Not shared between threads.
class Names {
 public:
  Names();
  NameId intern(std::string_view text);
  /// Without adding it; kNone when it was never seen.
  NameId find(std::string_view text) const;
  std::string_view text(NameId id) const { return strs_[id].view(); }
  const Str& str(NameId id) const { return strs_[id]; }
  size_t size() const { return strs_.size(); }
  static constexpr NameId kNone = 0xffffffff;

 private:
  void grow();
  std::vector<Str> strs_;
  std::vector<uint32_t> hashes_;
  std::vector<uint32_t> slots_;  ///< id + 1, 0 = free; a power of two
};

}  // namespace rx::script
