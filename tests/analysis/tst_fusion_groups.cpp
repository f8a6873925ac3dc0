#include <QTest>
#include <map>

#include "core/analysis/fusion_groups.h"
#include "core/analysis/post_dominators.h"
#include "core/ir/all_nodes.h"
#include "core/op/op_table.h"

using namespace rx;
using analysis::OpPattern;
using relax::VarRef;

namespace {

constexpr int64_t kDepth = 256;

/// One dataflow block of calls of kernels, of which only the patterns matter.
class Net {
 public:
  VarRef x = make<relax::Var>("x", info());

  VarRef call(const char* name, OpPattern pattern, std::vector<relax::Expr> args, bool output = false) {
    relax::GlobalVarRef& kernel = kernels_[pattern];
    if (!kernel) {
      const auto number = static_cast<int64_t>(pattern);
      kernel = make<relax::GlobalVar>(Str("kernel" + std::to_string(number)));
      const ir::Attrs attrs = ir::withAttr(nullptr, "op_pattern", ir::intAttr(number));
      entries_.emplace_back(kernel, make<tir::PrimFunc>(Array<tir::VarRef>(), Array<tir::BufferRef>(),
                                                        make<tir::Evaluate>(tir::intImm(0)), nullptr, attrs));
    }
    return bind(name,
                make<relax::Call>(op::opRef("relax.call_tir"),
                                  Array<relax::Expr>{kernel, make<relax::Tuple>(Array<relax::Expr>(std::move(args)))},
                                  nullptr, Array<relax::StructInfo>{info()}, info()),
                output);
  }
  VarRef bind(const char* name, relax::Expr value, bool output = false) {
    VarRef var = output ? make<relax::Var>(name, info()) : VarRef(make<relax::DataflowVar>(name, info()));
    bindings_.push_back(make<relax::VarBinding>(var, std::move(value)));
    return var;
  }

  ir::Module module(bool fused = false) const {
    auto block = make<relax::DataflowBlock>(Array<relax::Binding>(bindings_));
    auto body = make<relax::SeqExpr>(Array<relax::BlockRef>{relax::BlockRef(block)}, bindings_.back()->var);
    const ir::Attrs attrs = fused ? ir::withAttr(nullptr, "Primitive", ir::boolAttr(true)) : nullptr;
    auto entries = entries_;
    entries.emplace_back(make<relax::GlobalVar>("main"),
                         make<relax::Function>(Array<VarRef>{x}, body, info(), true, attrs));
    return make<ir::IRModule>(entries, nullptr, nullptr, SourceList{});
  }

  /// "a b | c": names by group, in the order of the text.
  std::string groups(int64_t level = 2, int64_t depth = kDepth) const {
    const ir::Module whole = module();
    analysis::FusionGroups made = analysis::fuseGroups(analysis::ForwardGraph(*whole).nodes(), level, depth);
    std::map<uint32_t, std::string> members;
    std::vector<uint32_t> order;
    for (const relax::Binding& binding : bindings_) {
      const uint32_t group = *made.find(binding->var.get());
      if (members[group].empty()) order.push_back(group);
      members[group] += (members[group].empty() ? "" : " ") + binding->var->name.string();
    }
    std::string out;
    for (uint32_t group : order) out += (out.empty() ? "" : " | ") + members[group];
    return out;
  }

 private:
  static relax::StructInfo info() {
    return relax::tensorSinfo(std::vector<tir::PrimExpr>{tir::intImm(4)}, DataType::Float(32));
  }
  std::vector<relax::Binding> bindings_;
  std::map<OpPattern, relax::GlobalVarRef> kernels_;
  std::vector<ir::IRModule::Entry> entries_;
};

constexpr OpPattern kElementWise = OpPattern::ElementWise, kBroadcast = OpPattern::Broadcast,
                    kInjective = OpPattern::Injective, kReduction = OpPattern::Reduction,
                    kAnchor = OpPattern::OutEwiseFusable, kOpaque = OpPattern::Opaque;

/// a -> b of these patterns.
std::string pair(OpPattern a, OpPattern b) {
  Net net;
  net.call("b", b, {net.call("a", a, {net.x})}, true);
  return net.groups();
}

}  // namespace

class FusionGroupsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void pairs() {
    QCOMPARE(pair(kElementWise, kElementWise), std::string("a b"));
    QCOMPARE(pair(kElementWise, kReduction), std::string("a b"));
    QCOMPARE(pair(kElementWise, kAnchor), std::string("a | b"));
    QCOMPARE(pair(kBroadcast, kInjective), std::string("a b"));
    QCOMPARE(pair(kInjective, kInjective), std::string("a b"));
    QCOMPARE(pair(kInjective, kReduction), std::string("a | b"));
    QCOMPARE(pair(kAnchor, kElementWise), std::string("a b"));
    QCOMPARE(pair(kAnchor, kBroadcast), std::string("a | b"));
    QCOMPARE(pair(kReduction, kElementWise), std::string("a | b"));
    QCOMPARE(pair(kElementWise, kOpaque), std::string("a | b"));
  }

  void diamond() {
    Net net;
    const VarRef a = net.call("a", kAnchor, {net.x});
    const VarRef b = net.call("b", kElementWise, {a}), c = net.call("c", kElementWise, {a});
    net.call("d", kElementWise, {b, c}, true);
    QCOMPARE(net.groups(), std::string("a b c d"));
  }

  void brokenDiamond() {
    Net net;
    const VarRef a = net.call("a", kElementWise, {net.x});
    const VarRef b = net.call("b", kElementWise, {a}), c = net.call("c", kOpaque, {a});
    net.call("d", kElementWise, {b, c}, true);
    QCOMPARE(net.groups(), std::string("a | b d | c"));
  }

  void twoAnchorsStayApart() {
    Net net;
    const VarRef a = net.call("a", kAnchor, {net.x}), b = net.call("b", kAnchor, {net.x});
    net.call("c", kElementWise, {a, b}, true);
    QCOMPARE(net.groups(), std::string("a c | b"));
  }

  void outputIsComputedForItself() {
    Net net;
    const VarRef a = net.call("a", kElementWise, {net.x}, true);
    net.call("b", kElementWise, {a}, true);
    QCOMPARE(net.groups(), std::string("a | b"));
  }

  void levelAndDepth() {
    Net net;
    relax::Expr last = net.x;
    for (const char* name : {"a", "b", "c", "d"}) last = net.call(name, kElementWise, {last});
    net.call("e", kElementWise, {last}, true);
    QCOMPARE(net.groups(0), std::string("a | b | c | d | e"));
    QCOMPARE(net.groups(2), std::string("a b c d e"));
    QCOMPARE(net.groups(2, 1), std::string("a | b | c | d | e"));
    QVERIFY(net.groups(2, 2) != net.groups(2));
  }

  void longChain() {
    Net net;
    relax::Expr last = net.x;
    for (int i = 0; i < 100000; ++i) last = net.call("a", kElementWise, {last});
    const ir::Module module = net.module();
    const analysis::ForwardGraph graph(*module);
    QCOMPARE(analysis::postDominators(graph.nodes())[1].parent, 2u);
    analysis::FusionGroups groups = analysis::fuseGroups(graph.nodes(), 2, kDepth);
    for (uint32_t i = 0; i < groups.size(); ++i) {
      QVERIFY(groups[groups.root(i)].size <= kDepth);
    }
  }

  void fusedFunctionsAreLeftAlone() {
    Net net;
    net.call("a", kElementWise, {net.x}, true);
    QVERIFY(!analysis::ForwardGraph(*net.module()).nodes().empty());
    QVERIFY(analysis::ForwardGraph(*net.module(true)).nodes().empty());
  }
};

QTEST_GUILESS_MAIN(FusionGroupsTest)
#include "tst_fusion_groups.moc"
