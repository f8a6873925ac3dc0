// Program: the executable as the debugger shows it. Plain rows, so that a trace file can carry them and outlive the
// machine; core/debug does not need the executable itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/debug/stage.h"

namespace rx::debug {

enum class OpKind : uint8_t { Call, Ret, Goto, If };
/// What is said of instructions that call nothing, by their kind.
inline constexpr std::string_view kOpWords[] = {"call", "return", "goto", "if"};

/// One VM instruction.
struct Instruction {
  OpKind op = OpKind::Call;
  int function = 0;            ///< index into Program::functions
  std::string text;            ///< "call  alloc_tensor in: %9, i0 dst: %10"
  std::string callee;          ///< Call: the name of what is called
  int calledFunction = -1;     ///< Call of a VM function: its index
  int dst = -1;                ///< register written, -1 for none
  std::vector<int> arguments;  ///< registers read, in order
  std::vector<OriginSite> sites;
  std::string variable;  ///< of the final stage
  bool builtin = false;  ///< a function of the runtime, not a compiled kernel
  /// Management of memory and checks that the compiler added: stepping by bindings passes over it.
  bool housekeeping = false;

  /// What it does in a word: the name of what is called, else what kind it is.
  std::string_view what() const {
    return callee.empty() ? kOpWords[static_cast<size_t>(op)] : std::string_view(callee);
  }
  /// Gives room for the sizes that a function works out.
  bool allocatesShapeHeap() const { return op == OpKind::Call && callee == kAllocatesShapeHeap; }
  static constexpr std::string_view kAllocatesShapeHeap = "vm.builtin.alloc_shape_heap";
  /// Gives a tensor its memory, and nothing to read in it.
  bool allocatesTensor() const { return op == OpKind::Call && callee == "vm.builtin.alloc_tensor"; }
  /// Gives a value another name.
  bool renames() const { return op == OpKind::Call && callee == "vm.builtin.copy"; }
  /// Calls a kernel, or another function from outside: no function of the runtime or of the program.
  bool callsKernel() const { return op == OpKind::Call && !builtin && calledFunction < 0; }
};

/// A slot of a function's shape heap.
struct HeapSlot {
  std::string expression;  ///< "n * 4"
  std::string origin;      ///< what stores it: "x axis 0"
};

struct VmFunction {
  std::string name;
  int64_t begin = 0;  ///< instructions [begin, end)
  int64_t end = 0;
  int arguments = 0;
  int registers = 0;
  std::vector<std::string> registerNames;  ///< variable of each register, empty where none
  int heapRegister = -1;
  std::vector<HeapSlot> heap;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<VmFunction> functions;
  std::vector<std::shared_ptr<const Stage>> stages;  ///< 0 is the imported one, the last what was compiled
  std::vector<std::string> constructors;             ///< of algebraic data types: the name of each number
  std::vector<std::string> devices;                  ///< of a run of it, by their index in instructions; none: the host

  int functionIndex(std::string_view name) const;
};

/// A binding that gets its value from an instruction.
struct GivenValue {
  StagePlace place;
  int reg = -1;                ///< register that holds the value; -1 = what the instruction wrote or returned
  std::vector<int> path = {};  ///< items of tuples that lead from there to it
};

/// The instructions of a program seen from one stage: which binding each belongs to, and which instructions run for a
/// binding.
class StageMap {
 public:
  StageMap(const Program& program, int stage);

  int stage() const { return stage_; }
  /// The binding that best names an instruction; invalid for what belongs to none.
  StagePlace placeOf(int64_t instruction) const { return places_[static_cast<size_t>(instruction)]; }
  /// True when the instruction does work of a binding that stepping stops at.
  bool significant(int64_t instruction) const { return significant_[static_cast<size_t>(instruction)]; }
  /// The bindings whose value an instruction gives: allocations that it is the first to write, its own, then the other
  /// names of that value. None for what only prepares a binding's work, such as the shape of a tensor that a kernel is
  /// going to write.
  const std::vector<GivenValue>& given(int64_t instruction) const { return given_[static_cast<size_t>(instruction)]; }
  /// Every instruction that came from the binding, in order; management only where there is nothing else.
  std::vector<int64_t> instructionsOf(const Program& program, StagePlace place) const;

 private:
  void findGiven(const Program& program);

  int stage_;
  std::vector<StagePlace> places_;
  std::vector<bool> significant_;
  std::vector<std::vector<GivenValue>> given_;
};

}  // namespace rx::debug
