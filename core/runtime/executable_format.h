// What the file of an executable is made of: TVM's layout (magic, globals, memory scopes, constants, code), then
// sections of ours, which TVM's reader does not look at.
#pragma once

#include <cstdint>
#include <string_view>

namespace rx::vm {

constexpr uint64_t kExecutableV1 = 0xD225DE2F4214151DULL;
constexpr uint64_t kExecutableV2 = 0xD225DE2F4214151EULL;
constexpr std::string_view kExecutableVersion = "0.14";
/// "RxDebg02": names of variables and places, in binary.
constexpr uint64_t kDebugSection = 0x3230676265447852ULL;
/// "RxOrig02": text that core/vm reads.
constexpr uint64_t kOriginSection = 0x3230676972447852ULL;

/// How the kinds of constants are numbered today; older files are known to the reader.
enum ConstantTag : int32_t {
  kTagInt = 1,
  kTagFloat = 3,
  kTagType = 5,
  kTagString = 65,
  kTagShape = 69,
  kTagTensor = 70,
};

}  // namespace rx::vm
