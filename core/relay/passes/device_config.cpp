// The text that TVM writes of a CompilationConfig: targets by type of device, and the default device.
#include <charconv>

#include "core/relay/device.h"
#include "core/relay/metadata_read.h"

namespace rx::relay {

namespace {

using Entries = std::vector<std::pair<Str, NodeRef>>;

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : rest_(text) {}

  bool take(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  /// TVM leaves its stream in base 16 once it has written the address of a target.
  std::optional<int64_t> number(int base) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  /// `Target(id=…, kind='…', tag='…', keys={…}, attrs={…}, host=Target(…))`; null where the text is none. `host`
  /// gets what that says of the host.
  NodeRef target(NodeRef* host) {
    if (!take("Target(")) return nullptr;
    NodeRef kind, tag = ir::strAttr(Str()), keys, attrs = make<ir::DictAttrs>(), hostTarget;
    do {
      if (take("id=")) {
        if (!number(16)) return nullptr;
      } else if (take("kind=")) {
        kind = quoted('\'');
      } else if (take("tag=")) {
        tag = quoted('\'');
      } else if (take("keys={")) {
        keys = list('}', '\'');
      } else if (take("attrs={")) {
        attrs = dict();
      } else if (host && take("host=")) {
        if (!(hostTarget = target(nullptr))) return nullptr;
      } else {
        return nullptr;
      }
    } while (take(", "));
    if (!take(")") || !kind || !tag || !keys || !attrs) return nullptr;
    if (host) *host = hostTarget;
    return make<ir::DictAttrs>(Entries{{Str("attrs"), attrs},
                                       {Str("features"), make<ir::DictAttrs>()},
                                       {Str("host"), hostTarget ? hostTarget : ir::nullAttr()},
                                       {Str("keys"), keys},
                                       {Str("kind"), kind},
                                       {Str("tag"), tag},
                                       {Str(kRecordKey), ir::strAttr(Str("Target"))}});
  }

 private:
  NodeRef quoted(char quote) {
    if (rest_.empty() || rest_[0] != quote) return nullptr;
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return nullptr;
    const Str text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return ir::strAttr(text);
  }
  NodeRef list(char close, char quote) {
    std::vector<NodeRef> items;
    const std::string_view end(&close, 1);
    while (!take(end)) {
      if (!items.empty() && !take(", ")) return nullptr;
      items.push_back(quoted(quote));
      if (!items.back()) return nullptr;
    }
    return ir::arrayAttr(std::move(items));
  }
  NodeRef dict() {
    Entries entries;
    while (!take("}")) {
      if (!entries.empty() && !take(", ")) return nullptr;
      const NodeRef key = quoted('\'');
      if (!key || !take(": ")) return nullptr;
      const NodeRef value = this->value();
      if (!value) return nullptr;
      entries.emplace_back(as<ir::StrAttr>(key)->value, value);
    }
    return make<ir::DictAttrs>(entries);
  }
  NodeRef value() {
    if (take("[")) return list(']', '"');
    const bool truth = take("runtime.BoxBool(");
    if (truth || take("runtime.BoxInt(")) {
      const auto number = this->number(16);
      if (!number || !take(")")) return nullptr;
      return truth ? ir::boolAttr(*number != 0) : ir::intAttr(*number);
    }
    return quoted('"');
  }

  std::string_view rest_;
};

}  // namespace

Result<DeviceConfig> DeviceConfig::parse(std::string_view text) {
  auto refuse = [] {
    return fail("relay.devices", "the configuration is no text that TVM writes of a CompilationConfig");
  };
  ConfigReader reader(text);
  DeviceConfig out;
  NodeRef host;
  if (!reader.take("Primitive targets:\n")) return refuse();
  while (reader.take("  ")) {
    // The first number comes before any address is written.
    const auto type = reader.number(out.targets_.empty() ? 10 : 16);
    if (!type || !reader.take(" |-> ")) return refuse();
    const NodeRef target = reader.target(&host);
    if (!target || !reader.take("\n")) return refuse();
    out.targets_.push_back({*type, target});
  }
  if (!reader.take("Default primitive virtual device: VirtualDevice(device_type=")) return refuse();
  const auto type = reader.number(16);
  if (!type || !out.targetOf(*type) || !host) return refuse();
  out.fallback_ = {*type, 0, out.targetOf(*type), Str()};
  constexpr int64_t kCpu = 1;
  out.host_ = {kCpu, 0, host, Str()};
  return out;
}

}  // namespace rx::relay
