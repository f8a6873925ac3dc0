// Shapes of DAP 1.71 that more than one request uses, with DAP's own field names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dap/decode.h"

namespace rx::dap {

/// Where text comes from: a file, or text that the engine holds (`sourceReference` > 0).
struct Source {
  std::optional<std::string> name;
  std::optional<std::string> path;
  std::optional<int64_t> sourceReference;
};
RX_DAP_TYPE(Source, name, path, sourceReference)

struct SourceBreakpoint {
  int64_t line = 0;
  std::optional<std::string> condition;
  std::optional<std::string> hitCondition;
  std::optional<std::string> logMessage;
};
RX_DAP_TYPE(SourceBreakpoint, line, condition, hitCondition, logMessage)

struct FunctionBreakpoint {
  std::string name;
  std::optional<std::string> condition;
  std::optional<std::string> hitCondition;
};
RX_DAP_TYPE(FunctionBreakpoint, name, condition, hitCondition)

struct InstructionBreakpoint {
  std::string instructionReference;
  std::optional<int64_t> offset;
  std::optional<std::string> condition;
  std::optional<std::string> hitCondition;
};
RX_DAP_TYPE(InstructionBreakpoint, instructionReference, offset, condition, hitCondition)

struct DataBreakpoint {
  std::string dataId;
  std::optional<std::string> accessType;
  std::optional<std::string> condition;
  std::optional<std::string> hitCondition;
};
RX_DAP_TYPE(DataBreakpoint, dataId, accessType, condition, hitCondition)

/// The engine's answer to any kind of breakpoint.
struct Breakpoint {
  int64_t id = 0;
  bool verified = false;
  std::optional<std::string> message;
  std::optional<Source> source;
  std::optional<int64_t> line;
  std::optional<std::string> instructionReference;
};
RX_DAP_TYPE(Breakpoint, id, verified, message, source, line, instructionReference)

struct StackFrame {
  int64_t id = 0;
  std::string name;
  std::optional<Source> source;
  int64_t line = 0;
  int64_t column = 0;
  std::optional<std::string> instructionPointerReference;
};
RX_DAP_TYPE(StackFrame, id, name, source, line, column, instructionPointerReference)

struct Scope {
  std::string name;
  std::optional<std::string> presentationHint;
  int64_t variablesReference = 0;
  std::optional<int64_t> namedVariables;
  std::optional<int64_t> indexedVariables;
  bool expensive = false;
};
RX_DAP_TYPE(Scope, name, presentationHint, variablesReference, namedVariables, indexedVariables, expensive)

struct Variable {
  std::string name;
  std::string value;
  std::optional<std::string> type;
  std::optional<std::string> evaluateName;
  int64_t variablesReference = 0;
  std::optional<int64_t> indexedVariables;
  std::optional<int64_t> namedVariables;
  std::optional<std::string> memoryReference;
  std::optional<int64_t> declarationLocationReference;
};
RX_DAP_TYPE(Variable, name, value, type, evaluateName, variablesReference, indexedVariables, namedVariables,
            memoryReference, declarationLocationReference)

struct DisassembledInstruction {
  std::string address;
  std::string instruction;
  std::optional<std::string> symbol;
  std::optional<Source> location;
  std::optional<int64_t> line;
  std::optional<std::string> presentationHint;
};
RX_DAP_TYPE(DisassembledInstruction, address, instruction, symbol, location, line, presentationHint)

}  // namespace rx::dap
