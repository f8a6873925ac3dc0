// core/library: matrix products and convolutions by libraries of the machine (oneDNN, a CBLAS), as packed functions
// that programs call where they were compiled so. A library is opened by the first call of one of its functions, or by
// who asks whether it is there; nothing is linked. The engine links this layer, and packages hold it: it is compiled as
// core/runtime is.
#pragma once

#include <span>
#include <string_view>

#include "core/runtime/registry.h"

namespace rx::library {

struct LibraryRow {
  std::string_view name;   ///< as the option of passes and programs has it, and what stands before the point of names
  std::string_view title;  ///< in words
  bool twice;              ///< products in float64 beside those in float32
  bool convolutions;       ///< beside products
  bool ends;               ///< with a bias added, and max(x, 0) of each result taken
  /// Tensors lie in host memory and the last one is written. Fail with library.shape and library.failed where the
  /// arguments are none that the library computes, and as `open`.
  std::span<const vm::BuiltinRow> functions;
  /// Opens it. Fails with library.missing, or with library.version where it is one of another interface.
  Result<Unit> (*open)();
};

std::span<const LibraryRow> libraries();
/// Null where there is none of this name.
const LibraryRow* findLibrary(std::string_view name);
/// The library of a function by its name; null where it is of none.
const LibraryRow* libraryOf(std::string_view function);

/// The builtins of the runtime with the functions of all libraries.
vm::PackedRegistry registryWithLibraries();

/// The rows of functions, by library.
std::span<const vm::BuiltinRow> cblasFunctions();
Result<Unit> openCblas();
std::span<const vm::BuiltinRow> dnnlFunctions();
Result<Unit> openDnnl();

}  // namespace rx::library
