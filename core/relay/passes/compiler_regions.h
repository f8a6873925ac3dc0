// What lies between the begin and end marks of compilers outside. Private to the passes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/relay/emit.h"

namespace rx::relay {

/// Marks of the edges into a region and out of it: calls of annotation.compiler_begin and annotation.compiler_end.
bool isRegionBegin(const Expr& expr);
bool isRegionEnd(const Expr& expr);

/// The regions of a graph: what lies between the marks of one compiler, as far as it hangs together.
class Regions {
 public:
  using Id = int64_t;
  static constexpr Id kNone = -1;

  /// Regions are numbered by their begin marks, operands first; where one has several, the first argument decides.
  explicit Regions(const Expr& root);

  Id of(const Expr& expr);
  /// The region that a merged one became.
  Id rootOf(Id id);
  size_t count() const { return parents_.size(); }
  std::string_view compiler(Id id) const { return compilers_[static_cast<size_t>(id)]; }
  /// The begin marks, those of merged regions behind its own.
  std::vector<Expr> begins(Id id) const;
  /// What begin marks of the region are put around, without what the region gives itself.
  std::vector<Expr> inputs(Id id);
  void merge(Id from, Id into);

 private:
  void add(const Expr& expr);

  std::unordered_map<const Node*, Id> ids_;
  std::vector<Id> parents_;  ///< of what was merged: shorter ways to the root the more often they are gone
  std::vector<std::string> compilers_;
  std::vector<Expr> marks_;  ///< the begin mark that a region was numbered by
  std::vector<Id> next_;     ///< whose mark follows in the list of the merged region; kNone behind the last
  std::vector<Id> last_;     ///< of that list, by root
};

}  // namespace rx::relay
