#include "core/library/library.h"

namespace rx::library {

std::span<const LibraryRow> libraries() {
  static const LibraryRow rows[] = {
      {"cblas", "a CBLAS (OpenBLAS, or what libblas.so.3 is)", true, false, false, cblasFunctions(), openCblas},
      {"dnnl", "oneDNN 2", false, true, true, dnnlFunctions(), openDnnl},
  };
  return rows;
}

const LibraryRow* findLibrary(std::string_view name) {
  for (const LibraryRow& row : libraries())
    if (row.name == name) return &row;
  return nullptr;
}

const LibraryRow* libraryOf(std::string_view function) {
  for (const LibraryRow& library : libraries())
    for (const vm::BuiltinRow& row : library.functions)
      if (row.name == function) return &library;
  return nullptr;
}

vm::PackedRegistry registryWithLibraries() {
  vm::PackedRegistry registry = vm::PackedRegistry::withBuiltins();
  for (const LibraryRow& row : libraries()) registry.addTable(row.functions);
  return registry;
}

}  // namespace rx::library
