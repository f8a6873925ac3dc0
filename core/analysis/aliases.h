// Which values may lie in the same memory.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "core/ir/relax.h"

namespace rx::analysis {

/// Numbers of allocations; kUnknownPlace is memory that the block knows nothing of.
using Places = std::set<int64_t>;
constexpr int64_t kUnknownPlace = -1;

/// True for operators whose result may be another view of their first argument, or is that argument with a mark for
/// passes on it.
bool isView(const relax::Op& op);

/// The places where the values of a dataflow block may lie. What comes from outside is unknown; operators allocate, but
/// for those that make views or pass an argument on; anything else that is called may give back whatever it gets, or
/// parts of it.
class Aliases {
 public:
  explicit Aliases(const relax::BindingBlock& block);

  /// Of a variable that the block binds; null for all others.
  const Places* of(const relax::Var* var) const;
  /// The places of the fields of what may lie in these places, and of their fields, each once; false where something
  /// unknown is among them.
  bool addFields(Places& places) const;

 private:
  Places placesOf(const relax::Expr& value, const relax::StructInfo& info);
  Places fieldPlaces(const relax::TupleGetItem& item);
  Places callPlaces(const relax::Call& call, const relax::StructInfo& info);
  Places unknownCall(const relax::Call& call, const relax::StructInfo& info, size_t firstArg);
  int64_t fresh(const relax::StructInfo& info);
  void capture(Places& captured, int64_t place) const;
  void share(int64_t tuple, const Places& places);

  int64_t next_ = 0;
  std::unordered_map<const relax::Var*, Places> places_;
  std::unordered_map<int64_t, std::vector<Places>> tuples_;  ///< by the place of a tuple, those of its fields
};

}  // namespace rx::analysis
