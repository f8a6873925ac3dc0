// What the operator table of a language says of an operator, for a person.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rx::compile {

struct OperatorDoc {
  std::string name;
  std::string doc;          ///< what it computes; empty where the table does not say
  std::string signature;    ///< "x: expr, axis: int? = None"
  std::string counterpart;  ///< the operator that stands for it in the language that code is generated from
  std::string fusion;       ///< how it fuses, a sentence; empty where the table does not say
  bool pure = true;
  bool dataDependent = false;  ///< the shape of its result depends on values
};

/// `language` by its name or its title ("relax", "Relax"); nothing where its table has no such operator.
std::optional<OperatorDoc> operatorDoc(std::string_view language, std::string_view op);

}  // namespace rx::compile
