// gpu.GEMV: a product of a matrix and a vector, with what is made of its result. Threads of a block sum shares of each
// place, then together.
#include "core/schedule/rule_gpu_gemv.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Threads along places and along sums.
struct Threads {
  int64_t places, sums;
};
/// How a kind of target likes its shares.
struct GemvShape {
  bool (*takes)(const target::Target& target);
  std::string_view placeAxis, sumAxis;
  int64_t lanes;        ///< of sums
  bool sharesVector;    ///< the vector lies in shared memory
  int64_t vectorLanes;  ///< when it is loaded
  int64_t loadBytes;    ///< of the matrix at once
  int64_t unrolled;
  bool shuffles;  ///< threads of a warp sum without shared memory
  /// Where there are more places than terms of each sum, where there are not, and where the places are not known.
  Threads wide, narrow, unknown;
};

template <const char* kind>
bool isKind(const target::Target& target) {
  return target.kind() == kind;
}
bool isMali(const target::Target& target) {
  return target.kind() == "opencl" && target.withoutHost()->json().find("mali") != std::string::npos;
}
bool isAny(const target::Target&) { return true; }

constexpr char kCuda[] = "cuda", kMetal[] = "metal", kRocm[] = "rocm", kVulkan[] = "vulkan";
constexpr std::string_view kX = "threadIdx.x", kY = "threadIdx.y";
constexpr GemvShape kShapes[] = {
    {isKind<kCuda>, kY, kX, 4, true, 8, 4, 256, true, {16, 32}, {16, 32}, {1, 64}},
    {isKind<kMetal>, kX, kY, 1, false, 1, 1, 256, true, {4, 16}, {2, 64}, {1, 64}},
    {isKind<kRocm>, kY, kX, 4, false, 8, 1, 256, false, {1, 128}, {8, 64}, {1, 64}},
    {isAdreno, kX, kY, 8, false, 1, 1, 8, false, {2, 32}, {2, 32}, {2, 32}},
    {isKind<kVulkan>, kY, kX, 4, true, 4, 1, 256, false, {4, 32}, {16, 32}, {1, 64}},
    {isMali, kY, kX, 8, false, 1, 1, 64, false, {1, 64}, {1, 64}, {1, 64}},
    {isAny, kY, kX, 1, false, 1, 1, 64, false, {1, 64}, {1, 64}, {1, 64}},
};

/// Bytes of shared memory of a block, by the kind of a target that does not say.
struct SharedRow {
  std::string_view kind;
  int64_t bytes;
};
constexpr SharedRow kShared[] = {{"cuda", 49152}, {"rocm", 65536}, {"metal", 32768}};
constexpr int64_t kLeastShared = 16384;

int64_t sharedMemory(const target::Target& target) {
  if (const auto said = target.number("max_shared_memory_per_block")) return *said;
  const auto row =
      std::find_if(std::begin(kShared), std::end(kShared), [&](const SharedRow& r) { return r.kind == target.kind(); });
  return row == std::end(kShared) ? kLeastShared : row->bytes;
}

class InnerSums {
 public:
  explicit InnerSums(const GpuGemv& gemv)
      : gemv_(gemv),
        schedule_(gemv.schedule),
        block_(gemv.kernel.main.block),
        shape_(*std::find_if(std::begin(kShapes), std::end(kShapes),
                             [&](const GemvShape& shape) { return shape.takes(gemv.target); })) {}

  Result<std::string_view> run() {
    choose();
    if (shape_.sharesVector && fits() && gemv_.kernel.vectors.size() != 1) return "it reads several vectors";
    RX_CHECK(factor());
    RX_CHECK(bindFirst());
    RX_CHECK(loadMatrix());
    if (shape_.sharesVector && fits()) RX_CHECK(loadVector());
    RX_CHECK(bindSecond());
    RX_CHECK(bindLast());
    RX_CHECK(decomposeReduction(schedule_, first_, schedule_.loops(first_)[3]));
    RX_CHECK(decomposeReduction(schedule_, second_, schedule_.loops(second_).back()));
    RX_CHECK(setScope(schedule_, first_, 0, "local"));
    RX_CHECK(setScope(schedule_, second_, 0, "local"));
    RX_CHECK(unrollUpTo(schedule_, schedule_.loops(first_)[3], shape_.unrolled));
    RX_CHECK(unrollUpTo(schedule_, schedule_.loops(second_)[3], shape_.unrolled));
    if (vector_) {
      const std::vector<LoopRef> loops = schedule_.loops(*vector_);
      const LoopRef& steps = loops[loops.size() - 4];
      RX_CHECK(annotate(schedule_, steps, "pragma_unroll_explicit", ir::intAttr(shape_.unrolled)));
      RX_CHECK(annotate(schedule_, steps, "pragma_vectorize", ir::intAttr(1)));
    }
    RX_CHECK(scheduleGemvEpilogue(gemv_, blocks_, {threads_.places, shape_.placeAxis, threads_.sums, kX, true}));
    return std::string_view();
  }

