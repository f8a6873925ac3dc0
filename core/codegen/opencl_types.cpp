// Types of OpenCL C, constants, and the functions that a text needs.
#include <fmt/format.h>

#include <cmath>

#include "core/codegen/opencl_emitter.h"
#include "core/tensor/element.h"

namespace rx::codegen {
namespace {

struct HelperRow {
  std::string_view key, needs, text;
};
constexpr HelperRow kHelpers[] = {
#define RX_CL_HELPER(key, needs, text) {#key, needs, text},
#include "core/codegen/opencl_helpers.def"
#undef RX_CL_HELPER
};

std::string withTypes(std::string_view text, std::string_view type, std::string_view unsignedType) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool marked = text[i] == '$' && i + 1 < text.size();
    if (!marked) {
      made += text[i];
      continue;
    }
    made += text[++i] == 'T' ? type : unsignedType;
  }
  return made;
}

/// The functions that convert between a small float and its bits, with the numbers of its format.
void smallFloat(HelperTexts& helpers, const std::string& name, const std::string& memory, const FloatFormat& format) {
  const std::string numbers = fmt::format("{}, {}, {}, {}, {}", format.exponentBits, format.mantissaBits, format.bias,
                                          static_cast<int>(format.special), format.hasSign ? 1 : 0);
  helperFor(helpers, "decode");
  helperFor(helpers, "encode");
  helpers.emplace("rx_from_" + name,
                  fmt::format("float rx_from_{}({} bits) {{ return rx_decode(bits, {}); }}", name, memory, numbers));
  helpers.emplace("rx_to_" + name, fmt::format("{1} rx_to_{0}(float value) {{ return ({1})rx_encode(value, {2}); }}",
                                               name, memory, numbers));
}

/// What every driver has for half precision, whatever it computes with.
void half(HelperTexts& helpers) {
  helpers.emplace("rx_from_float16",
                  "float rx_from_float16(ushort bits) { return vload_half(0, (const private half*)&bits); }");
  helpers.emplace("rx_to_float16",
                  "ushort rx_to_float16(float value) {\n"
                  "  ushort bits;\n"
                  "  vstore_half_rte(value, 0, (private half*)&bits);\n"
                  "  return bits;\n"
                  "}");
}

}  // namespace

std::optional<ClType> clTypeOf(DataType dtype) {
  const int bits = dtype.bits;
  if (dtype.isBool()) return ClType{"uchar", "bool", {}};
  if (dtype.isIntegral()) {
    const char* const name = bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : bits == 64 ? "long" : "";
    if (!*name) return std::nullopt;
    const std::string made = (dtype.isInt() ? "" : "u") + std::string(name);
    return ClType{made, made, {}};
  }
  if (dtype.code == TypeCode::Float && bits == 32) return ClType{"float", "float", {}};
  if (dtype.code == TypeCode::Float && bits == 64) return ClType{"double", "double", {}};
  const FloatFormat* format = smallFloatFormat(dtype.element());
  if (!format || (bits != 8 && bits != 16)) return std::nullopt;
  return ClType{bits == 16 ? "ushort" : "uchar", "float", dtype.element().str()};
}

std::string helperFor(HelperTexts& helpers, std::string_view key, std::string_view type,
                      std::string_view unsignedType) {
  for (const HelperRow& row : kHelpers) {
    if (row.key != key) continue;
    const bool typed = row.text.find("$T") != std::string_view::npos;
    std::string name = "rx_" + std::string(key);
    if (typed) name += "_" + std::string(type);
    if (helpers.contains(name)) return name;
    helpers.emplace(name, withTypes(row.text, type, unsignedType));
    for (size_t at = 0; at < row.needs.size();) {
      const size_t end = std::min(row.needs.find(' ', at), row.needs.size());
      helperFor(helpers, row.needs.substr(at, end - at), type, unsignedType);
      at = end + 1;
    }
    return name;
  }
  RX_ASSERT(false, "there is no helper {}", key);
  return {};
}

std::string OpenClEmitter::helper(std::string_view key, DataType dtype) {
  DataType plain = dtype.element();
  const std::string of = held(plain);
  plain.code = TypeCode::UInt;
  const std::string unsignedOf = dtype.isFloat() ? of : held(plain);
  return helperFor(helpers_, key, of, unsignedOf);
}

std::optional<ClType> OpenClEmitter::type(DataType dtype, Span span) {
  auto made = clTypeOf(dtype);
  if (!made) {
    refuse(span, fmt::format("OpenCL C has no type for {}", dtype.str()));
    return std::nullopt;
  }
  if (made->small == "float16") {
    half(helpers_);
  } else if (!made->small.empty()) {
    smallFloat(helpers_, made->small, made->memory, *smallFloatFormat(dtype.element()));
  }
  return made;
}

std::string OpenClEmitter::held(DataType dtype) {
  const auto made = type(dtype);
  return made ? made->held : "int";
}

std::string clNumber(DataType dtype, int64_t value) {
  if (dtype.isBool()) return value ? "true" : "false";
  if (dtype.isInt() && dtype.bits == 64 && value == INT64_MIN) return "LONG_MIN";
  if (dtype.isInt() && dtype.bits == 32 && value == INT32_MIN) return "INT_MIN";
  if (dtype.isInt()) return std::to_string(value) + (dtype.bits == 64 ? "l" : "");
  return std::to_string(static_cast<uint64_t>(value)) + (dtype.bits == 64 ? "ul" : "u");
}

std::string clNumber(DataType dtype, double value) {
  const bool wide = dtype.code == TypeCode::Float && dtype.bits == 64;
  if (const FloatFormat* format = smallFloatFormat(dtype.element())) {
    value = decodeFloat(*format, encodeFloat(*format, value));
  }
  if (std::isnan(value)) return wide ? "(double)NAN" : "NAN";
  if (!wide) value = static_cast<float>(value);
  if (std::isinf(value)) return fmt::format("{}{}", value < 0 ? "-" : "", wide ? "(double)INFINITY" : "INFINITY");
  std::string made = wide ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (made.find_first_of(".e") == std::string::npos) made += ".0";
  return wide ? made : made + "f";
}

}  // namespace rx::codegen
