#include "core/script/node_order.h"

#include "core/ir/reflect.h"

namespace rx::script {

namespace {

/// Gathers the node-valued fields, whatever their role.
struct Held : FieldVisitor {
  std::vector<const Node*> found;
  void node(const char*, Role, const NodeRef& v) override { found.push_back(v.get()); }
  void nodes(const char*, Role, std::span<const NodeRef> v) override {
    for (const NodeRef& e : v) found.push_back(e.get());
  }
  void integer(const char*, Role, int64_t) override {}
  void boolean(const char*, Role, bool) override {}
  void real(const char*, Role, double) override {}
  void text(const char*, Role, const Str&) override {}
  void texts(const char*, Role, std::span<const Str>) override {}
  void integers(const char*, Role, std::span<const int64_t>) override {}
  void type(const char*, Role, DataType) override {}
  void tensor(const char*, Role, const Ref<HostTensor>&) override {}
  void span(const char*, Role, Span) override {}
  void origin(const char*, Role, const OriginRef&) override {}
};

}  // namespace

void NodeOrder::add(const Node& root, const std::function<void(const Node&)>& write) {
  std::vector<std::pair<const Node*, bool>> stack{{&root, false}};
  Held held;
  while (!stack.empty()) {
    auto [node, ready] = stack.back();
    stack.pop_back();
    if (!node || numbers_.contains(node)) continue;
    if (ready) {
      write(*node);
      numbers_.emplace(node, numbers_.size());
      continue;
    }
    stack.push_back({node, true});
    held.found.clear();
    visitFields(*node, held);
    for (auto it = held.found.rbegin(); it != held.found.rend(); ++it) {
      if (*it && !numbers_.contains(*it)) stack.push_back({*it, false});
    }
  }
}

}  // namespace rx::script
