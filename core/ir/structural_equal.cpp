#include "core/ir/structural_equal.h"

#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/all_nodes.h"

namespace rx {

namespace {

std::string_view varName(const Node& node) {
  if (const auto* v = as<tir::Var>(&node)) return v->name.view();
  if (const auto* v = as<relay::Var>(&node)) return v->name.view();
  if (const auto* v = as<relay::TypeVar>(&node)) return v->name.view();
  const auto* v = as<relax::Var>(&node);
  return v ? v->name.view() : std::string_view();
}

/// An attribute value as one of few shapes: 5 may be an int or an IntImm, "a" a string or a StringImm.
struct PlainValue {
  enum Shape { kNone, kInt, kBool, kFloat, kText } shape = kNone;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;
};

PlainValue plainValue(const Node& node) {
  if (const auto* v = as<ir::IntAttr>(&node)) return {PlainValue::kInt, v->value, 0, {}};
  if (const auto* v = as<ir::BoolAttr>(&node)) return {PlainValue::kBool, v->value, 0, {}};
  if (const auto* v = as<ir::FloatAttr>(&node)) return {PlainValue::kFloat, 0, v->value, {}};
  if (const auto* v = as<ir::StrAttr>(&node)) return {PlainValue::kText, 0, 0, v->value.view()};
  if (const auto* v = as<tir::FloatImm>(&node)) return {PlainValue::kFloat, 0, v->value, {}};
  if (const auto* v = as<tir::StringImm>(&node)) return {PlainValue::kText, 0, 0, v->value.view()};
  if (const auto* v = as<tir::IntImm>(&node)) {
    return {v->dtype.isBool() ? PlainValue::kBool : PlainValue::kInt, v->value, 0, {}};
  }
  return {};
}

bool sameReal(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// Nodes of different kinds that are one value: the attribute 5 and the immediate 5.
bool alikeValues(const Node& l, const Node& r) {
  const PlainValue a = plainValue(l), b = plainValue(r);
  return a.shape != PlainValue::kNone && a.shape == b.shape && a.integer == b.integer && sameReal(a.real, b.real) &&
         a.text == b.text;
}

/// Whether tensors of Relay are of the same known extents. How wide the numbers are, which a text may say (1i64), tells
/// no two types apart: inference puts one in the place of the other.
bool sameExtents(const relay::TensorType& l, const relay::TensorType& r) {
  return l.dtype == r.dtype && std::equal(l.shape.begin(), l.shape.end(), r.shape.begin(), r.shape.end(),
                                          [](const tir::PrimExpr& a, const tir::PrimExpr& b) {
                                            const auto *x = as<tir::IntImm>(a), *y = as<tir::IntImm>(b);
                                            return x && y && x->value == y->value;
                                          });
}

std::string shown(int64_t v) { return std::to_string(v); }
std::string shown(bool v) { return v ? "True" : "False"; }
std::string shown(double v) { return std::to_string(v); }
std::string shown(const Str& v) { return '"' + v.string() + '"'; }
std::string shown(DataType v) { return v.isVoid() ? "void" : v.str(); }
std::string shown(const Ref<HostTensor>& v) {
  return v ? "tensor " + shapeText(v->shape()) + " " + v->dtype().str() : "no data";
}
template <class T>
std::string shown(const Array<T>& v) {
  std::string text = "[";
  for (const T& element : v) text += (text.size() > 1 ? ", " : "") + shown(element);
  return text + "]";
}

template <class T>
bool sameValue(const T& a, const T& b) {
  return a == b;
}
bool sameValue(double a, double b) { return sameReal(a, b); }
bool sameValue(const Ref<HostTensor>& a, const Ref<HostTensor>& b) { return a == b || (a && b && a->identical(*b)); }
template <class T>
bool sameValue(const Array<T>& a, const Array<T>& b) {
  return a.same(b) || std::equal(a.begin(), a.end(), b.begin(), b.end());
}

struct PairHash {
  size_t operator()(const std::pair<const Node*, const Node*>& p) const {
    return std::hash<const void*>()(p.first) * 31 + std::hash<const void*>()(p.second);
  }
};

class Comparer {
 public:
  explicit Comparer(FreeVars freeVars) : freeVars_(freeVars), identical_(freeVars != FreeVars::Map) {}

  std::optional<Difference> run(const NodeRef& lhs, const NodeRef& rhs) {
    work_.push_back({lhs.get(), rhs.get(), {}, kNoIndex, 0, false, Task::Compare});
    while (!work_.empty() && !found_) {
      const Item item = work_.back();
      work_.pop_back();
      path_.resize(item.depth);
      if (item.depth > 0) path_.back() = {item.field, item.index};
      if (item.task == Task::Lengths) {
        reportText(item.l, item.r, shown(item.index) + " elements", shown(item.otherLength) + " elements");
      } else {
        compare(item.l, item.r, item.define);
      }
    }
    return std::move(found_);
  }

 private:
  static constexpr int64_t kNoIndex = -1;
  enum class Task : uint8_t { Compare, Lengths };
  struct Item {
    const Node* l;
    const Node* r;
    std::string_view field;
    int64_t index;
    uint32_t depth;  ///< length of the path with this item
    bool define;
    Task task;
    int64_t otherLength = 0;
  };
  struct Segment {
    std::string_view field;
    int64_t index;
  };

  void compare(const Node* l, const Node* r, bool define) {
    if (l == r && identical_) return;
    if (!l || !r) {
      if (l == r || emptyAttrs(l ? l : r)) return;
      return report(l, r);
    }
    if (l->kind() != r->kind()) {
      if (!alikeValues(*l, *r)) report(l, r);
      return;
    }
    if (isVariable(l)) return compareVars(*l, *r, define);
    if (const auto* a = as<relax::GlobalVar>(l)) {
      if (!(a->name == as<relax::GlobalVar>(r)->name)) report(l, r);
      return;
    }
    if (isGraphNode(*l)) {
      const auto toRight = leftToRight_.find(l), toLeft = rightToLeft_.find(r);
      const bool known = toRight != leftToRight_.end();
      if (known != (toLeft != rightToLeft_.end()) || (known && toRight->second != r)) return reportShared(l, r);
      if (known) return;
      leftToRight_.emplace(l, r);
      rightToLeft_.emplace(r, l);
    } else if (!isa<tir::IntImm>(l) && !l->unique() && !r->unique() && !compared_.insert({l, r}).second) {
      return;
    }
    if (const auto* a = as<relay::TensorType>(l); a && sameExtents(*a, *as<relay::TensorType>(r))) return;
    if (const auto* a = as<ir::DictAttrs>(l)) return compareDicts(*a, *as<ir::DictAttrs>(r), define);
    if (const auto* a = as<ir::IRModule>(l)) return compareModules(*a, *as<ir::IRModule>(r));
    compareFields(*l, *r, define, false);
  }

  static bool emptyAttrs(const Node* node) {
    const auto* attrs = as<ir::DictAttrs>(node);
    return attrs && attrs->size() == 0;
  }

  void compareVars(const Node& l, const Node& r, bool define) {
    auto toRight = leftToRight_.find(&l);
    auto toLeft = rightToLeft_.find(&r);
    if (toRight != leftToRight_.end() || toLeft != rightToLeft_.end()) {
      const bool mapped = toRight != leftToRight_.end() && toRight->second == &r;
      if (!mapped) report(&l, &r);
      return;
    }
    const bool mapHere =
        define || freeVars_ == FreeVars::Map || (freeVars_ == FreeVars::ByName && varName(l) == varName(r));
    if (!mapHere) {
      if (&l != &r) report(&l, &r);
      return;
    }
    leftToRight_.emplace(&l, &r);
    rightToLeft_.emplace(&r, &l);
    identical_ = identical_ && &l == &r;
    compareFields(l, r, define, true);
  }

  void compareDicts(const ir::DictAttrs& l, const ir::DictAttrs& r, bool define) {
    std::vector<uint32_t> order(l.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    // Sorted, so that the meaning of "first" and the order of mapping variables do not depend on how a text orders
    // keys.
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return l.keys[a] < l.keys[b]; });
    const size_t mark = work_.size();
    for (uint32_t i : order) {
      NodeRef other = r.get(l.keys[i]);
      if (!other) return reportText(&l, &r, shown(l.keys[i]), "no such key");
      push(l.values[i].get(), other.get(), l.keys[i].view(), kNoIndex, define);
    }
    if (l.size() != r.size()) {
      for (const Str& key : r.keys) {
        if (!l.get(key)) return reportText(&l, &r, "no such key", shown(key));
      }
    }
    std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(mark), work_.end());
  }

