#include "core/script/parse_attribute.h"

#include <fmt/format.h>

#include "core/script/parse.h"

namespace rx::script {

/// Read where a text may have one: as an attribute of a function.
Result<NodeRef> parseAttribute(std::string_view text) {
  const std::string unit = fmt::format(
      "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef main():\n"
      "    T.func_attr({{\"value\": (\n{}\n)}})\n    T.evaluate(0)\n",
      text);
  auto module = parseModule(make<SourceFile>("", unit));
  if (!module) {
    std::vector<Diagnostic> said = module.diagnostics();
    for (Diagnostic& each : said) {
      each.span = {};
      each.notes.clear();
    }
    return fail(std::move(said));
  }
  const NodeRef value = (*module)->size() == 1 ? ir::attrOf((*module)->functions[0]->attrs, "value") : nullptr;
  if (!value) return fail("script.argument", "this is no value of an attribute");
  return value;
}

}  // namespace rx::script
