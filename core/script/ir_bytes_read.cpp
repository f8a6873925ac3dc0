#include <fmt/format.h>

#include "core/script/ir_bytes.h"
#include "core/script/node_checks.h"
#include "core/support/coding.h"
#include "core/tensor/host_tensor.h"

namespace rx::script {

namespace {

class Reader : NodeChecks {
 public:
  Reader(std::string_view bytes, FindOperator relay) : NodeChecks(relay), all_(bytes), in_({}) {}

  Result<std::vector<ir::Module>> read(const CancelToken& cancel) {
    if (all_.text() != bytesHead()) return broken("they are not of this build of the program");
    const bool tables = rows(&Reader::readText) && rows(&Reader::readSources) && rows(&Reader::readType) &&
                        rows(&Reader::readTensor) && rows(&Reader::readOrigin);
    if (!tables) return broken("a table is damaged");
    const size_t count = begin();
    nodes_.reserve(count);
    while (nodes_.size() < count && in_.ok()) {
      if (cancel.cancelled()) return fail("ir.cancelled", "reading the modules was cancelled");
      if (!readNode()) return broken(refusal());
    }
    if (!ended()) return broken("the nodes are damaged");
    std::vector<ir::Module> modules;
    const size_t roots = begin();
    while (modules.size() < roots && in_.ok()) {
      if (!readRoot(modules)) return broken("a module is damaged");
    }
    if (!ended() || !all_.atEnd()) return broken("they do not end where they say");
    return modules;
  }

 private:
  static Failure broken(std::string_view why) {
    return fail("ir.bytes", fmt::format("these bytes are no modules: {}", why));
  }

  // A section is a count and its rows.
  size_t begin() {
    const uint64_t count = all_.number();
    in_ = ByteIn(all_.text());
    if (count <= in_.left()) return count;  // each takes a byte at least
    in_ = ByteIn({});
    sound_ = false;
    return 0;
  }
  bool ended() const { return sound_ && all_.ok() && in_.ok() && in_.atEnd(); }
  bool rows(bool (Reader::*readRow)()) {
    const size_t count = begin();
    for (size_t i = 0; i < count && in_.ok(); ++i)
      if (!(this->*readRow)()) return false;
    return ended();
  }

  bool readText() {
    texts_.emplace_back(in_.text());
    return true;
  }
  bool readSources() {
    SourceList sources;
    const size_t count = in_.count();
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      std::string name(in_.text());
      sources.push_back(make<SourceFile>(std::move(name), std::string(in_.text())));
    }
    sources_.push_back(std::make_shared<SourceList>(std::move(sources)));
    return true;
  }
  bool readType() {
    const std::optional<DataType> type = DataType::parse(in_.text());
    types_.push_back(type.value_or(DataType::Void()));
    return type.has_value();
  }
  bool readTensor() {
    const size_t type = in_.number();
    std::vector<int64_t> shape(in_.count());
    for (int64_t& dim : shape) dim = in_.signedNumber();
    const std::string_view data = in_.text();
    if (!in_.ok() || type >= types_.size()) return false;
    auto tensor = HostTensor::fromBytes(std::move(shape), types_[type],
                                        {reinterpret_cast<const std::byte*>(data.data()), data.size()});
    if (tensor) tensors_.push_back(*tensor);
    return tensor.ok();
  }
  bool readOrigin() {
    Str pass;
    if (!setText(pass)) return false;
    std::vector<OriginSite> sites(in_.count());
    for (OriginSite& site : sites) {
      if (!setText(site.function)) return false;
      site.block = static_cast<uint32_t>(in_.number());
      site.binding = static_cast<uint32_t>(in_.number());
      if (!setText(site.name)) return false;
      site.span = readSpan();
    }
    origins_.push_back(make<Origin>(Array<OriginSite>(std::move(sites)), std::move(pass)));
    return true;
  }

  bool readNode() {
    const uint64_t number = in_.number();
    if (number >= static_cast<uint64_t>(Kind::kCount)) return refuse("ir.bytes", "there is no node of that kind");
    const Kind kind = static_cast<Kind>(number);
    if (!isOperator(kind)) return addNode(kind, [this](auto& field, const char* name) { return set(field, name); });
    Str name;
    return (setText(name) || refuse("ir.bytes", "an operator has no name")) && addOperator(kind, name.string());
  }
  bool readRoot(std::vector<ir::Module>& modules) {
    const size_t at = in_.number();
    const size_t sources = in_.number();
    ir::TextFacts facts;
    facts.missingConstants = static_cast<uint32_t>(in_.number());
    facts.beforePurity = in_.byte() != 0;
    if (at >= nodes_.size() || sources >= sources_.size() || !isa<ir::IRModule>(nodes_[at])) return false;
    // Sources and facts are no fields; nobody has seen the module yet.
    auto* module = const_cast<ir::IRModule*>(as<ir::IRModule>(nodes_[at]));
    module->sources = sources_[sources];
    module->facts = facts;
    modules.push_back(refAs<ir::IRModule>(nodes_[at]));
    return true;
  }

