#include "core/op/signature.h"

#include <charconv>

#include "core/ir/attrs.h"
#include "core/support/text_lines.h"

namespace rx::op {

namespace {

struct KindName {
  std::string_view name;
  ParamKind kind;
};
constexpr KindName kKinds[] = {
    {"expr", ParamKind::Expr},         {"shape", ParamKind::Shape},
    {"tuple", ParamKind::Tuple},       {"prims", ParamKind::Prims},
    {"prim", ParamKind::Prim},         {"strarg", ParamKind::StrArg},
    {"dtypearg", ParamKind::DTypeArg}, {"func", ParamKind::Func},
    {"int", ParamKind::Int},           {"float", ParamKind::Float},
    {"bool", ParamKind::Bool},         {"str", ParamKind::String},
    {"dtype", ParamKind::DType},       {"ints", ParamKind::Ints},
    {"floats", ParamKind::Floats},     {"prims_attr", ParamKind::PrimsAttr},
    {"attr", ParamKind::Attr},         {"sinfo", ParamKind::Sinfo},
    {"sinfos", ParamKind::Sinfos},
};

/// Splits at commas outside brackets.
std::vector<std::string_view> splitTop(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (std::string_view part = trimmed(text.substr(start, i - start)); !part.empty()) parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

NodeRef literal(std::string_view text, ParamKind kind) {
  if (text == "None") return ir::nullAttr();
  if (text == "True" || text == "False") return ir::boolAttr(text == "True");
  if (text.front() == '\'') {
    std::string_view inner = text.substr(1, text.size() - 2);
    if (kind == ParamKind::DType || kind == ParamKind::DTypeArg) return ir::typeAttr(*DataType::parse(inner));
    return ir::strAttr(inner);
  }
  if (text.front() == '[') {
    std::vector<NodeRef> items;
    for (std::string_view part : splitTop(text.substr(1, text.size() - 2))) items.push_back(literal(part, kind));
    return ir::arrayAttr(std::move(items));
  }
  if (kind == ParamKind::Float || kind == ParamKind::Floats || text.find_first_of(".e") != text.npos) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    RX_ASSERT(error == std::errc() && end == text.data() + text.size(), "default '{}' of a signature", text);
    return ir::floatAttr(value);
  }
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RX_ASSERT(error == std::errc() && end == text.data() + text.size(), "default '{}' of a signature", text);
  return ir::intAttr(value);
}

OpParam parseParam(std::string_view text) {
  OpParam param;
  if (text.front() == '*') {
    param.variadic = true;
    text.remove_prefix(1);
  }
  std::string_view value;
  if (size_t equals = text.find('='); equals != text.npos) {
    value = trimmed(text.substr(equals + 1));
    text = trimmed(text.substr(0, equals));
  }
  const size_t colon = text.find(':');
  RX_ASSERT(colon != text.npos, "parameter '{}' of a signature has no kind", text);
  std::string_view kind = trimmed(text.substr(colon + 1));
  param.name = trimmed(text.substr(0, colon));
  if (kind.ends_with('?')) {
    param.optional = true;
    kind.remove_suffix(1);
  }
  bool known = false;
  for (const KindName& row : kKinds) {
    if (row.name != kind) continue;
    param.kind = row.kind;
    known = true;
  }
  RX_ASSERT(known, "kind '{}' of a signature", kind);
  if (!value.empty()) param.fallback = literal(value, param.kind);
  return param;
}

}  // namespace

std::vector<OpParam> parseSignature(std::string_view text) {
  std::vector<OpParam> params;
  for (std::string_view part : splitTop(text)) params.push_back(parseParam(part));
  return params;
}

}  // namespace rx::op
