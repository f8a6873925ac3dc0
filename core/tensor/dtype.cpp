#include "core/tensor/dtype.h"

#include <fmt/format.h>

#include <charconv>

namespace rx {

namespace {

/// Types whose name does not follow from code and bits; the first name of a type is the one written.
struct NamedType {
  std::string_view name;
  TypeCode code;
  uint8_t bits;
};
constexpr NamedType kNamed[] = {
    {"void", TypeCode::Handle, 0},
    {"handle", TypeCode::Handle, 64},
    {"bool", TypeCode::Bool, 8},
    {"bfloat16", TypeCode::BFloat, 16},
    {"float8_e3m4", TypeCode::Float8E3M4, 8},
    {"float8_e4m3", TypeCode::Float8E4M3, 8},
    {"float8_e4m3b11fnuz", TypeCode::Float8E4M3B11FNUZ, 8},
    {"float8_e4m3fn", TypeCode::Float8E4M3FN, 8},
    {"float8_e4m3fnuz", TypeCode::Float8E4M3FNUZ, 8},
    {"float8_e5m2", TypeCode::Float8E5M2, 8},
    {"float8_e5m2fnuz", TypeCode::Float8E5M2FNUZ, 8},
    {"float8_e8m0fnu", TypeCode::Float8E8M0FNU, 8},
    {"float6_e2m3fn", TypeCode::Float6E2M3FN, 6},
    {"float6_e3m2fn", TypeCode::Float6E3M2FN, 6},
    {"float4_e2m1fn", TypeCode::Float4E2M1FN, 4},
    // Names of older eras (up to v0.19), read only.
    {"e4m3_float8", TypeCode::Float8E4M3FN, 8},
    {"e5m2_float8", TypeCode::Float8E5M2, 8},
    {"e2m1_float4", TypeCode::Float4E2M1FN, 4},
    {"boolean", TypeCode::Bool, 8},
};

struct Family {
  std::string_view prefix;
  TypeCode code;
};
constexpr Family kFamilies[] = {{"int", TypeCode::Int}, {"uint", TypeCode::UInt}, {"float", TypeCode::Float}};

/// Reads all of `text` as a positive number no larger than `limit`.
std::optional<int> number(std::string_view text, int limit) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0 || value > limit) return std::nullopt;
  return value;
}

std::optional<DataType> parseElement(std::string_view text) {
  for (const NamedType& row : kNamed) {
    if (row.name == text) return DataType{row.code, row.bits, 1};
  }
  for (const Family& family : kFamilies) {
    if (!text.starts_with(family.prefix)) continue;
    std::string_view digits = text.substr(family.prefix.size());
    if (digits.empty()) return DataType{family.code, 32, 1};
    if (std::optional<int> bits = number(digits, 128)) return DataType{family.code, static_cast<uint8_t>(*bits), 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<DataType> DataType::parse(std::string_view text) {
  if (text.empty()) return Void();
  if (std::optional<DataType> element = parseElement(text)) return element;
  size_t x = text.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  std::optional<int> lanes = number(text.substr(x + 1), 32767);
  std::string_view rest = text.substr(0, x);
  constexpr std::string_view kScalable = "xvscale";
  bool scalable = rest.ends_with(kScalable);
  if (scalable) rest.remove_suffix(kScalable.size());
  std::optional<DataType> element = parseElement(rest);
  if (!lanes || !element) return std::nullopt;
  return element->withLanes(static_cast<int16_t>(scalable ? -*lanes : *lanes));
}

std::string DataType::str() const {
  std::string name;
  for (const NamedType& row : kNamed) {
    if (row.code == code && row.bits == bits) {
      name = row.name;
      break;
    }
  }
  for (const Family& family : kFamilies) {
    if (name.empty() && family.code == code) name = fmt::format("{}{}", family.prefix, bits);
  }
  if (name.empty()) name = fmt::format("handle{}", bits);
  if (lanes == 1) return name;
  return lanes < 0 ? fmt::format("{}xvscalex{}", name, -lanes) : fmt::format("{}x{}", name, lanes);
}

namespace {
/// DLPack has one number that no kind of element here has, between these.
constexpr uint8_t kDlpackBool = 6;
constexpr auto kBool = static_cast<uint8_t>(TypeCode::Bool);
}  // namespace

uint8_t DataType::dlpackCode() const {
  const auto own = static_cast<uint8_t>(code);
  return own < kBool ? own : static_cast<uint8_t>(own + (kDlpackBool - kBool));
}

std::optional<TypeCode> DataType::codeOfDlpack(uint8_t number) {
  if (number >= kBool && number < kDlpackBool) return std::nullopt;
  const auto own = number < kBool ? number : static_cast<uint8_t>(number - (kDlpackBool - kBool));
  if (own > static_cast<uint8_t>(TypeCode::Float4E2M1FN)) return std::nullopt;
  return static_cast<TypeCode>(own);
}

}  // namespace rx
