// Calls of `T.` inside a block: what it reads and writes, its predicate and its axes.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/structural_equal.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

namespace {
/// The value of a `with` or statement that opened a frame without a name for it.
NodeRef nothing() { return ir::nullAttr(); }
}  // namespace

NodeRef Reader::tReads(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "T.reads does not stand right inside a block");
  std::vector<NodeRef> values = args.values;
  if (values.size() == 1 && isa<ir::ArrayAttr>(values[0])) values = as<ir::ArrayAttr>(values[0])->items.vector();
  if (block->readsGiven) return error(args.call, "tir.block", "the block has T.reads already");
  block->readsGiven = true;
  for (const NodeRef& value : values) {
    if (auto region = regionOf(value, args.call)) block->reads.push_back(region);
  }
  return nothing();
}

NodeRef Reader::tWrites(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "T.writes does not stand right inside a block");
  std::vector<NodeRef> values = args.values;
  if (values.size() == 1 && isa<ir::ArrayAttr>(values[0])) values = as<ir::ArrayAttr>(values[0])->items.vector();
  if (block->writesGiven) return error(args.call, "tir.block", "the block has T.writes already");
  block->writesGiven = true;
  for (const NodeRef& value : values) {
    if (auto region = regionOf(value, args.call)) block->writes.push_back(region);
  }
  return nothing();
}

NodeRef Reader::tWhere(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block || args.values.size() != 1)
    return error(args.call, "tir.block", "T.where takes one condition, right inside a block");
  if (block->where) return error(args.call, "tir.block", "the block has T.where already");
  PrimExpr condition = toPrim(args.values[0], args.call);
  if (!condition) return nullptr;
  if (!condition->dtype.isBool())
    return error(args.call, "tir.type", "a truth value is needed here, not " + condition->dtype.str());
  block->where = std::move(condition);
  return nothing();
}

namespace {
/// Two values of one annotation as one; null when they contradict.
NodeRef joinAttrs(const NodeRef& a, const NodeRef& b) {
  const auto* x = as<ir::DictAttrs>(a);
  const auto* y = as<ir::DictAttrs>(b);
  if (!x || !y) return structuralEqual(a, b) ? a : nullptr;
  std::vector<std::pair<Str, NodeRef>> entries;
  for (size_t i = 0; i < x->size(); ++i) entries.emplace_back(x->keys[i], x->values[i]);
  for (size_t i = 0; i < y->size(); ++i) {
    NodeRef known = x->get(y->keys[i].view());
    if (!known) {
      entries.emplace_back(y->keys[i], y->values[i]);
    } else if (!structuralEqual(known, y->values[i])) {
      return nullptr;
    }
  }
  return make<ir::DictAttrs>(entries);
}
}  // namespace

NodeRef Reader::tBlockAttr(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block || args.values.size() != 1 || !isa<ir::DictAttrs>(args.values[0])) {
    return error(args.call, "tir.block", "T.sblock_attr takes a dictionary, right inside a block");
  }
  auto dict = refAs<ir::DictAttrs>(attrValue(args.values[0]));
  for (size_t i = 0; i < dict->size(); ++i) {
    auto known = std::find_if(block->attrs.begin(), block->attrs.end(),
                              [&](const auto& entry) { return entry.first == dict->keys[i]; });
    if (known == block->attrs.end()) {
      block->attrs.emplace_back(dict->keys[i], dict->values[i]);
      continue;
    }
    // What is said twice must be the same; dictionaries are joined.
    NodeRef joined = joinAttrs(known->second, dict->values[i]);
    if (!joined) {
      return error(args.call, "tir.block", "the attribute '" + known->first.string() + "' has another value already",
                   "leave one of them out");
    }
    known->second = std::move(joined);
  }
  return nothing();
}

NodeRef Reader::tAxis(const Args& args, uint32_t row) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"dom", "binding", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "an axis does not stand right inside a block");
  Ref<tir::Range> dom;
  if (const auto* pair = as<ir::ArrayAttr>(v[0]); pair && pair->items.size() == 2) {
    PrimExpr begin = toIndex(pair->items[0], args.call), end = toIndex(pair->items[1], args.call);
    if (!begin || !end || !arith::matchTypes(begin, end)) return nullptr;
    arith::Analyzer analyzer;
    dom = make<tir::Range>(begin, analyzer.simplify(arith::sub(end, begin)));
  } else if (isa<tir::Range>(v[0])) {
    dom = refAs<tir::Range>(v[0]);
  } else {
    PrimExpr extent = toIndex(v[0], args.call);
    if (!extent) return nullptr;
    dom = make<tir::Range>(arith::constantInt(extent->dtype, 0), extent);
  }
  auto var = make<tir::Var>(Str(), dom->extent->dtype);
  block->iterVars.push_back(make<tir::IterVar>(dom, var, static_cast<tir::IterType>(row)));
  if (!isNone(v[1])) {
    PrimExpr value = toIndex(v[1], args.call);
    if (!value) return nullptr;
    block->iterValues.push_back(value);
  }
  return var;
}

NodeRef Reader::tRemap(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"kinds", "bindings", "dtype"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Frame* block = blockFrame();
  auto kinds = toText(v[0], args.call);
  const auto* list = as<ir::ArrayAttr>(v[1]);
  if (!block || !kinds || !list)
    return error(args.call, "tir.block", "T.axis.remap takes kinds and a list of loop variables, right inside a block");
  std::string_view letters = kinds->view();
  if (letters.size() != list->items.size()) {
    return error(
        args.call, "tir.block",
        std::to_string(letters.size()) + " kinds for " + std::to_string(list->items.size()) + " loop variables");
  }
  std::vector<NodeRef> vars;
  for (size_t i = 0; i < letters.size(); ++i) {
    PrimExpr loopVar = toPrim(list->items[i], args.call);
    const Loop* loop = nullptr;
    Loop thread;
    for (size_t f = frames_.size(); f-- > 0 && !loop && loopVar;) {
      for (const Loop& l : frames_[f].loops) {
        if (l.var == loopVar) loop = &l;
      }
      if (frames_[f].kind == FrameKind::Attr && isa<tir::IterVar>(frames_[f].node) &&
          as<tir::IterVar>(frames_[f].node)->var == loopVar) {
        thread = {as<tir::IterVar>(frames_[f].node)->var, arith::constantInt(frames_[f].value->dtype, 0),
                  frames_[f].value, nullptr};
        loop = &thread;
      }
    }
    if (!loop) return error(args.call, "tir.block", "T.axis.remap needs variables of the loops around the block");
    tir::IterType type = letters[i] == 'R'   ? tir::IterType::CommReduce
                         : letters[i] == 'O' ? tir::IterType::Ordered
                                             : tir::IterType::DataPar;
    if (letters[i] != 'S' && letters[i] != 'R' && letters[i] != 'O') {
      return error(args.call, "tir.block", std::string("'") + letters[i] + "' is no kind of axis; S and R are");
    }
    auto var = make<tir::Var>(Str(), loop->extent->dtype);
    block->iterVars.push_back(make<tir::IterVar>(make<tir::Range>(loop->min, loop->extent), var, type));
    block->iterValues.push_back(loopVar);
    vars.push_back(var);
  }
  if (vars.size() == 1) return vars[0];
  return ir::arrayAttr(std::move(vars));
}

}  // namespace rx::script
