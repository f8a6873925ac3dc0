#include "core/target/tags.h"

#include "core/ir/json_attrs.h"
#include "core/support/assert.h"
#include "core/support/nearest.h"
#include "core/target/kinds.h"

namespace rx::target {

namespace {

struct CudaTag {
  std::string_view name, arch;
  int64_t registers, secondCacheBytes;
};
constexpr CudaTag kCudaTags[] = {
#define RX_CUDA_TAG(name, arch, registers, secondCacheBytes) {name, arch, registers, secondCacheBytes},
#define RX_TAG(name, json)
#include "core/target/tags.def"
};
struct Tag {
  std::string_view name, json;
};
constexpr Tag kTags[] = {
    // Short forms of our own.
    {"aarch64", R"({"kind": "llvm", "mtriple": "aarch64-linux-gnu"})"},
    {"x86-64", R"({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "x86-64"})"},
    {"x86-64-v2", R"({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "x86-64-v2"})"},
    {"x86-64-v3", R"({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "x86-64-v3"})"},
    {"x86-64-v4", R"({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "x86-64-v4"})"},
#define RX_CUDA_TAG(name, arch, registers, secondCacheBytes)
#define RX_TAG(name, json) {name, json},
#include "core/target/tags.def"
};

}  // namespace

ir::Attrs taggedAttrs(std::string_view name) {
  for (const CudaTag& tag : kCudaTags) {
    if (tag.name != name) continue;
    std::vector<std::pair<Str, NodeRef>> entries = {{"kind", ir::strAttr("cuda")},
                                                    {"arch", ir::strAttr(Str(tag.arch))},
                                                    {"max_shared_memory_per_block", ir::intAttr(49152)},
                                                    {"max_threads_per_block", ir::intAttr(1024)},
                                                    {"registers_per_block", ir::intAttr(tag.registers)}};
    if (tag.secondCacheBytes) entries.emplace_back("l2_cache_size_bytes", ir::intAttr(tag.secondCacheBytes));
    return make<ir::DictAttrs>(entries);
  }
  for (const Tag& tag : kTags) {
    if (tag.name != name) continue;
    Result<ir::Attrs> attrs = ir::attrsFromJson(tag.json);
    RX_ASSERT(attrs.ok(), "the tag {} is JSON", name);
    return *attrs;
  }
  return nullptr;
}

std::string nearestTarget(std::string_view name) {
  Nearest nearest(name);
  for (const KindRow& row : kindRows()) nearest.offer(row.name);
  for (const Tag& tag : kTags) nearest.offer(tag.name);
  for (const CudaTag& tag : kCudaTags) nearest.offer(tag.name);
  return nearest.fix();
}

}  // namespace rx::target
