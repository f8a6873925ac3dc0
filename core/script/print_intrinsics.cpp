// How intrinsics read: their text names, and whether their type is written as an argument.
#include <algorithm>
#include <iterator>

#include "core/script/printer.h"

namespace rx::script {

namespace {
struct Renamed {
  std::string_view op, text;
};
constexpr Renamed kRenamed[] = {{"tvm_call_packed", "call_packed"},
                                {"tvm_call_cpacked", "call_cpacked"},
                                {"tvm_call_packed_lowered", "call_packed_lowered"},
                                {"tvm_call_cpacked_lowered", "call_cpacked_lowered"}};

/// Intrinsics whose result type is the first argument of their text; sorted.
constexpr std::string_view kTypeFirst[] = {"call_extern",
                                           "call_llvm_intrin",
                                           "call_llvm_pure_intrin",
                                           "call_pure_extern",
                                           "call_spirv_pure_glsl450",
                                           "get_active_lane_mask",
                                           "mma_fill",
                                           "mma_store",
                                           "ptx_cp_async",
                                           "ptx_cp_async_bulk",
                                           "ptx_ldmatrix",
                                           "ptx_mma",
                                           "ptx_mma_sp",
                                           "reinterpret",
                                           "texture2d_load",
                                           "texture2d_store",
                                           "vectorcombine",
                                           "vectorhigh",
                                           "vectorlow"};
constexpr std::string_view kTypeLast[] = {"tvm_struct_get"};
}  // namespace

std::string_view intrinsicText(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot != std::string_view::npos && (name.starts_with("tir") || name.starts_with("relax"))) {
    name = name.substr(dot + 1);
  }
  for (const Renamed& row : kRenamed) {
    if (row.op == name) return row.text;
  }
  return name;
}

DtypePlace intrinsicDtypePlace(std::string_view name) {
  name = intrinsicText(name);
  if (std::find(std::begin(kTypeFirst), std::end(kTypeFirst), name) != std::end(kTypeFirst)) return DtypePlace::First;
  if (std::find(std::begin(kTypeLast), std::end(kTypeLast), name) != std::end(kTypeLast)) return DtypePlace::Last;
  return DtypePlace::None;
}

}  // namespace rx::script
