// Whether this processor can run the kernels of the package: asked before the first of them is called.
#include <cstddef>

#include "core/export/runtime/session.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace rx::package {

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

/// Asks the processor for each leaf once: under a hypervisor every cpuid takes microseconds.
class Processor {
 public:
  bool has(std::string_view name) {
#define RXS_X86(feature, leaf, subleaf, reg, bit, state) \
  if (name == feature) return holds(leaf, subleaf, &Registers::reg, bit) && (keptState() & (state)) == (state);
#define RXS_ARM(feature, word, bits)
#include "core/export/runtime/rxs_features.def"
    return false;
  }

 private:
  const Registers& ask(uint32_t leaf, uint32_t subleaf) {
    for (const Leaf& known : leaves_) {
      if (known.leaf == leaf && known.subleaf == subleaf) return known.said;
    }
    Registers said;
    __cpuid_count(leaf, subleaf, said.a, said.b, said.c, said.d);
    return leaves_.emplace_back(Leaf{leaf, subleaf, said}).said;
  }

  /// The first leaf of each range says which is its last.
  bool holds(uint32_t leaf, uint32_t subleaf, uint32_t Registers::*word, int bit) {
    const uint32_t last = ask(leaf & 0x80000000, 0).a;
    return leaf <= last && ((ask(leaf, subleaf).*word >> bit) & 1) != 0;
  }

  /// The registers that the operating system keeps for each thread.
  uint64_t keptState() {
    if (!holds(1, 0, &Registers::c, 27)) return 0;
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<uint64_t>(high) << 32 | low;
  }

  std::vector<Leaf> leaves_;
};

#elif defined(__aarch64__)

class Processor {
 public:
  bool has(std::string_view name) {
#define RXS_X86(feature, leaf, subleaf, reg, bit, state)
#define RXS_ARM(feature, word, bits) \
  if (name == feature) return (getauxval(word) & (bits)) == (bits);
#include "core/export/runtime/rxs_features.def"
    return false;
  }
};

#endif

}  // namespace

Result<Unit> checkProcessor(std::string_view needed) {
  Processor processor;
  while (!needed.empty()) {
    const std::string_view name = needed.substr(0, needed.find(' '));
    needed.remove_prefix(std::min(needed.size(), name.size() + 1));
    if (name.empty() || processor.has(name)) continue;
    return fail("package.processor",
                fmt::format("this package needs {}, which the processor of this machine does not have", name));
  }
  return Unit{};
}

}  // namespace rx::package
