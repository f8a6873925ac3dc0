// What functions of libraries compute, in terms of Relax: which bindings become one call of them.
#pragma once

#include <functional>
#include <optional>

#include "core/analysis/pattern.h"
#include "core/ir/relax.h"
#include "core/library/library.h"

namespace rx::transform {

/// A call of a library's function (core/library): its name, and its arguments without the tensor for the result.
struct LibraryCall {
  std::string function;
  std::vector<relax::Expr> args;
};

/// The value that a variable is bound to, any other expression as it is.
using ValueOf = std::function<relax::Expr(const relax::Expr&)>;

/// The call that computes the value: a matrix product or a convolution, with a bias added and max(x, 0) taken where
/// the library does so, of element types that it has, and of sizes that are known to fit. Nothing where it has none.
std::optional<LibraryCall> libraryCall(const library::LibraryRow& library, const relax::Expr& value,
                                       const ValueOf& valueOf);

/// What may be such a value, the largest first, with the name for a function that holds it ("dnnl.matmul_bias_relu").
struct LibraryPattern {
  Str name;
  std::string text;  ///< as of tvm.relax.dpl
};
std::vector<LibraryPattern> libraryPatterns(const library::LibraryRow& library);

/// A function for a library (attribute Codegen), made of functions that each stand for one pattern: the same with calls
/// of the library, private. Nothing where one of them is nothing that the library computes.
std::optional<relax::FunctionRef> libraryFunction(const library::LibraryRow& library, const relax::Function& function);

}  // namespace rx::transform
