// The element types of the safetensors format.
#pragma once

#include "core/tensor/dtype.h"

namespace rx {

struct SafetensorsType {
  const char* name;
  DataType dtype;
};
inline constexpr SafetensorsType kSafetensorsTypes[] = {
    {"BOOL", DataType::Bool()},
    {"U8", DataType::UInt(8)},
    {"I8", DataType::Int(8)},
    {"U16", DataType::UInt(16)},
    {"I16", DataType::Int(16)},
    {"U32", DataType::UInt(32)},
    {"I32", DataType::Int(32)},
    {"U64", DataType::UInt(64)},
    {"I64", DataType::Int(64)},
    {"F16", DataType::Float(16)},
    {"BF16", DataType::BFloat16()},
    {"F32", DataType::Float(32)},
    {"F64", DataType::Float(64)},
    {"F8_E4M3", {TypeCode::Float8E4M3FN, 8, 1}},
    {"F8_E5M2", {TypeCode::Float8E5M2, 8, 1}},
    {"F8_E8M0", {TypeCode::Float8E8M0FNU, 8, 1}},
};

}  // namespace rx
