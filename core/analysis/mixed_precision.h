// Which operators compute in half precision, and which values are needed in no other: the policy is a column beside the
// operator table, as TVM's TMixedPrecisionPolicy.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "core/ir/relax.h"

namespace rx::analysis {

enum class Precision : uint8_t {
  Always,  ///< in half precision, whatever it gets
  Follow,  ///< in half precision where all that it gets is
  Never,   ///< in the precision that it had
};
struct PrecisionRow {
  std::string_view op;
  Precision precision;
};
/// Operators that neither table names keep the precision that they had.
std::span<const PrecisionRow> allPrecisionRows();
/// Of an operator; nothing for calls of anything else.
std::optional<Precision> precisionOf(const relax::Call& call);
/// Whether a table names the operator of the call.
bool isListed(const relax::Call& call);

/// Element types of a value: of a tensor one (void: nothing is known), of a tuple those of its fields.
struct NestedType {
  DataType type = DataType::Void();
  std::vector<NestedType> items;
  bool isTuple = false;

  static NestedType tuple(std::vector<NestedType> fields);
  bool operator==(const NestedType&) const = default;
};
/// As the StructInfo has them, or `all` for every tensor.
NestedType typesOf(const relax::StructInfo& info, std::optional<DataType> all = std::nullopt);

/// By variable, the widest types in which the dataflow blocks of a function need its tensors.
std::unordered_map<const relax::Var*, NestedType> neededTypes(const relax::Function& function);

}  // namespace rx::analysis
