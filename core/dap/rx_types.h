// Shapes of our own `rxs/...` requests: what a debugger of tensor programs shows and DAP has no field for.
#pragma once

#include "core/dap/types.h"

namespace rx::dap {

/// A number as JSON: NaN and infinities are the texts "nan", "inf", "-inf".
Json jsonNumber(double value);
/// The reverse; anything else is NaN.
double numberFrom(const Json& json);

/// Where the machine, or the look at its past, stands. `binding` is the ordinal of the binding in its function of the
/// selected stage (a binding comes before those inside its value), -1 between bindings.
struct Position {
  int64_t step = 0;      ///< instructions executed before this point
  int64_t recorded = 0;  ///< instructions recorded so far
  bool past = false;     ///< looking at a recorded step, not at the newest
  bool ended = false;    ///< the run is over; the recorded steps can still be visited
  int64_t stage = 0;
  std::string vmFunction;
  int64_t instruction = -1;  ///< index in the whole program
  std::string text;          ///< the instruction that comes next
  std::string function;      ///< of the selected stage
  int64_t binding = -1;
  std::string variable;
  int64_t line = 0;          ///< of the binding in the stage's text or source, 0 when unknown
  int64_t depth = 0;         ///< frames
  std::string doneFunction;  ///< the binding that the step before this point worked for
  int64_t doneBinding = -1;
  std::string doneVariable;
};
RX_DAP_TYPE(Position, step, recorded, past, ended, stage, vmFunction, instruction, text, function, binding, variable,
            line, depth, doneFunction, doneBinding, doneVariable)

/// A value in short. `reference` asks for slices and files (rxs/slice, rxs/saveValue) until the engine moves on.
/// Statistics are of a tensor's finite elements.
struct ValueInfo {
  std::string
      kind;  ///< "none", "tensor", "shape", "int", "float", "string", "dtype", "tuple", "storage", "closure", ...
  std::string text;  ///< one line: "Tensor((3, 4), float32)"
  int64_t reference = 0;
  std::vector<int64_t> shape;
  std::string dtype;
  int64_t bytes = 0;
  int64_t count = 0;
  bool hasStats = false;
  Json min;
  Json max;
  Json mean;
  int64_t nanCount = 0;
  int64_t infCount = 0;
  int64_t firstNonFinite = -1;   ///< row-major index
  int64_t step = -1;             ///< the step that wrote it, -1 for an argument
  bool unwritten = false;        ///< a tensor that only has its memory so far: no statistics
  std::string place;             ///< the device that a tensor's memory is on; "" for the host
  std::vector<ValueInfo> items;  ///< the first kMostItems of a tuple; those of a tuple in a tuple are asked for
};
inline constexpr size_t kMostItems = 32;
RX_DAP_TYPE(ValueInfo, kind, text, reference, shape, dtype, bytes, count, hasStats, min, max, mean, nanCount, infCount,
            firstNonFinite, step, unwritten, place, items)

/// The other side of a comparison: a value of the run, or an array of an .npy or .npz file.
struct Against {
  int64_t reference = 0;
  std::optional<std::string> expression;
  std::optional<std::string> file;    ///< instead of a value
  std::string array;                  ///< name in an .npz
  std::string distance = "absolute";  ///< or "relative", "ulp"
};
RX_DAP_TYPE(Against, reference, expression, file, array, distance)

struct StageInfo {
  int64_t index = 0;
  std::string title;  ///< "imported" or the pass's name
  std::string hash;   ///< structural hash of the imported module, hexadecimal; else empty
  std::vector<std::string> functions;
};
RX_DAP_TYPE(StageInfo, index, title, hash, functions)

struct BindingBreakpoint {
  int64_t stage = 0;
  std::string function;
  int64_t binding = -1;
  std::optional<std::string> variable;  ///< used where `binding` is -1
  std::optional<std::string> condition;
  std::optional<std::string> hitCondition;
  std::optional<std::string> logMessage;
  /// "write", "read" or "readWrite": stops after what touches the memory of the binding's value, in every call.
  std::optional<std::string> access;
  std::optional<int64_t> reg;  ///< with `access`: this register of the VM function `function`, instead of a binding
  /// Before this instruction of the VM function `function`, counted from its first, instead of a binding.
  std::optional<int64_t> instruction;
};
RX_DAP_TYPE(BindingBreakpoint, stage, function, binding, variable, condition, hitCondition, logMessage, access, reg,
            instruction)

/// What an expression is at the state that is shown.
struct WatchValue {
  std::string kind;      ///< "bool", "int", "float", "bytes", "text", or ValueInfo::kind; empty where it has none
  std::string text;      ///< "18"
  Json number;           ///< of a number, see jsonNumber
  std::string compared;  ///< the left side of the outermost comparison: 18 of `nan(x) > 0`
  ValueInfo value;       ///< of what is no number or text
  std::string error;
  int64_t errorBegin = 0;  ///< what of the expression the error is about, in code units of UTF-16
  int64_t errorEnd = 0;
};
RX_DAP_TYPE(WatchValue, kind, text, number, compared, value, error, errorBegin, errorEnd)

/// What a plot of an expression shows: `value` is null where it has none.
struct WatchPoint {
  int64_t step = 0;
  Json value;
};
RX_DAP_TYPE(WatchPoint, step, value)

/// How often a breakpoint was reached with its condition true, and why its condition could not be evaluated.
struct BreakpointHits {
  int64_t id = 0;
  int64_t hits = 0;
  std::string error;
  int64_t errorBegin = 0;  ///< what of the condition it is about, in code units of UTF-16
  int64_t errorEnd = 0;
};
RX_DAP_TYPE(BreakpointHits, id, hits, error, errorBegin, errorEnd)

/// One instruction of the program.
struct InstructionInfo {
  int64_t index = 0;
  std::string function;
  std::string text;
  std::string what;      ///< callee, or the word for a return or jump
  std::string writes;    ///< the register that it sets, as in the text: "%10"; empty when it sets none
  int64_t binding = -1;  ///< of the selected stage
  std::string bindingFunction;
  std::string variable;
  int64_t line = 0;
  bool builtin = false;  ///< the runtime's work: no kernel of the program
};
RX_DAP_TYPE(InstructionInfo, index, function, text, what, writes, binding, bindingFunction, variable, line, builtin)

/// One executed instruction.
struct StepInfo {
  int64_t step = 0;
  int64_t instruction = -1;
  std::string function;
  std::string what;  ///< callee, or the word for a return or jump
  std::string bindingFunction;
  int64_t binding = -1;
  std::string variable;
  int64_t depth = 0;
  double microseconds = 0;         ///< that it ran
  double compileMicroseconds = 0;  ///< before that, for the machine code of its kernel
  bool builtin = false;
  bool nonFinite = false;       ///< it made a NaN or Inf out of finite inputs
  bool holdsNonFinite = false;  ///< what it wrote has a NaN or Inf, wherever that came from
};
RX_DAP_TYPE(StepInfo, step, instruction, function, what, bindingFunction, binding, variable, depth, microseconds,
            compileMicroseconds, builtin, nonFinite, holdsNonFinite)

struct RegisterInfo {
  int64_t index = 0;
  std::string name;  ///< "%3"
  std::string variable;
  ValueInfo value;
  bool changed = false;  ///< by the step before this point
};
RX_DAP_TYPE(RegisterInfo, index, name, variable, value, changed)

struct HeapSlotInfo {
  int64_t slot = 0;
  std::string expression;
  std::string origin;  ///< who stored it: "x axis 0", "match_cast z_1"
  bool set = false;
  int64_t value = 0;
  bool changed = false;
};
RX_DAP_TYPE(HeapSlotInfo, slot, expression, origin, set, value, changed)

/// A binding's value in the frame that is shown.
struct BindingValue {
  int64_t binding = -1;
  std::string variable;
  ValueInfo value;
  int64_t state = 0;  ///< the binding has this value from this state on
};
RX_DAP_TYPE(BindingValue, binding, variable, value, state)

struct SymbolValue {
  std::string name;
  int64_t value = 0;
};
RX_DAP_TYPE(SymbolValue, name, value)

/// One axis of a parameter (or the parameter itself, where it is a number) against what is given for it.
struct AxisCheck {
  std::string wants;             ///< as it is declared: "n", "4", "n * 4"
  std::optional<int64_t> needs;  ///< what that is here, where it is known
  std::optional<int64_t> given;  ///< nothing where no value is given
  std::string verdict;           ///< "fits", "binds" (gives the symbol its value), "differs", "open"
  std::string boundBy;           ///< of what differs: who gave the symbol its value, "x, axis 0"
};
RX_DAP_TYPE(AxisCheck, wants, needs, given, verdict, boundBy)

/// A parameter of a run against what is given for it.
struct ParameterCheck {
  std::string name;   ///< items of tuples by position: "x.0"
  std::string wants;  ///< shape of a tensor as it is declared, "(n, 4)", else the whole annotation
  std::string wantsDtype;
  std::string source;          ///< "inputs", "params", "seed", "zero"; empty where nothing gives it
  std::string array;           ///< name of the array that it takes; "@seed" or "@zero" where it is made
  std::vector<int64_t> given;  ///< shape
  std::string givenDtype;
  int64_t bytes = 0;
  std::string verdict = "fits";  ///< or "missing", "extra", "dtype", "rank", "axis"
  std::vector<AxisCheck> axes;
};
RX_DAP_TYPE(ParameterCheck, name, wants, wantsDtype, source, array, given, givenDtype, bytes, verdict, axes)

/// Why a check of a value in the program failed; in the `stopped` event, beside its diagnostics. See debug::Misfit.
struct MisfitInfo {
  std::string what;  ///< "axis", "rank", "dtype", "kind", "value"
  std::string parameter;
  int64_t axis = -1;
  std::string symbol;
  std::string boundBy;
  std::string wanted;
  std::string given;
};
RX_DAP_TYPE(MisfitInfo, what, parameter, axis, symbol, boundBy, wanted, given)

/// Body of the event `rxs/progress`, sent some times a second while the program runs.
struct ProgressInfo {
  static constexpr const char* kEvent = "rxs/progress";
  int64_t steps = 0;         ///< recorded so far
  int64_t instruction = -1;  ///< under way
};
RX_DAP_TYPE(ProgressInfo, steps, instruction)

/// A storage that is alive at the step that is shown.
struct StorageInfo {
  int64_t id = 0;
  int64_t bytes = 0;
  int64_t step = -1;                   ///< that made it; -1 where it was there before the first that is kept
  int64_t instruction = -1;            ///< that the step ran
  std::vector<std::string> registers;  ///< "main %4 (lv2)"
};
RX_DAP_TYPE(StorageInfo, id, bytes, step, instruction, registers)

}  // namespace rx::dap
