#include "core/profile/measure.h"

#include <time.h>

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

/// Multiplies and adds in registers: enough chains to hide what one takes. Returns a value that depends on all of them.
template <int Bytes>
[[gnu::always_inline]] inline float multiplyAdd(int64_t rounds) {
  using V = typename Vector<Bytes>::Type;
  constexpr int kChains = 12;
  V sums[kChains] = {};
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
constexpr double kFlopsARound = 12.0 * 2 * Bytes / sizeof(float);

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
  Read read[2];  ///< in one stream, and in several
};

float compute16(int64_t rounds) { return multiplyAdd<16>(rounds); }
template <size_t Streams>
float read16(const float* data, size_t count) {
  return sumOf<16, Streams>(data, count);
}
#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float compute32(int64_t rounds) { return multiplyAdd<32>(rounds); }
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
  if (__builtin_cpu_supports("avx512f")) return {512, kFlopsARound<64>, compute64, {read64<1>, read64<kStreams>}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {256, kFlopsARound<32>, compute32, {read32<1>, read32<kStreams>}};
#endif
  return {128, kFlopsARound<16>, compute16, {read16<1>, read16<kStreams>}};
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
