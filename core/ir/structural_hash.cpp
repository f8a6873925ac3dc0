#include "core/ir/structural_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "core/ir/all_nodes.h"
#include "core/support/chunk_hash.h"

namespace rx {

uint64_t hashMix(uint64_t seed, uint64_t value) {
  // A 64x64 -> 128 bit multiply folded to 64 bits; the constants only have to be odd and irregular.
  const unsigned __int128 product =
      static_cast<unsigned __int128>(seed ^ 0x9e3779b97f4a7c15ULL) * (value ^ 0xd6e8feb86659fd93ULL);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ std::rotl(seed, 23) ^ value;
}

uint64_t hashBytes(uint64_t seed, const void* data, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  uint64_t hash = hashMix(seed, size);
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = hashMix(hash, word);
  }
  uint64_t rest = 0;
  if (size > 0) std::memcpy(&rest, bytes, size);
  return hashMix(hash, rest);
}

namespace {

/// Tags of values that equality takes for one another whatever their kind.
enum Tag : uint64_t { kNull = 1, kInt, kBool, kFloat, kText, kVar, kGlobal, kKeyed, kList, kShared, kNode = 256 };

/// Bytes of a tensor from which on the hash for long texts is the quicker one.
constexpr size_t kLargeTensor = 4096;

class Hasher {
 public:
  uint64_t run(const Node* root) {
    work_.push_back(root);
    while (!work_.empty()) {
      const Node* node = work_.back();
      work_.pop_back();
      enter(node);
    }
    return hash_;
  }

 private:
  void mix(uint64_t value) { hash_ = hashMix(hash_, value); }
  void mixText(std::string_view text) { hash_ = hashBytes(hash_, text.data(), text.size()); }
  void mixReal(double value) { mix(std::isnan(value) ? 1 : std::bit_cast<uint64_t>(value)); }

  void enter(const Node* node) {
    if (!node || isEmptyAttrs(node)) return mix(kNull);
    if (hashValue(*node)) return;
    if (isVariable(node)) return hashVar(*node);
    if (isGraphNode(*node) && !firstMeeting(*node)) return;
    if (const auto* global = as<relax::GlobalVar>(node)) {
      mix(kGlobal);
      return mixText(global->name.view());
    }
    if (const auto* dict = as<ir::DictAttrs>(node)) return hashKeyed(dict->keys, dict->values);
    if (const auto* module = as<ir::IRModule>(node)) {
      std::vector<Str> names;
      for (const auto& var : module->vars) names.push_back(var->name);
      hashKeyed(Array<Str>(std::move(names)), module->functions);
      work_.push_back(module->types.get());
      work_.push_back(module->globalInfos.get());
      work_.push_back(module->attrs.get());
      return;
    }
    hashFields(*node, false);
  }

  static bool isEmptyAttrs(const Node* node) {
    const auto* attrs = as<ir::DictAttrs>(node);
    return attrs && attrs->size() == 0;
  }

  /// Values that stand for one another across kinds hash without their kind and type.
  bool hashValue(const Node& node) {
    auto integer = [&](Tag tag, int64_t value) {
      mix(tag);
      mix(static_cast<uint64_t>(value));
      return true;
    };
    auto real = [&](double value) {
      mix(kFloat);
      mixReal(value);
      return true;
    };
    auto text = [&](const Str& value) {
      mix(kText);
      mixText(value.view());
      return true;
    };
    if (const auto* v = as<tir::IntImm>(&node)) return integer(v->dtype.isBool() ? kBool : kInt, v->value);
    if (const auto* v = as<ir::IntAttr>(&node)) return integer(kInt, v->value);
    if (const auto* v = as<ir::BoolAttr>(&node)) return integer(kBool, v->value);
    if (const auto* v = as<tir::FloatImm>(&node)) return real(v->value);
    if (const auto* v = as<ir::FloatAttr>(&node)) return real(v->value);
    if (const auto* v = as<tir::StringImm>(&node)) return text(v->value);
    if (const auto* v = as<ir::StrAttr>(&node)) return text(v->value);
    return false;
  }

  /// A variable counts by the order of first meeting, which equality's mapping preserves.
  void hashVar(const Node& node) {
    auto [at, fresh] = numbers_.emplace(&node, numbers_.size());
    mix(kVar);
    mix(at->second);
    if (fresh) hashFields(node, true);
  }

  /// A shared node counts as its number where it is met again.
  bool firstMeeting(const Node& node) {
    auto [at, fresh] = numbers_.emplace(&node, numbers_.size());
    if (!fresh) {
      mix(kShared);
      mix(at->second);
    }
    return fresh;
  }

  template <class T>
  void hashKeyed(const Array<Str>& keys, const Array<T>& values) {
    std::vector<uint32_t> order(keys.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    mix(kKeyed);
    mix(keys.size());
    for (uint32_t i : order) mixText(keys[i].view());
    for (auto it = order.rbegin(); it != order.rend(); ++it) work_.push_back(values[*it].get());
  }

  void hashFields(const Node& node, bool types) {
    mix(kNode + static_cast<uint64_t>(node.kind()));
    const size_t mark = work_.size();
    withNodeType(node.kind(), [&]<class T>() {
      const T& typed = static_cast<const T&>(node);
      T::fields([&](const char*, auto member, Role role) {
        if (role == Role::Ignore || (role == Role::Type && !types)) return;
        field(typed.*member);
      });
    });
    std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(mark), work_.end());
  }

  template <class T>
  requires std::is_base_of_v<Node, T>
  void field(const Ref<T>& v) { work_.push_back(v.get()); }
  template <class T>
  requires std::is_base_of_v<Node, T>
  void field(const Array<Ref<T>>& v) {
    mix(kList + v.size());
    for (const auto& element : v) work_.push_back(element.get());
  }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void field(T v) { mix(static_cast<uint64_t>(v)); }
  void field(double v) { mixReal(v); }
  void field(const Str& v) { mixText(v.view()); }
  void field(DataType v) {
    mix(static_cast<uint64_t>(v.code) | uint64_t{v.bits} << 8 |
        static_cast<uint64_t>(static_cast<uint16_t>(v.lanes)) << 16);
  }
  void field(const Array<Str>& v) {
    mix(v.size());
    for (const Str& element : v) mixText(element.view());
  }
  void field(const Array<int64_t>& v) {
    mix(v.size());
    for (int64_t element : v) mix(static_cast<uint64_t>(element));
  }
  void field(const Ref<HostTensor>& v) {
    if (!v) return mix(kNull);
    field(v->dtype());
    mix(v->shape().size());
    for (int64_t dim : v->shape()) mix(static_cast<uint64_t>(dim));
    const std::string_view bytes(reinterpret_cast<const char*>(v->data()), static_cast<size_t>(v->bytes()));
    // Weights may be gigabytes.
    if (bytes.size() >= kLargeTensor) return mix(chunkHash(bytes));
    mixText(bytes);
  }
  void field(Span) {}
  void field(const OriginRef&) {}

  uint64_t hash_ = 0x72656c6178;
  std::vector<const Node*> work_;
  std::unordered_map<const Node*, uint64_t> numbers_;
};

}  // namespace

uint64_t structuralHash(const NodeRef& node) { return Hasher().run(node.get()); }

}  // namespace rx
