#include "core/profile/measure.h"

#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <vector>

#include "core/support/memory_limit.h"
#include "core/support/thread_pool.h"

namespace rx::profile {

namespace {

// The loops below are one template for every width; the compiler makes vector code of it inside of functions for that
// processor (and warns of nothing, since no vector is an argument).
template <int Bytes>
struct Vector {
  using Type [[gnu::vector_size(Bytes)]] = float;
};

/// Chains beside each other, enough to hide what a step of one takes.
constexpr int kSums = 12;

/// Multiplies and adds in registers. Returns a value that depends on all of them.
template <int Bytes>
[[gnu::always_inline]] inline float multiplyAdd(int64_t rounds) {
  using V = typename Vector<Bytes>::Type;
  V sums[kSums] = {};
  // A fixed point: the numbers stay ordinary ones.
  const V factor = V{} + 0.999F, term = V{} + 0.001F;
  for (int64_t round = 0; round < rounds; ++round) {
    for (V& sum : sums) sum = sum * factor + term;
  }
  V all = {};
  for (const V& sum : sums) all += sum;
  return all[0];
}
template <int Bytes>
constexpr double kFlopsARound = kSums * 2.0 * Bytes / sizeof(float);

/// Multiplies and adds whole numbers of 16 bits, in which what has no instruction for products of bytes makes these.
template <int Bytes>
[[gnu::always_inline]] inline float multiplyIntegers(int64_t rounds) {
  typedef int16_t V [[gnu::vector_size(Bytes)]];
  V sums[kSums] = {};
  V factor = V{} + int16_t{3};
  factor[0] = static_cast<int16_t>(rounds);  // a product with a number that is known is made of something else
  for (int64_t round = 0; round < rounds; ++round) {
    for (V& sum : sums) sum = sum * factor + factor;
  }
  V all = {};
  for (const V& sum : sums) all += sum;
  return all[0];
}
template <int Bytes>
constexpr double kWordOpsARound = kSums * 2.0 * Bytes / sizeof(int16_t);

/// Adds up memory, in so many streams beside each other: what a processor fetches ahead by itself it fetches for each.
template <int Bytes, size_t Streams>
[[gnu::always_inline]] inline float sumOf(const float* data, size_t count) {
  using V = typename Vector<Bytes>::Type;
  constexpr size_t kLanes = Bytes / sizeof(float), kChains = 8, kTogether = kLanes * kChains / Streams;
  V sums[kChains] = {};
  const size_t each = count / Streams / kTogether * kTogether;
  for (size_t i = 0; i + kTogether <= each; i += kTogether) {
    for (size_t chain = 0; chain < kChains; ++chain) {
      const size_t stream = chain % Streams, place = chain / Streams * kLanes;
      sums[chain] += *reinterpret_cast<const V*>(data + stream * each + i + place);
    }
  }
  V all = {};
  for (const V& sum : sums) all += sum;
  float total = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) total += all[lane];
  return total;
}

using Read = float (*)(const float* data, size_t count);

/// The loops for one kind of processor.
struct Loops {
  int bits;
  double flopsARound;
  float (*compute)(int64_t rounds);
  double integersARound;
  float (*integers)(int64_t rounds);
  Read read[2];  ///< in one stream, and in several
};

float compute16(int64_t rounds) { return multiplyAdd<16>(rounds); }
float integers16(int64_t rounds) { return multiplyIntegers<16>(rounds); }
template <size_t Streams>
float read16(const float* data, size_t count) {
  return sumOf<16, Streams>(data, count);
}
#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float compute32(int64_t rounds) { return multiplyAdd<32>(rounds); }
[[gnu::target("avx2")]] float integers32(int64_t rounds) { return multiplyIntegers<32>(rounds); }
[[gnu::target("avx512bw")]] float integers64(int64_t rounds) { return multiplyIntegers<64>(rounds); }
/// Four products of bytes in each word, added up by one instruction.
[[gnu::target("avx512f,avx512vnni")]] float dots64(int64_t rounds) {
  __m512i sums[kSums] = {};
  __m512i factor = _mm512_set1_epi8(3);
  for (int64_t round = 0; round < rounds; ++round) {
    asm volatile("" : "+v"(factor));
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, factor, factor);
  }
  __m512i all = _mm512_setzero_si512();
  for (const __m512i& sum : sums) all = _mm512_add_epi32(all, sum);
  return static_cast<float>(_mm512_reduce_add_epi32(all));
}
constexpr double kDotOpsARound = kSums * 2.0 * 64;
template <size_t Streams>
[[gnu::target("avx2,fma")]] float read32(const float* data, size_t count) {
  return sumOf<32, Streams>(data, count);
}
[[gnu::target("avx512f")]] float compute64(int64_t rounds) { return multiplyAdd<64>(rounds); }
template <size_t Streams>
[[gnu::target("avx512f")]] float read64(const float* data, size_t count) {
  return sumOf<64, Streams>(data, count);
}
#endif

