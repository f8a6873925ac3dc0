// Recording: a file of a run, with the program that ran; its values as the debugger shows them.
#pragma once

#include "core/debug/program.h"
#include "core/debug/value.h"
#include "core/store/reader.h"

namespace rx::debug {

/// A value in a run: of a register, or an item of the tuple in it, from a state on.
struct ValuePlace {
  uint32_t state = 0;
  uint32_t activation = 0;
  uint32_t reg = 0;
  std::vector<int> path = {};  ///< items of tuples in each other
};

/// What a step wrote to a tensor that its instruction was given, or made.
struct WrittenTensor {
  int reg = -1;  ///< register of the step's frame that holds it
  store::Value tensor;
  store::Changes::Write write;
};

/// A binding of the imported module that got a value.
struct GivenBinding {
  StagePlace binding;
  ValuePlace value;
};

/// What a step wrote that is not finite.
struct Finiteness {
  bool holds = false;  ///< it has NaN or Inf
  bool made = false;   ///< and the step is of a kernel whose inputs have none
};

class Recording {
 public:
  /// Fails as store::Reader does, or with `store.program`.
  static Result<std::unique_ptr<Recording>> open(const std::string& path);

  /// A recording whose program the caller has already.
  static Result<std::unique_ptr<Recording>> open(const std::string& path, Program program);

  const store::Reader& reader() const { return *reader_; }
  /// Looks at what was recorded since.
  void refresh() { reader_->refresh(); }
  const Program& program() const { return program_; }

  /// A value with the bytes that its memory has at a state; fails where they are not kept.
  Result<Value> valueAt(uint32_t state, const store::Value& value) const;
  Result<Value> valueAt(const ValuePlace& place) const;
  /// A value of a state with types, shapes and places in memory; its tensors' bytes are zeros.
  Result<Value> described(uint32_t state, const store::Value& value) const;
  /// The device that a tensor or storage lay on, "" for the host.
  std::string deviceOf(uint32_t state, const store::Value& value) const;
  /// Tensors that a step wrote.
  Result<std::vector<WrittenTensor>> writtenBy(uint32_t step) const;
  /// Statistics of a tensor that a step wrote, right behind it; nothing where neither they nor the bytes are kept.
  std::optional<TensorStats> statistics(uint32_t step, const WrittenTensor& written) const;
  /// Nothing of a step whose values are not kept.
  Finiteness finiteness(uint32_t step) const;
  /// Name of the binding, of the imported module where there is one, that an instruction works for; may be empty.
  std::string bindingOf(uint32_t instruction) const;
  /// The bindings of the imported module that get their values by a step: by the return of what it calls, where that is
  /// a function of the program that returned.
  Result<std::vector<GivenBinding>> givenBy(uint32_t step) const;
  /// Where the last value up to a step lies that a binding or a parameter of that name got; fails with `show.binding`.
  Result<ValuePlace> placeOf(const std::string& name, uint32_t step) const;

 private:
  Recording(std::shared_ptr<store::Reader> reader, Program program);
  /// A value whose tensors `tensorOf` makes of what is kept of them.
  template <class TensorOf>
  Result<Value> shown(uint32_t state, const store::Value& value, TensorOf tensorOf) const;
  /// The register that gets the value of a binding of this name by a step, with the way to it; -1 where it gives none.
  Result<GivenValue> givenBy(uint32_t step, uint32_t instruction, const std::string& name) const;
  /// The register that gets such a value, -1 where the step wrote none.
  Result<int> registerOf(uint32_t step, uint32_t instruction, const GivenValue& given) const;
  /// Where a value lies that a step gives a register: behind the return of what the step calls.
  Result<ValuePlace> placeBehind(const store::Step& row, uint32_t step, int reg) const;
  std::optional<ValuePlace> parameterOf(const std::string& name, uint32_t state) const;

  std::shared_ptr<store::Reader> reader_;  ///< tensors that show the mapped file keep it
  Program program_;
  std::pair<std::shared_ptr<const std::byte>, size_t> nothing_;  ///< memory for descriptions, and its bytes
  std::vector<StageMap> stages_;                                 ///< the imported one, and what was compiled
};

}  // namespace rx::debug