  void compareModules(const ir::IRModule& l, const ir::IRModule& r) {
    std::vector<uint32_t> order(l.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return l.vars[a]->name < l.vars[b]->name; });
    const size_t mark = work_.size();
    push(l.types.get(), r.types.get(), "type_definitions", kNoIndex, false);
    push(l.attrs.get(), r.attrs.get(), "attrs", kNoIndex, false);
    push(l.globalInfos.get(), r.globalInfos.get(), "global_infos", kNoIndex, false);
    for (uint32_t i : order) {
      ir::BaseFunc other = r.find(l.vars[i]->name.view());
      if (!other) return reportText(&l, &r, "function " + l.vars[i]->name.string(), "no such function");
      push(l.functions[i].get(), other.get(), l.vars[i]->name.view(), kNoIndex, false);
    }
    for (const auto& var : r.vars) {
      if (!l.find(var->name.view())) return reportText(&l, &r, "no such function", "function " + var->name.string());
    }
    std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(mark), work_.end());
  }

  /// Compares plain fields now, queues nodes in field order. `types` enters fields of role Type.
  void compareFields(const Node& l, const Node& r, bool define, bool types) {
    const size_t mark = work_.size();
    withNodeType(l.kind(), [&]<class T>() {
      const T& a = static_cast<const T&>(l);
      const T& b = static_cast<const T&>(r);
      T::fields([&](const char* name, auto member, Role role) {
        if (found_ || role == Role::Ignore || (role == Role::Type && !types)) return;
        field(name, define || role == Role::Define, l, r, a.*member, b.*member);
      });
    });
    std::reverse(work_.begin() + static_cast<std::ptrdiff_t>(mark), work_.end());
  }

  template <class T>
    requires std::is_base_of_v<Node, T>
  void field(const char* name, bool define, const Node&, const Node&, const Ref<T>& a, const Ref<T>& b) {
    push(a.get(), b.get(), name, kNoIndex, define);
  }
  template <class T>
    requires std::is_base_of_v<Node, T>
  void field(const char* name, bool define, const Node& l, const Node& r, const Array<Ref<T>>& a,
             const Array<Ref<T>>& b) {
    if (a.same(b) && identical_) return;
    const size_t common = std::min(a.size(), b.size());
    for (size_t i = 0; i < common; ++i) push(a[i].get(), b[i].get(), name, static_cast<int64_t>(i), define);
    if (a.size() == b.size()) return;
    push(&l, &r, name, static_cast<int64_t>(a.size()), define);
    work_.back().task = Task::Lengths;
    work_.back().otherLength = static_cast<int64_t>(b.size());
  }
  void field(const char*, bool, const Node&, const Node&, Span, Span) {}
  void field(const char*, bool, const Node&, const Node&, const OriginRef&, const OriginRef&) {}
  template <class T>
  void field(const char* name, bool, const Node& l, const Node& r, const T& a, const T& b) {
    if (sameValue(a, b)) return;
    path_.push_back({name, kNoIndex});
    if constexpr (std::is_enum_v<T>) {
      reportText(&l, &r, shown(static_cast<int64_t>(a)), shown(static_cast<int64_t>(b)));
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      reportText(&l, &r, shown(static_cast<int64_t>(a)), shown(static_cast<int64_t>(b)));
    } else {
      reportText(&l, &r, shown(a), shown(b));
    }
  }

  void push(const Node* l, const Node* r, std::string_view name, int64_t index, bool define) {
    work_.push_back({l, r, name, index, static_cast<uint32_t>(path_.size() + 1), define, Task::Compare});
  }

  void report(const Node* l, const Node* r) { reportText(l, r, {}, {}); }
  void reportShared(const Node* l, const Node* r) {
    auto said = [](bool shared) { return std::string(shared ? "used in two places" : "a node of its own"); };
    reportText(l, r, said(leftToRight_.contains(l)), said(rightToLeft_.contains(r)));
  }
  void reportText(const Node* l, const Node* r, std::string lhs, std::string rhs) {
    std::string path;
    for (const Segment& s : path_) {
      if (!path.empty()) path += '.';
      path += s.field;
      if (s.index != kNoIndex) path += '[' + std::to_string(s.index) + ']';
    }
    found_ = Difference{std::move(path), NodeRef(l), NodeRef(r), std::move(lhs), std::move(rhs)};
  }

  FreeVars freeVars_;
  /// True while every variable is mapped to itself: then a shared node is equal to itself. Free variables that are
  /// mapped have to be met one by one.
  bool identical_;
  std::vector<Item> work_;
  std::vector<Segment> path_;
  std::unordered_map<const Node*, const Node*> leftToRight_, rightToLeft_;
  std::unordered_set<std::pair<const Node*, const Node*>, PairHash> compared_;
  std::optional<Difference> found_;
};

}  // namespace

std::optional<Difference> firstDifference(const NodeRef& lhs, const NodeRef& rhs, FreeVars freeVars) {
  if (lhs == rhs && freeVars != FreeVars::Map) return std::nullopt;
  return Comparer(freeVars).run(lhs, rhs);
}

bool structuralEqual(const NodeRef& lhs, const NodeRef& rhs, FreeVars freeVars) {
  return !firstDifference(lhs, rhs, freeVars);
}

}  // namespace rx