  Span readSpan() {
    const uint64_t file = in_.number();
    if (file == 0) return {};
    const auto begin = static_cast<uint32_t>(in_.number());
    const auto end = static_cast<uint32_t>(in_.number());
    return {begin, end, static_cast<uint32_t>(file - 1)};
  }
  bool setText(Str& text) {
    const size_t number = in_.number();
    if (!in_.ok() || number >= texts_.size()) return false;
    text = texts_[number];
    return true;
  }
  /// The node that stands `distance` before the one that is read; null where there is none.
  NodeRef nodeBefore(uint64_t distance) const {
    return distance > 0 && distance <= nodes_.size() ? nodes_[nodes_.size() - distance] : nullptr;
  }

  template <class T>
  requires std::is_base_of_v<Node, T>
  bool set(Ref<T>& field, const char* name) {
    const uint64_t distance = in_.number();
    field = refAs<T>(nodeBefore(distance));
    if (field) return true;
    return distance == 0 && mayBeNull(name) ? true : wrong(name, "an earlier node of a fitting kind");
  }
  template <class T>
  requires std::is_base_of_v<Node, T>
  bool set(Array<Ref<T>>& field, const char* name) {
    std::vector<Ref<T>> items(in_.count());
    for (Ref<T>& item : items) {
      const uint64_t distance = in_.number();
      item = refAs<T>(nodeBefore(distance));
      const bool absent = distance == 0 && std::string_view(name) == "buffer_map";
      if (!item && !absent) return wrong(name, "a list of earlier nodes of a fitting kind");
    }
    field = Array<Ref<T>>(std::move(items));
    return true;
  }
  bool set(bool& field, const char*) {
    field = in_.byte() != 0;
    return true;
  }
  template <class T>
  requires((std::is_integral_v<T> && !std::is_same_v<T, bool>) || std::is_enum_v<T>) bool set(T& field,
                                                                                              const char* name) {
    const int64_t value = in_.signedNumber();
    field = static_cast<T>(value);
    return static_cast<int64_t>(field) == value || wrong(name, "a smaller integer");
  }
  bool set(double& field, const char*) {
    field = in_.real();
    return true;
  }
  bool set(Str& field, const char* name) { return setText(field) || wrong(name, "a text of the table"); }
  bool set(Array<Str>& field, const char* name) {
    std::vector<Str> items(in_.count());
    for (Str& item : items)
      if (!set(item, name)) return false;
    field = Array<Str>(std::move(items));
    return true;
  }
  bool set(Array<int64_t>& field, const char*) {
    std::vector<int64_t> items(in_.count());
    for (int64_t& item : items) item = in_.signedNumber();
    field = Array<int64_t>(std::move(items));
    return true;
  }
  bool set(DataType& field, const char* name) { return fromTable(field, types_, in_.number(), name); }
  bool set(Ref<HostTensor>& field, const char* name) { return orNone(field, tensors_, name); }
  bool set(Span& field, const char*) {
    field = readSpan();
    return true;
  }
  bool set(OriginRef& field, const char* name) { return orNone(field, origins_, name); }

  template <class T>
  bool fromTable(T& field, const std::vector<T>& table, uint64_t number, const char* name) {
    if (number >= table.size()) return wrong(name, "an entry of its table");
    field = table[number];
    return true;
  }
  template <class T>
  bool orNone(T& field, const std::vector<T>& table, const char* name) {
    const uint64_t number = in_.number();
    field = nullptr;
    return number == 0 || fromTable(field, table, number - 1, name);
  }

  ByteIn all_, in_;
  bool sound_ = true;
  std::vector<Str> texts_;
  std::vector<std::shared_ptr<const SourceList>> sources_;
  std::vector<DataType> types_;
  std::vector<Ref<HostTensor>> tensors_;
  std::vector<OriginRef> origins_;
};

}  // namespace

Result<std::vector<ir::Module>> modulesFromBytes(std::string_view bytes, const CancelToken& cancel,
                                                 FindOperator relay) {
  return Reader(bytes, relay).read(cancel);
}

}  // namespace rx::script
