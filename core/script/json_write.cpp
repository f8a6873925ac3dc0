#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <vector>

#include "core/ir/reflect.h"
#include "core/script/json.h"
#include "core/script/node_order.h"
#include "core/support/base64.h"
#include "core/tensor/host_tensor.h"

namespace rx::script {

namespace {

/// Length of the valid UTF-8 sequence at the start of `s`, 0 when there is none.
size_t utf8Length(std::string_view s) {
  const auto first = static_cast<unsigned char>(s[0]);
  const size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0 || length > s.size()) return 0;
  uint32_t code = length == 1 ? first : first & (0x7fU >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(s[k]) & 0xc0) != 0x80) return 0;
    code = code << 6 | (static_cast<unsigned char>(s[k]) & 0x3fU);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= kLeast[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? length : 0;
}

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t k = 0; k < text.size();) {
    const auto c = static_cast<unsigned char>(text[k]);
    const size_t length = utf8Length(text.substr(k));
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[k];
    } else if (c < 0x20 || length == 0) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out.append(text, k, length);
    }
    k += length ? length : 1;
  }
  out += '"';
}

class Writer : public FieldVisitor {
 public:
  explicit Writer(const JsonOptions& options) : options_(options) {}

  std::string write(const ir::IRModule& module) {
    order_.add(module, [this](const Node& node) { writeNode(node); });
    std::string out = "{\"format\":\"relaxscope-ir\",\"version\":1,\n\"sources\":[";
    for (size_t k = 0; options_.spans && k < module.sources->size(); ++k) {
      out += k ? ",\n{\"name\":" : "{\"name\":";
      appendQuoted(out, (*module.sources)[k]->name());
      out += ",\"text\":";
      appendQuoted(out, (*module.sources)[k]->text());
      out += '}';
    }
    out += "],\n\"tensors\":[" + tensors_ + "],\n\"origins\":[" + origins_ + "],\n\"nodes\":[\n" + nodes_ +
           "\n],\n\"root\":" + std::to_string(order_.at(&module)) + "}";
    return out;
  }

  void node(const char* name, Role, const NodeRef& value) override {
    if (value) key(name) += std::to_string(order_.at(value.get()));
  }
  void nodes(const char* name, Role, std::span<const NodeRef> values) override {
    if (values.empty()) return;
    std::string& out = key(name);
    out += '[';
    bool first = true;
    for (const NodeRef& value : values) {
      if (!first) out += ',';
      first = false;
      out += value ? std::to_string(order_.at(value.get())) : "null";
    }
    out += ']';
  }
  void integer(const char* name, Role, int64_t value) override { key(name) += std::to_string(value); }
  void boolean(const char* name, Role, bool value) override {
    if (value) key(name) += "true";
  }
  void real(const char* name, Role, double value) override {
    if (std::isfinite(value)) {
      key(name) += fmt::format("{:.17g}", value);
    } else {
      key(name) += std::isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"";
    }
  }
  void text(const char* name, Role, const Str& value) override {
    if (!value.empty()) appendQuoted(key(name), value.view());
  }
  void texts(const char* name, Role, std::span<const Str> values) override {
    if (values.empty()) return;
    std::string& out = key(name);
    out += '[';
    for (size_t k = 0; k < values.size(); ++k) {
      if (k) out += ',';
      appendQuoted(out, values[k].view());
    }
    out += ']';
  }
  void integers(const char* name, Role, std::span<const int64_t> values) override {
    if (!values.empty()) key(name) += fmt::format("[{}]", fmt::join(values, ","));
  }
  void type(const char* name, Role, DataType value) override {
    if (!value.isVoid()) appendQuoted(key(name), value.str());
  }
  void tensor(const char* name, Role, const Ref<HostTensor>& value) override {
    if (!value) return;
    auto [at, fresh] = tensorIndex_.emplace(value.get(), tensorIndex_.size());
    if (fresh) {
      if (!tensors_.empty()) tensors_ += ",\n";
      tensors_ += "{\"dtype\":\"" + value->dtype().str() +
                  "\",\"shape\":" + fmt::format("[{}]", fmt::join(value->shape(), ",")) + ",\"data\":\"" +
                  base64Of(value->byteSpan()) + "\"}";
    }
    key(name) += std::to_string(at->second);
  }
  void span(const char* name, Role, Span value) override {
    if (options_.spans && value.known()) key(name) += fmt::format("[{},{},{}]", value.file, value.begin, value.end);
  }
  void origin(const char* name, Role, const OriginRef& value) override {
    if (!value || !options_.origins) return;
    auto [at, fresh] = originIndex_.emplace(value.get(), originIndex_.size());
    if (fresh) addOrigin(*value);
    key(name) += std::to_string(at->second);
  }

 private:
  void writeNode(const Node& node) {
    if (!nodes_.empty()) nodes_ += ",\n";
    nodes_ += "{\"node\":\"";
    nodes_ += kindTypeKey(node.kind());
    nodes_ += '"';
    visitFields(node, *this);
    nodes_ += '}';
  }

  std::string& key(const char* name) {
    nodes_ += ",\"";
    nodes_ += name;
    nodes_ += "\":";
    return nodes_;
  }

  void addOrigin(const Origin& origin) {
    if (!origins_.empty()) origins_ += ",\n";
    origins_ += "{\"pass\":";
    appendQuoted(origins_, origin.pass.view());
    origins_ += ",\"sites\":[";
    for (size_t k = 0; k < origin.sites.size(); ++k) {
      const OriginSite& site = origin.sites[k];
      origins_ += k ? ",[" : "[";
      appendQuoted(origins_, site.function.view());
      origins_ += fmt::format(",{},{},", site.block, site.binding);
      appendQuoted(origins_, site.name.view());
      if (site.span.known()) origins_ += fmt::format(",{},{},{}", site.span.file, site.span.begin, site.span.end);
      origins_ += ']';
    }
    origins_ += "]}";
  }

  JsonOptions options_;
  std::string nodes_, tensors_, origins_;
  NodeOrder order_;
  std::unordered_map<const HostTensor*, size_t> tensorIndex_;
  std::unordered_map<const Origin*, size_t> originIndex_;
};

}  // namespace

std::string moduleToJson(const ir::Module& module, const JsonOptions& options) {
  return module ? Writer(options).write(*module) : "null";
}

}  // namespace rx::script
