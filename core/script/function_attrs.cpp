#include "core/script/function_attrs.h"

#include <algorithm>
#include <string>

namespace rx::script {

namespace {
constexpr std::string_view kOld = "tir.", kNew = "tirx.";
/// What FuseOps says of the functions that it makes.
constexpr std::string_view kFlags[] = {"Primitive"};

Str renamed(const Str& key, std::string_view from, std::string_view to) {
  if (!key.view().starts_with(from)) return key;
  return Str(std::string(to).append(key.view().substr(from.size())));
}
}  // namespace

std::pair<Str, NodeRef> attributeSinceV024(Str key, NodeRef value) {
  const auto* number = as<ir::IntAttr>(value);
  if (number && number->value == 1 && std::ranges::find(kFlags, key.view()) != std::end(kFlags))
    value = ir::boolAttr(true);
  return {renamed(key, kOld, kNew), std::move(value)};
}

Str nameBeforeV024(Str key) { return renamed(key, kNew, kOld); }

}  // namespace rx::script
