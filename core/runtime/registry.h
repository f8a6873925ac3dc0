// PackedRegistry: packed functions by name, and the tables of builtins that fill it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/callable.h"

namespace rx::vm {

/// One builtin. `signature` has one letter an argument, checked before `run`:
///   v machine  t tensor  h shape heap or null  s shape  i int  b int or bool  S storage  n string  d dtype
///   c closure or function  u tuple  r reference  a anything  ? the following are optional  * any number of anything
///   (last)
/// A tensor that lies on a device is copied to host memory for a call that reaches its bytes (t, h); not for
///   T a tensor whose bytes the call leaves alone, nor for anything, unless it is x anything or + any number of
///   anything (last) whose bytes the call reaches.
struct BuiltinRow {
  const char* name;
  const char* signature;
  Result<Value> (*run)(CallContext& context, Arguments args);
  uint64_t writes = 0;     ///< bit i: argument i may be written
  int forwardsTo = -1;     ///< index of the argument that is called with those after it
  bool givesNull = false;  ///< and does nothing else
  std::unique_ptr<PreparedCall> (*prepare)(std::span<const PlannedArgument> places) = nullptr;  ///< as Callable's
};

/// Thread-safe once it is filled. A row of a table becomes a function when it is first asked for: a package starts with
/// a hundred of them, and calls a few.
class PackedRegistry {
 public:
  PackedRegistry() = default;
  /// One of its own with the same functions.
  PackedRegistry(const PackedRegistry& other);
  PackedRegistry(PackedRegistry&&) = default;
  /// With every builtin of this runtime.
  static PackedRegistry withBuiltins();
  /// Later functions replace earlier ones of the same name.
  void add(std::string name, Ref<Callable> function);
  /// The rows outlive the registry.
  void addTable(std::span<const BuiltinRow> rows);
  /// Null when there is none.
  Ref<Callable> find(std::string_view name) const;

 private:
  struct Made {
    std::mutex mutex;
    std::vector<std::pair<std::string, Ref<Callable>>> functions;  ///< in the order of the names
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();  ///< what was added, and what was made of rows
  std::vector<std::span<const BuiltinRow>> tables_;
};

/// The tables, by what they are about.
std::span<const BuiltinRow> shapeBuiltins();
std::span<const BuiltinRow> memoryBuiltins();
std::span<const BuiltinRow> dataBuiltins();
std::span<const BuiltinRow> programBuiltins();
std::span<const BuiltinRow> sortBuiltins();
std::span<const BuiltinRow> objectBuiltins();

/// Whether what a builtin makes holds its arguments on, beyond the call.
bool keepsArguments(std::string_view builtin);

}  // namespace rx::vm
