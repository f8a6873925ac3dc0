// Intrinsics of tensor cores that take a pointer and, after it, an offset in
// elements.
#pragma once

#include <array>
#include <string_view>

namespace rx::lower {

struct PointerCall {
  std::string_view name;
  std::array<int, 3> pointers;  ///< indices of arguments; -1 for none
};
constexpr PointerCall kPointerCalls[] = {
    {"ptx_ldmatrix", {3, -1, -1}},  {"ptx_ldmatrix_legacy", {3, -1, -1}}, {"ptx_mma", {6, 8, 10}},
    {"ptx_mma_legacy", {6, 8, 10}}, {"mma_store", {3, -1, -1}},           {"mma_store_legacy", {3, -1, -1}},
    {"mma_fill", {1, -1, -1}},      {"mma_fill_legacy", {1, -1, -1}},     {"rx_wgmma", {4, 8, 13}},
};

}  // namespace rx::lower
