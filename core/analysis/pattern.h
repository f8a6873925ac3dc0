// Dataflow patterns: TVM's language (tvm.relax.dpl) of what a value is computed by, as data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/attrs.h"
#include "core/support/str.h"

namespace rx::analysis {

enum class PatternKind : uint8_t {
  Op,              ///< the operator `name`
  Var,             ///< a variable that nothing binds, by `name` where it is not empty
  DataflowVar,     ///< the same of a DataflowVar
  GlobalVar,       ///< a function of the module whose name contains `name`
  ExternFunc,      ///< the packed function `name`, any where it is empty
  Constant,        ///< a tensor that is known
  Wildcard,        ///< anything
  ShapeValue,      ///< a shape with these dimensions
  Call,            ///< parts: what is called, then the arguments
  Tuple,           ///< parts: the fields
  UnorderedTuple,  ///< parts: the fields in any order
  Field,           ///< parts: the tuple; the field `index`, any where it is -1
  Or,              ///< either part
  And,             ///< both parts
  Not,             ///< not the part
  Attrs,           ///< the part, with these attributes
  Type,            ///< the part, a tensor of this type
  Shape,           ///< the part, a tensor with these dimensions
};

/// Index of a pattern in its DataflowPattern. A pattern that stands twice must match the same expression twice.
using PatternId = uint32_t;

struct PatternNode {
  PatternKind kind;
  Str name = {};
  std::vector<PatternId> parts = {};
  int64_t index = -1;
  bool moreArgs = false;  ///< a call may have further arguments
  DataType dtype = {};
  ir::Attrs attrs = nullptr;
  std::vector<int64_t> dims = {};
};

/// How a pattern of a sequence uses the one before it.
struct PatternLink {
  bool only = false;   ///< nothing else uses that (`>>`); `^` leaves it open
  int64_t index = -1;  ///< as which variable that the value mentions, in order; -1 = any
};

struct DataflowPattern {
  std::vector<PatternNode> nodes;
  std::vector<PatternId> sequence;  ///< one pattern, or several of which each is used by the next
  std::vector<PatternLink> links;   ///< one fewer
  std::vector<std::pair<Str, PatternId>> names;

  /// The pattern of the value that is found.
  PatternId root() const { return sequence.back(); }
  std::optional<PatternId> named(std::string_view name) const {
    for (const auto& [known, id] : names) {
      if (known == name) return id;
    }
    return std::nullopt;
  }
};

}  // namespace rx::analysis
