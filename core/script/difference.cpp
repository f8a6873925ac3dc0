#include "core/script/difference.h"

#include "core/script/print.h"

namespace rx::script {

namespace {
constexpr size_t kLongest = 400;

std::string shown(const NodeRef& node, const std::string& plain) {
  if (!plain.empty()) return plain;
  if (!node) return "nothing";
  std::string text = print(node).text;
  if (text.size() > kLongest) {
    text.resize(kLongest);
    text += "...";
  }
  return text;
}
/// The only function, its global symbol renamed when it is its own name; null for a module of several.
NodeRef onItsOwn(const ParsedUnit& unit) {
  if (!unit.module || unit.module->size() != 1) return nullptr;
  const ir::BaseFunc& function = unit.module->functions[0];
  const auto* symbol = as<ir::StrAttr>(ir::attrOf(function->attrs, "global_symbol"));
  if (!symbol || !(symbol->value == unit.module->vars[0]->name)) return function;
  auto renamed = [&](auto* copy) {
    copy->attrs = ir::withAttr(copy->attrs, "global_symbol", ir::strAttr("main"));
    return NodeRef(copy);
  };
  if (const auto* f = as<relax::Function>(function)) return renamed(new relax::Function(*f));
  if (const auto* f = as<tir::PrimFunc>(function)) return renamed(new tir::PrimFunc(*f));
  return function;
}

}  // namespace

std::optional<Difference> firstDifference(const ParsedUnit& lhs, const ParsedUnit& rhs, FreeVars freeVars) {
  const NodeRef left = onItsOwn(lhs), right = onItsOwn(rhs);
  if (left && right && !(lhs.isModule && rhs.isModule)) return rx::firstDifference(left, right, freeVars);
  return rx::firstDifference(lhs.module, rhs.module, freeVars);
}

std::string differenceText(const Difference& difference) {
  const std::string where = difference.path.empty() ? "the whole" : difference.path;
  return where + ":\n  left:  " + shown(difference.lhs, difference.lhsText) +
         "\n  right: " + shown(difference.rhs, difference.rhsText);
}

}  // namespace rx::script