 private:
  /// Threads, and how many terms each of them sums at once.
  void choose() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    std::optional<int64_t> extents[4];
    for (size_t i = 0; i < 4; ++i) extents[i] = extentOf(schedule_, loops[i]);
    const bool known = extents[0] && extents[1], sums = extents[2] && extents[3];
    const bool wide = known && sums && *extents[0] * *extents[1] > *extents[2] * *extents[3];
    threads_ = !known ? shape_.unknown : wide ? shape_.wide : shape_.narrow;
    const int64_t most = gemv_.target.number("max_num_threads").value_or(maxThreadsPerBlock(gemv_.target));
    while (threads_.places * threads_.sums > std::max<int64_t>(most, 1)) {
      (threads_.places > 1 ? threads_.places : threads_.sums) /= 2;
    }
    const int64_t group = extents[3].value_or(1), each = threads_.sums;
    tile_ = group > 1 ? group
                      : std::max<int64_t>(largestFactor(extents[2], {each, each * 2, each * 4, each * 8}) / each, 1);
    lanes_ = std::min(largestFactor(tile_, {1, 2, 4, 8}), shape_.lanes);
  }

  /// Whether the vectors fit into the shared memory.
  bool fits() const {
    int64_t bytes = 0;
    for (const BufferRef& buffer : gemv_.kernel.vectors) {
      const int64_t element = static_cast<int64_t>(buffer->dtype.bytes());
      int64_t size = element;
      for (const PrimExpr& dim : buffer->shape) {
        const auto number = asInt(dim);
        if (!number || __builtin_mul_overflow(size, *number, &size)) return false;
      }
      bytes += size + (shape_.shuffles ? 0 : threads_.places * threads_.sums * element);
    }
    return bytes <= sharedMemory(gemv_.target);
  }

  /// Sums by thread and lane, then by thread, then all.
  Result<Unit> factor() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    RX_TRY(places, fuse(schedule_, std::array{loops[0], loops[1]}));
    RX_TRY(sums, fuse(schedule_, std::array{loops[2], loops[3]}));
    RX_CHECK(split(schedule_, places, {0, threads_.places, 1}));
    RX_TRY(sum, shareSumInLanes(schedule_, block_, sums, 3, threads_.sums, tile_ / lanes_, lanes_));
    first_ = sum.first;
    second_ = sum.second;
    return Unit{};
  }

  Result<Unit> bindFirst() {
    const std::vector<LoopRef> loops = schedule_.loops(first_);  // blocks, threads, tile, steps, vectors, shares
    RX_TRY(parts, split(schedule_, loops[5], {threads_.sums, 0}));
    RX_CHECK(reorder(schedule_, std::array{loops[0], loops[1], parts[0], loops[3], loops[2], loops[4], parts[1]}));
    RX_CHECK(bindTo(schedule_, loops[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, loops[1], shape_.placeAxis));
    RX_CHECK(bindTo(schedule_, parts[0], shape_.sumAxis));
    RX_CHECK(vectorize(schedule_, parts[1]));
    blocks_ = loops[0];
    sums_ = parts[0];
    steps_ = loops[3];
    return Unit{};
  }

  Result<Unit> loadMatrix() {
    RX_TRY(copy, cacheRead(schedule_, first_, 1, "local"));
    const size_t count = schedule_.loops(copy).size();
    RX_CHECK(computeAt(schedule_, copy, steps_, true));
    std::vector<LoopRef> loops = schedule_.loops(copy);
    LoopRef loop = loops.back();
    if (count > 1) {
      RX_TRY(fused, fuse(schedule_, std::span(loops).last(2)));
      loop = fused;
    }
    const auto element = static_cast<int64_t>(schedule_.get(copy)->reads[0]->buffer->dtype.bytes());
    RX_TRY(parts, split(schedule_, loop, {0, std::max<int64_t>(1, shape_.loadBytes / element)}));
    return vectorize(schedule_, parts[1]);
  }

  Result<Unit> loadVector() {
    RX_TRY(copy, cacheRead(schedule_, first_, 0, "shared"));
    RX_CHECK(computeAt(schedule_, copy, sums_, true));
    const LoopRef loop = schedule_.loops(copy).back();
    int64_t lanes = shape_.vectorLanes;
    if (const auto extent = extentOf(schedule_, loop)) {
      const int64_t all = threads_.places * threads_.sums;
      // No predicates for vectors that are longer than the threads take at once.
      lanes = std::clamp<int64_t>(largestFactor(extent, {all, all * 2, all * 4, all * 8}) / all, 1, shape_.vectorLanes);
    }
    const bool sumsFirst = shape_.sumAxis == kX;
    const int64_t outer = sumsFirst ? threads_.places : threads_.sums;
    const int64_t inner = sumsFirst ? threads_.sums : threads_.places;
    RX_TRY(parts, split(schedule_, loop, {0, outer, inner, lanes}));
    RX_CHECK(bindTo(schedule_, parts[1], kY));
    RX_CHECK(bindTo(schedule_, parts[2], kX));
    vector_ = copy;
    return vectorize(schedule_, parts[3]);
  }

  /// The threads along places of what a block of threads computes; the places that each has.
  Result<std::pair<LoopRef, LoopRef>> placesOf(std::span<const LoopRef> loops) {
    RX_TRY(places, fuse(schedule_, loops));
    RX_TRY(parts, split(schedule_, places, {0, threads_.places, 1}));
    if (extentOf(schedule_, parts[0]) != 1) {
      return refuse("split", "gpu.GEMV", "a block of threads has too many places");
    }
    RX_TRY(threads, fuse(schedule_, std::array{parts[0], parts[1]}));
    return std::pair(threads, parts[2]);
  }

  Result<Unit> bindSecond() {
    RX_CHECK(reverseComputeAt(schedule_, second_, blocks_, true));
    const std::vector<LoopRef> loops = schedule_.loops(second_);
    RX_TRY(places, placesOf(std::span(loops).subspan(3)));
    RX_TRY(tile, split(schedule_, places.second, {0, 1}));
    RX_CHECK(reorder(schedule_, std::array{places.first, loops[1], tile[0], tile[1], loops[2]}));
    RX_CHECK(bindTo(schedule_, places.first, shape_.placeAxis));
    RX_CHECK(bindTo(schedule_, loops[1], shape_.sumAxis));
    return vectorize(schedule_, tile[1]);
  }

  Result<Unit> bindLast() {
    RX_CHECK(reverseComputeAt(schedule_, block_, blocks_, true));
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    RX_TRY(places, placesOf(std::span(loops).subspan(2)));
    RX_CHECK(reorder(schedule_, std::array{places.second, places.first, loops[1]}));
    RX_CHECK(bindTo(schedule_, places.first, shape_.placeAxis));
    return bindTo(schedule_, loops[1], shape_.sumAxis);
  }

  const GpuGemv& gemv_;
  Schedule& schedule_;
  const BlockRef block_;
  const GemvShape& shape_;
  Threads threads_{};
  int64_t tile_ = 1, lanes_ = 1;
  BlockRef first_{}, second_{};
  std::optional<BlockRef> vector_;  ///< copies the vector to shared memory
  LoopRef blocks_, sums_, steps_;
};

}  // namespace

Result<std::string_view> scheduleInnerSums(const GpuGemv& gemv) { return InnerSums(gemv).run(); }

Result<Outcome> gpuGemv(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const GemvFinding found = findGemv(schedule);
  if (!found.kernel) return notApplied(std::string(found.why));
  RX_TRY(inner, normalizeGemv(schedule, found.kernel->main));
  if (!inner) return notApplied("the matrix is not read along whole axes");
  const GpuGemv gemv{schedule, input.target, *found.kernel};
  RX_TRY(why, *inner ? scheduleInnerSums(gemv) : scheduleInnerPlaces(gemv));
  if (!why.empty()) return notApplied(std::string(why));
  return applied(schedule);
}

}  // namespace rx::schedule
