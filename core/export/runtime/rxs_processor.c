/* Whether this processor can run the kernels of the package: asked before the first of them is called. */
#include <string.h>

#include "rxs_internal.h"

#if defined(__x86_64__)

#include <cpuid.h>

typedef struct {
  uint32_t a, b, c, d;
} registers;

static int in_cpuid(uint32_t leaf, uint32_t subleaf, size_t offset, int bit) {
  registers r = {0, 0, 0, 0};
  if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d)) return 0;
  uint32_t word;
  memcpy(&word, (const char*)&r + offset, sizeof word);
  return (word >> bit) & 1;
}

/* The registers that the operating system keeps for each thread. */
static uint64_t kept_state(void) {
  if (!in_cpuid(1, 0, offsetof(registers, c), 27)) return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static int has(const char* name, size_t length) {
#define RXS_X86(feature, leaf, subleaf, reg, bit, state)                      \
  if (length == sizeof feature - 1 && !memcmp(name, feature, length))         \
    return in_cpuid(leaf, subleaf, offsetof(registers, reg), bit) && (kept_state() & (state)) == (state);
#define RXS_ARM(feature, word, bits)
#include "rxs_features.def"
  return 0;
}

#elif defined(__aarch64__)

#include <sys/auxv.h>

static int has(const char* name, size_t length) {
#define RXS_X86(feature, leaf, subleaf, reg, bit, state)
#define RXS_ARM(feature, word, bits) \
  if (length == sizeof feature - 1 && !memcmp(name, feature, length)) return (getauxval(word) & (bits)) == (bits);
#include "rxs_features.def"
  return 0;
}

#endif

void rxs_check_processor(rxs_session* s) {
  const char* at = (const char*)rxs_needed_features;
  const char* end = at + rxs_needed_features_size;
  while (at < end) {
    const char* space = memchr(at, ' ', (size_t)(end - at));
    size_t length = (size_t)((space ? space : end) - at);
    if (length && !has(at, length))
      rxs_fail(s, "this package needs %.*s, which the processor of this machine does not have", (int)length, at);
    at += length + 1;
  }
}
