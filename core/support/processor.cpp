#include "core/support/processor.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>

/// What the GNU C library keeps of a leaf of cpuid: the registers, and those of their bits that it lets programs use.
struct cpuid_feature {
  uint32_t said[4];
  uint32_t usable[4];
};
/// Of the GNU C library from 2.33 on, null in others. All zeros where it keeps no leaf of this number.
extern "C" [[gnu::weak]] const cpuid_feature* __x86_get_cpuid_feature_leaf(unsigned number);
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace rx {

namespace {

#if defined(__x86_64__)

struct Registers {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

/// What cpuid says of a leaf.
struct Leaf {
  uint32_t leaf, subleaf;
  Registers said;
};

/// A leaf that the C library keeps, and its number there.
struct KeptLeaf {
  uint32_t leaf, subleaf;
  unsigned number;
};
constexpr KeptLeaf kKeptLeaves[] = {{1, 0, 0}, {7, 0, 1}, {0x80000001, 0, 2}, {7, 1, 6}};

/// arch_prctl, of which the C library has no function: which registers the system can give, and that a process wants
/// one.
constexpr int64_t kWhichThereAre = 0x1021, kAskFor = 0x1023;
constexpr int64_t kTileData = 18;  ///< their number
int64_t permission(int64_t what, int64_t argument) {
  constexpr int64_t kArchPrctl = 158;
  int64_t result = kArchPrctl;
  __asm__ volatile("syscall" : "+a"(result) : "D"(what), "S"(argument) : "rcx", "r11", "memory");
  return result;
}

/// Under a hypervisor every cpuid takes microseconds: what the C library has asked for is not asked again, and any
/// other leaf once.
class Processor {
 public:
  bool has(std::string_view name) {
#define RX_X86(feature, leaf, subleaf, reg, bit, state) \
  if (name == feature) return holds(leaf, subleaf, &Registers::reg, bit) && keeps(state);
#define RX_ARM(feature, word, bits)
#include "core/support/processor_features.def"
    return false;
  }

 private:
  const Registers& ask(uint32_t leaf, uint32_t subleaf) {
    for (const Leaf& known : leaves_) {
      if (known.leaf == leaf && known.subleaf == subleaf) return known.said;
    }
    Registers said;
    if (const cpuid_feature* kept = keptLeaf(leaf, subleaf)) {
      said = {kept->said[0], kept->said[1], kept->said[2], kept->said[3]};
    } else {
      __cpuid_count(leaf, subleaf, said.a, said.b, said.c, said.d);
    }
    return leaves_.emplace_back(Leaf{leaf, subleaf, said}).said;
  }

  /// Null where it is none, or has nothing in it.
  static const cpuid_feature* keptLeaf(uint32_t leaf, uint32_t subleaf) {
    if (!__x86_get_cpuid_feature_leaf) return nullptr;
    for (const KeptLeaf& row : kKeptLeaves) {
      if (row.leaf != leaf || row.subleaf != subleaf) continue;
      const cpuid_feature* kept = __x86_get_cpuid_feature_leaf(row.number);
      return (kept->said[0] | kept->said[1] | kept->said[2] | kept->said[3]) != 0 ? kept : nullptr;
    }
    return nullptr;
  }

  /// The first leaf of each range says which is its last.
  bool holds(uint32_t leaf, uint32_t subleaf, uint32_t Registers::*word, int bit) {
    const bool isThere = keptLeaf(leaf, subleaf) || leaf <= ask(leaf & 0x80000000, 0).a;
    return isThere && ((ask(leaf, subleaf).*word >> bit) & 1) != 0;
  }

  /// The registers that the operating system keeps for each thread.
  uint64_t keptState() {
    if (!holds(1, 0, &Registers::c, 27)) return 0;
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<uint64_t>(high) << 32 | low;
  }

  /// Whether it keeps these; of tiles, whether a process can ask for them too.
  bool keeps(uint64_t state) {
    if ((keptState() & state) != state) return false;
    constexpr uint64_t kTiles = uint64_t{1} << kTileData;
    if ((state & kTiles) == 0) return true;
    uint64_t there = 0;
    return permission(kWhichThereAre, reinterpret_cast<int64_t>(&there)) == 0 && (there & kTiles) != 0;
  }

  std::vector<Leaf> leaves_;
};

#elif defined(__aarch64__)

class Processor {
 public:
  bool has(std::string_view name) {
#define RX_X86(feature, leaf, subleaf, reg, bit, state)
#define RX_ARM(feature, word, bits) \
  if (name == feature) return (getauxval(word) & (bits)) == (bits);
#include "core/support/processor_features.def"
    return false;
  }
};

#endif

}  // namespace

bool mayUseTiles() {
#if defined(__x86_64__)
  enum Answer : int { Unknown, Yes, No };
  static std::atomic<int> answer = Unknown;
  if (answer == Unknown) answer = permission(kAskFor, kTileData) == 0 ? Yes : No;
  return answer == Yes;
#else
  return false;
#endif
}

std::string_view missingFeature(std::string_view features) {
  Processor processor;
  while (!features.empty()) {
    const std::string_view name = features.substr(0, features.find(' '));
    features.remove_prefix(std::min(features.size(), name.size() + 1));
    if (!name.empty() && !processor.has(name)) return name;
  }
  return {};
}

}  // namespace rx
