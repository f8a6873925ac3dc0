// What the partial evaluator knows of values: their static parts, what
// references hold, and how far calls may be unfolded. Private to core/relay.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

struct Known;

/// A value of the program that is evaluated in part: an atom that stands for it
/// in what is left of the program, and what is known of it; null where that is
/// nothing.
struct Partial {
  Expr dynamic;
  const Known* known = nullptr;
  uint64_t created = 0;  ///< a count; a value made later has more
};

struct KnownTuple {
  std::vector<Partial> items;
};
struct KnownData {
  Ref<Constructor> constructor;
  std::vector<Partial> fields;
};
/// A reference; what it holds is in the store.
struct KnownReference {};
/// A function with the values of the variables that it uses.
struct Closure {
  FunctionRef function;
  const Node* self = nullptr;  ///< the variable that its body knows it by; null for none
  std::vector<std::pair<const Node*, Partial>> captured;
  std::unordered_map<const Node*, Type> types;  ///< of the type variables around it
};
struct Known {
  std::variant<Ref<HostTensor>, KnownTuple, KnownData, KnownReference, Closure> value;
};

/// What a value is known to be, or null.
template <class T>
const T* knownAs(const Partial& partial) {
  return partial.known ? std::get_if<T>(&partial.known->value) : nullptr;
}

/// What references hold, in levels: what a branch writes is forgotten behind
/// it.
class PartialStore {
 public:
  void enter() { levels_.emplace_back(); }
  void leave();
  void write(const Known* reference, const Partial& value) { levels_.back().values[reference] = value; }
  /// What it surely holds; null where that is not known.
  const Partial* read(const Known* reference) const;
  /// After code that may write anything.
  void forget();

 private:
  struct Level {
    std::unordered_map<const Known*, Partial> values;
    bool hidesOthers = false;  ///< what the levels below it say does not hold any more
  };
  std::vector<Level> levels_{1};
};

/// A call is unfolded within a call of the same function only when an argument
/// is older than all before, or a smaller number: so that unfolding ends.
class Fuel {
 public:
  struct Mark {
    uint64_t created, number;
  };
  using Marks = std::optional<std::vector<Mark>>;  ///< nothing before the first call

  /// Lowers the marks of a function to those of a call; false where none became
  /// lower.
  bool burn(const Node* function, const std::vector<Partial>& arguments);
  Marks marksOf(const Node* function) const;
  void restore(const Node* function, Marks marks) { marks_[function] = std::move(marks); }

 private:
  std::unordered_map<const Node*, Marks> marks_;
};

}  // namespace rx::relay