constexpr size_t kStreams = 8;

Loops loopsHere() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    Loops loops{512, kFlopsARound<64>, compute64, kWordOpsARound<32>, integers32, {read64<1>, read64<kStreams>}};
    if (__builtin_cpu_supports("avx512bw")) loops.integersARound = kWordOpsARound<64>, loops.integers = integers64;
    if (__builtin_cpu_supports("avx512vnni")) loops.integersARound = kDotOpsARound, loops.integers = dots64;
    return loops;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {256, kFlopsARound<32>, compute32, kWordOpsARound<32>, integers32, {read32<1>, read32<kStreams>}};
#endif
  return {128, kFlopsARound<16>, compute16, kWordOpsARound<16>, integers16, {read16<1>, read16<kStreams>}};
}

/// Seconds that this thread has worked so far.
double worked() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds of the fastest of some rounds, in which every thread does its part: how long the slowest worked. What else
/// the machine does takes the threads away from a processor for a while, which does not count.
double fastest(ThreadPool& pool, size_t threads, const CancelToken& cancel, const std::function<void(size_t)>& part) {
  constexpr int kRounds = 5;
  double best = 0;
  std::vector<double> each(threads);
  for (int round = 0; round < kRounds && !cancel.cancelled(); ++round) {
    parallelFor(pool, threads, cancel, [&](size_t thread) {
      const double begin = worked();
      part(thread);
      each[thread] = worked() - begin;
    });
    const double seconds = *std::max_element(each.begin(), each.end());
    best = round == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

/// Much more than caches hold, and little of what is free.
size_t floatsToRead() {
  constexpr uint64_t kMost = uint64_t{256} << 20;
  return std::max<uint64_t>(std::min(kMost, memoryLimit().bytes / 8), 1 << 20) / sizeof(float);
}

}  // namespace

int measuredVectorBits() { return loopsHere().bits; }

std::array<float, 2> sumsAsRead(std::span<const float> memory) {
  const Loops loops = loopsHere();
  return {loops.read[0](memory.data(), memory.size()), loops.read[1](memory.data(), memory.size())};
}

double measureCycles() {
  constexpr int64_t kSteps = 1'000'000;
  constexpr int kRounds = 5;
  double least = 0;
  for (int round = 0; round < kRounds; ++round) {
    uint64_t sum = 1, term = 3;
    asm volatile("" : "+r"(term));  // additions of numbers in the code cost some processors nothing
    const double begin = worked();
    for (int64_t step = 0; step < kSteps / 8; ++step) {
      // The compiler must not know that it is nothing but a sum.
      for (int each = 0; each < 8; ++each) {
        sum += term;
        asm volatile("" : "+r"(sum));
      }
    }
    const double seconds = worked() - begin;
    least = round == 0 ? seconds : std::min(least, seconds);
  }
  return least > 0 ? static_cast<double>(kSteps) / least : 0;
}

Limits measureLimits(int threads, const CancelToken& cancel) {
  const Loops loops = loopsHere();
  const auto count = static_cast<size_t>(threads);
  ThreadPool pool(static_cast<unsigned>(threads));
  // Where the results go, so that none of the work is for nothing.
  std::vector<float> results(count);
  Limits limits;
  constexpr int64_t kRounds = 2'000'000;
  const double computing =
      fastest(pool, count, cancel, [&](size_t thread) { results[thread] += loops.compute(kRounds); });
  if (computing > 0) limits.flops = loops.flopsARound * kRounds * threads / computing;
  const double whole = fastest(pool, count, cancel, [&](size_t thread) { results[thread] += loops.integers(kRounds); });
  if (whole > 0) limits.integers = loops.integersARound * kRounds * threads / whole;
  constexpr size_t kAlignment = 64 / sizeof(float);
  const size_t part = floatsToRead() / count / kAlignment * kAlignment;
  std::vector<float> memory(part * count + kAlignment, 1.0F);
  const size_t skip = reinterpret_cast<uintptr_t>(memory.data()) % 64 / sizeof(float);
  const float* aligned = memory.data() + (skip ? kAlignment - skip : 0);
  for (const Read read : loops.read) {
    const double reading =
        fastest(pool, count, cancel, [&](size_t thread) { results[thread] += read(aligned + thread * part, part); });
    if (reading > 0) limits.bytes = std::max(limits.bytes, static_cast<double>(part * count * sizeof(float)) / reading);
  }
  return limits;
}

}  // namespace rx::profile
