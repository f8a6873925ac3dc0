// The operators of Relay: names, attributes with defaults, how they fuse, and the relation that types them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/op_pattern.h"
#include "core/ir/relay.h"

namespace rx::relay {

class Relating;
/// What a relation came to.
enum class Outcome : uint8_t {
  Done,     ///< what it says holds
  Wait,     ///< an input is not known yet
  Refused,  ///< it does not hold; the relation said why
};
/// Relates the types of an operator's arguments and its result.
using Relation = Outcome (*)(Relating&);

/// Form of a plain value of an attribute in metadata.
enum class FieldForm : uint8_t { Node, Int, Bool, Real, Text, Type };

struct AttrField {
  std::string_view name;
  FieldForm form;
  NodeRef fallback;  ///< null: has to be given
};

/// The attributes that an operator takes.
struct AttrSchema {
  std::string_view name;
  std::vector<AttrField> fields;
  const AttrField* find(std::string_view field) const;
};
/// By the name that follows "relay.attrs." in metadata; null where there is none.
const AttrSchema* findAttrSchema(std::string_view name);

/// How an operator fuses with its neighbours.
using analysis::OpPattern;

struct OpRow {
  std::string_view name;
  int inputs;  ///< -1: any number
  const AttrSchema* attrs;
  Relation relation;
  OpPattern pattern;
  bool stateful;
  Ref<Op> op;
};

std::span<const OpRow> operators();
/// The row of a name, or null.
const OpRow* findOperator(std::string_view name);
const OpRow& rowOf(const Op& op);
/// The operator of a table name; a bug of the caller where there is none.
Expr operatorNamed(std::string_view name);
/// The row of the operator that an expression is a call of, or null.
const OpRow* calledOperator(const Expr& expr);
bool isCallOf(const Expr& expr, std::string_view name);

/// An integer of an attribute, as a list of dimensions may have it too; nothing where it is another value.
std::optional<int64_t> wholeOf(const NodeRef& value);
/// The value of a call's attribute, or its default; null where the operator has none of that name.
NodeRef attrOf(const Call& call, std::string_view name);
int64_t intAttrOf(const Call& call, std::string_view name, int64_t fallback = 0);
std::string_view textAttrOf(const Call& call, std::string_view name);
/// The attributes without those that have their default.
ir::Attrs withoutDefaults(const AttrSchema& schema, const ir::Attrs& attrs);

}  // namespace rx::relay
