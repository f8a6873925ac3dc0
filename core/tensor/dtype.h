// DataType: scalar and vector element types, with TVM's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rx {

/// Kind of an element. Float8 and smaller formats have a code each, named as TVM names them.
enum class TypeCode : uint8_t {
  Int,
  UInt,
  Float,
  Handle,  ///< pointer; 0 bits is void, the "unknown" element type of a Relax tensor
  BFloat,
  Bool,
  Float8E3M4,
  Float8E4M3,
  Float8E4M3B11FNUZ,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  Float6E2M3FN,
  Float6E3M2FN,
  Float4E2M1FN,
};

/// Element type with vector lanes (4 bytes). lanes < -1 means a scalable vector of -lanes x vscale elements.
struct DataType {
  TypeCode code = TypeCode::Handle;
  uint8_t bits = 0;
  int16_t lanes = 1;

  static constexpr DataType Int(uint8_t bits, int16_t lanes = 1) { return {TypeCode::Int, bits, lanes}; }
  static constexpr DataType UInt(uint8_t bits, int16_t lanes = 1) { return {TypeCode::UInt, bits, lanes}; }
  static constexpr DataType Float(uint8_t bits, int16_t lanes = 1) { return {TypeCode::Float, bits, lanes}; }
  static constexpr DataType Bool(int16_t lanes = 1) { return {TypeCode::Bool, 8, lanes}; }
  static constexpr DataType Handle() { return {TypeCode::Handle, 64, 1}; }
  static constexpr DataType Void() { return {TypeCode::Handle, 0, 1}; }
  static constexpr DataType BFloat16() { return {TypeCode::BFloat, 16, 1}; }

  /// Reads a name such as "float32", "int8x4", "float8_e4m3fn", "bool", "handle", "void"; older names
  /// ("e4m3_float8") are understood. Empty text is void. Nothing when it names no type.
  static std::optional<DataType> parse(std::string_view text);
  std::string str() const;

  bool isVoid() const { return code == TypeCode::Handle && bits == 0; }
  bool isInt() const { return code == TypeCode::Int; }
  bool isUInt() const { return code == TypeCode::UInt; }
  bool isBool() const { return code == TypeCode::Bool; }
  bool isHandle() const { return code == TypeCode::Handle && bits != 0; }
  /// Any binary floating-point format, bfloat16 and the small ones included.
  bool isFloat() const { return code == TypeCode::Float || code == TypeCode::BFloat || code >= TypeCode::Float8E3M4; }
  bool isScalar() const { return lanes == 1; }
  /// Integers, unsigned integers and bool.
  bool isIntegral() const { return isInt() || isUInt() || isBool(); }
  DataType withLanes(int16_t n) const { return {code, bits, n}; }
  DataType element() const { return withLanes(1); }
  /// Number of the type code in the DLPack standard, with TVM's numbers for the small float formats.
  uint8_t dlpackCode() const;
  /// The kind of element that a number of the DLPack standard stands for; nothing when it has none here.
  static std::optional<TypeCode> codeOfDlpack(uint8_t number);
  /// Bytes of one value with all its lanes, sub-byte elements rounded up (fixed lanes only).
  int64_t bytes() const { return (int64_t{bits} * (lanes < 0 ? -lanes : lanes) + 7) / 8; }
  bool operator==(const DataType&) const = default;
};

}  // namespace rx
