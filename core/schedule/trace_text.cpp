// Traces as text in the form in which TVM prints them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/all_nodes.h"
#include "core/schedule/argument_names.h"
#include "core/schedule/primitives.h"
#include "core/script/print.h"

namespace rx::schedule {

namespace {

using Texts = std::vector<std::string>;

std::string asText(std::string_view text) { return script::printNode(*ir::strAttr(Str(text))); }

/// An argument as text; that of several loops is one a loop.
struct ArgumentWriter {
  const Trace& trace;

  std::string operator()(BlockRef block) const { return trace.nameOf(block); }
  std::string operator()(const LoopRef& loop) const { return trace.nameOf(loop); }
  std::string operator()(const std::vector<LoopRef>& loops) const {
    Texts names;
    for (const LoopRef& loop : loops) names.push_back(trace.nameOf(loop));
    return fmt::format("{}", fmt::join(names, ", "));
  }
  std::string operator()(int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(const std::vector<int64_t>& numbers) const {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
  }
  std::string operator()(bool flag) const { return flag ? "True" : "False"; }
  std::string operator()(const std::string& text) const { return asText(text); }
  std::string operator()(const Factors& factors) const {
    Texts texts;
    for (const auto& extent : factors.extents) {
      const auto number = extent ? tir::asInt(extent) : std::nullopt;
      texts.push_back(!extent ? "None" : number ? fmt::format("{}", *number) : script::printPrimExpr(extent));
    }
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const NodeRef& value) const { return script::printNode(*value); }
  std::string operator()(BufferOf buffer) const {
    return fmt::format("(\"{}\", {})", buffer.access == Access::Read ? "read" : "write", buffer.index);
  }
  std::string operator()(const Ref<tir::IndexMap>& map) const {
    // Printed on its own it is T.index_map(...) around the lambda.
    const std::string text = script::printNode(*map);
    const size_t lambda = text.find("lambda");
    return text.substr(lambda, text.rfind(')') - lambda);
  }
};

}  // namespace

std::string instructionText(const Trace& trace, const Instruction& instruction, std::string_view kernel) {
  const PrimitiveRow& row = rowOf(instruction.primitive);
  Texts results, arguments;
  for (const Argument& result : instruction.results) results.push_back(trace.nameOf(result));
  size_t next = 0;
  for (const ArgumentName& name : argumentNames(row)) {
    if (name.isFixed()) {
      arguments.push_back(
          fmt::format("{}={}", name.name, name.value == "@" ? asText(kernel) : std::string(name.value)));
      continue;
    }
    const std::string text = std::visit(ArgumentWriter{trace}, instruction.arguments[next++]);
    arguments.push_back(name.spread ? text : fmt::format("{}={}", name.name, text));
  }
  return fmt::format("{}{}sch.{}({})", fmt::join(results, ", "), results.empty() ? "" : " = ", row.name,
                     fmt::join(arguments, ", "));
}

std::string traceLines(const Trace& trace, std::string_view kernel, std::string_view indent) {
  std::string text;
  for (const Instruction& instruction : trace.instructions()) {
    text += fmt::format("{}{}\n", indent, instructionText(trace, instruction, kernel));
  }
  return text;
}

}  // namespace rx::schedule
