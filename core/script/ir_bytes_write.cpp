// The bytes: the head; tables of sources, texts, types, tensors and origins, each entry once; the nodes, what a node
// holds before it; the modules. A node is named by how far before the one that holds it it stands, so that most numbers
// are small.
#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/script/ir_bytes.h"
#include "core/script/node_order.h"
#include "core/support/coding.h"
#include "core/tensor/host_tensor.h"

namespace rx::script {

namespace {

/// A table of things that stand once each; `write` is called for what is new.
template <class Key>
class Table {
 public:
  template <class Write>
  size_t at(const Key& key, Write write) {
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    write(rows_);
    const size_t number = numbers_.size();
    numbers_.emplace(key, number);
    return number;
  }
  void appendTo(ByteOut& all) const {
    all.number(numbers_.size());
    all.text(rows_.bytes());
  }

 private:
  std::unordered_map<Key, size_t> numbers_;
  ByteOut rows_;
};

class Writer : public FieldVisitor {
 public:
  Result<std::string> write(std::span<const ir::Module> modules, const CancelToken& cancel) {
    ByteOut roots;
    for (const ir::Module& module : modules) {
      order_.add(*module, [&](const Node& node) {
        if (!cancel.cancelled()) writeNode(node);
      });
      if (cancel.cancelled()) return fail("ir.cancelled", "writing the modules was cancelled");
      roots.number(order_.at(module.get()));
      roots.number(sourcesOf(*module));
      roots.number(module->facts.missingConstants);
      roots.byte(module->facts.beforePurity);
    }
    ByteOut all;
    all.text(bytesHead());
    texts_.appendTo(all);
    sources_.appendTo(all);
    types_.appendTo(all);
    tensors_.appendTo(all);
    origins_.appendTo(all);
    all.number(order_.size());
    all.text(nodes_.bytes());
    all.number(modules.size());
    all.text(roots.bytes());
    return std::string(all.bytes());
  }

  void node(const char*, Role, const NodeRef& value) override { nodes_.number(distanceTo(value)); }
  void nodes(const char*, Role, std::span<const NodeRef> values) override {
    nodes_.number(values.size());
    for (const NodeRef& value : values) nodes_.number(distanceTo(value));
  }
  void integer(const char*, Role, int64_t value) override { nodes_.signedNumber(value); }
  void boolean(const char*, Role, bool value) override { nodes_.byte(value); }
  void real(const char*, Role, double value) override { nodes_.real(value); }
  void text(const char*, Role, const Str& value) override { nodes_.number(textNumber(value.view())); }
  void texts(const char*, Role, std::span<const Str> values) override {
    nodes_.number(values.size());
    for (const Str& value : values) nodes_.number(textNumber(value.view()));
  }
  void integers(const char*, Role, std::span<const int64_t> values) override {
    nodes_.number(values.size());
    for (const int64_t value : values) nodes_.signedNumber(value);
  }
  void type(const char*, Role, DataType value) override { nodes_.number(typeNumber(value)); }
  void tensor(const char*, Role, const Ref<HostTensor>& value) override {
    if (!value) return nodes_.number(0);
    nodes_.number(1 + tensors_.at(value.get(), [&](ByteOut& out) {
      out.number(typeNumber(value->dtype()));
      out.number(value->shape().size());
      for (const int64_t dim : value->shape()) out.signedNumber(dim);
      const std::span<const std::byte> raw = value->byteSpan();
      out.text({reinterpret_cast<const char*>(raw.data()), raw.size()});
    }));
  }
  void span(const char*, Role, Span value) override { writeSpan(nodes_, value); }
  void origin(const char*, Role, const OriginRef& value) override {
    if (!value) return nodes_.number(0);
    nodes_.number(1 + origins_.at(value.get(), [&](ByteOut& out) { writeOrigin(out, *value); }));
  }

 private:
  void writeNode(const Node& node) {
    nodes_.number(static_cast<uint64_t>(node.kind()));
    // An operator is one of the reader's own.
    if (const auto* op = as<relax::Op>(&node)) return nodes_.number(textNumber(op->name.view()));
    if (const auto* op = as<relay::Op>(&node)) return nodes_.number(textNumber(op->name.view()));
    visitFields(node, *this);
  }
  /// 0 for none.
  size_t distanceTo(const NodeRef& held) const { return held ? order_.size() - order_.at(held.get()) : 0; }

  /// The text lives as long as the modules.
  size_t textNumber(std::string_view text) {
    return texts_.at(text, [&](ByteOut& out) { out.text(text); });
  }
  size_t typeNumber(DataType type) {
    const auto lanes = static_cast<uint16_t>(type.lanes);
    const uint32_t key = static_cast<uint32_t>(type.code) << 24 | uint32_t{type.bits} << 16 | lanes;
    return types_.at(key, [&](ByteOut& out) { out.text(type.str()); });
  }
  size_t sourcesOf(const ir::IRModule& module) {
    return sources_.at(module.sources.get(), [&](ByteOut& out) {
      out.number(module.sources->size());
      for (const Ref<SourceFile>& source : *module.sources) {
        out.text(source->name());
        out.text(source->text());
      }
    });
  }
  static void writeSpan(ByteOut& out, Span span) {
    if (!span.known()) return out.number(0);
    out.number(uint64_t{span.file} + 1);
    out.number(span.begin);
    out.number(span.end);
  }
  void writeOrigin(ByteOut& out, const Origin& origin) {
    out.number(textNumber(origin.pass.view()));
    out.number(origin.sites.size());
    for (const OriginSite& site : origin.sites) {
      out.number(textNumber(site.function.view()));
      out.number(site.block);
      out.number(site.binding);
      out.number(textNumber(site.name.view()));
      writeSpan(out, site.span);
    }
  }

  NodeOrder order_;
  ByteOut nodes_;
  Table<std::string_view> texts_;
  Table<uint32_t> types_;
  Table<const SourceList*> sources_;
  Table<const HostTensor*> tensors_;
  Table<const Origin*> origins_;
};

}  // namespace

std::string bytesHead() {
  // The numbers of the kinds and the fields of each are what both sides have to agree on.
  uint64_t form = 14695981039346656037ULL;
  const auto mix = [&form](std::string_view text) {
    for (const char c : text) form = (form ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    form = (form ^ 0xff) * 1099511628211ULL;
  };
  for (size_t k = 0; k < static_cast<size_t>(Kind::kCount); ++k) {
    mix(kindTypeKey(static_cast<Kind>(k)));
    withNodeType(static_cast<Kind>(k), [&]<class T>() { T::fields([&](const char* name, auto, Role) { mix(name); }); });
  }
  return fmt::format("relaxscope-ir-bytes 1 {:016x}", form);
}

Result<std::string> modulesToBytes(std::span<const ir::Module> modules, const CancelToken& cancel) {
  return Writer().write(modules, cancel);
}

}  // namespace rx::script
