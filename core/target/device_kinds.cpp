#include "core/target/device_kinds.h"

#include <algorithm>
#include <charconv>

#include "core/target/kinds.h"

namespace rx::target {

namespace {

struct TypeRow {
  int64_t type;
  std::string_view name;
};
struct TraitRow {
  std::string_view kind;
  DeviceTrait trait;
};
struct FloatsRow {
  std::string_view kind;
  FloatFamily family;
  int64_t capability;
};

struct SharedRow {
  std::string_view kind;
  int64_t capability, bytes;
};

constexpr SharedRow kShared[] = {
#define RX_DEVICE_SHARED(kind, capability, bytes) {kind, capability, bytes},
#include "core/target/device_kinds.def"
};
constexpr TypeRow kTypes[] = {
#define RX_DEVICE_TYPE(number, name) {number, name},
#include "core/target/device_kinds.def"
};
constexpr TraitRow kTraits[] = {
#define RX_DEVICE_TRAIT(kind, trait) {kind, DeviceTrait::trait},
#include "core/target/device_kinds.def"
};
constexpr FloatsRow kFloats[] = {
#define RX_DEVICE_FLOATS(kind, family, capability) {kind, FloatFamily::family, capability},
#include "core/target/device_kinds.def"
};

}  // namespace

int64_t capabilityOf(const Target& target) {
  std::string_view text = target.text("arch");
  text.remove_prefix(std::min(text.find('_'), text.size()));
  int64_t number = 0;
  if (!text.empty()) std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return number;
}

std::string_view deviceTypeName(int64_t type) {
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& one) { return one.type == type; });
  return row == std::end(kTypes) ? std::string_view() : row->name;
}

std::optional<int64_t> deviceTypeNamed(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& one) { return one.name == name; });
  return row == std::end(kTypes) ? std::nullopt : std::optional(row->type);
}

bool runsThreads(int64_t deviceType) {
  const auto kinds = kindRows();
  return std::any_of(kinds.begin(), kinds.end(), [&](const KindRow& kind) {
    const auto keys = wordsOf(kind.keys);
    return kind.deviceType == deviceType && std::find(keys.begin(), keys.end(), "gpu") != keys.end();
  });
}

bool hasTrait(std::string_view kind, DeviceTrait trait) {
  return std::any_of(std::begin(kTraits), std::end(kTraits),
                     [&](const TraitRow& row) { return row.kind == kind && row.trait == trait; });
}

bool computesIn(const Target& target, FloatFamily family) {
  return std::any_of(std::begin(kFloats), std::end(kFloats), [&](const FloatsRow& row) {
    return row.kind == target.kind() && row.family == family && capabilityOf(target) >= row.capability;
  });
}

int64_t sharedBytesOf(const Target& target) {
  constexpr int64_t kDeclared = 48 << 10;
  const int64_t said = target.number("max_shared_memory_per_block").value_or(kDeclared);
  const auto* row = std::find_if(std::begin(kShared), std::end(kShared), [&](const SharedRow& one) {
    return one.kind == target.kind() && one.capability == capabilityOf(target);
  });
  return row == std::end(kShared) || said < kDeclared ? said : std::max(said, row->bytes);
}

}  // namespace rx::target
