// LowerOpaqueBlock: blocks vanish. Their predicate becomes a branch, what they allocate an allocation before their
// body; loops of one step go, loops bound to threads become launches, pragmas become attributes around the loop.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/lower/storage_align.h"
#include "core/lower/substituter.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kPragma = "pragma_";

struct Pragma {
  Str key;
  NodeRef value;
};

class Blockless : public Substituter {
 public:
  explicit Blockless(const Stmt& body) : aligns_(storageAligns(body)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (auto realize = refAs<BlockRealize>(statement)) return lowered(realize);
    if (auto loop = refAs<For>(statement)) return lowered(loop);
    return parts(statement);
  }

 private:
  Stmt lowered(const Ref<BlockRealize>& realize) {
    if (!realize->iterValues.empty()) {
      refuse("lower.order",
             fmt::format("the block {} still has axes: ConvertBlocksToOpaque comes first", realize->block->name.view()),
             realize->block->span);
      return realize;
    }
    auto block = cast<Block>(rewrite(Stmt(realize->block)));
    const PrimExpr predicate = rewrite(realize->predicate);
    Stmt body = block->body;
    if (!arith::isOne(predicate)) body = make<IfThenElse>(predicate, body);
    std::vector<Stmt> all;
    for (size_t i = 0; i < block->allocBuffers.size(); ++i) {
      // The alignment is known by the pointer that the annotations name.
      all.push_back(make<AllocBuffer>(block->allocBuffers[i], annotationsOf(*realize->block->allocBuffers[i])));
    }
    all.push_back(body);
    return withPragmas(intImm(0, DataType::Int(32)), pragmasOf(block->annotations), inOrder(all));
  }

  ir::Attrs annotationsOf(const Buffer& buffer) const {
    std::vector<std::pair<Str, NodeRef>> entries;
    if (const auto found = aligns_.find(buffer.data.get()); found != aligns_.end()) {
      entries.emplace_back(Str(kDimAlign), alignAnnotation(found->second));
    }
    entries.emplace_back(Str("buffer_data_alignment"), intImm(buffer.dataAlignment, DataType::Int(32)));
    entries.emplace_back(Str("buffer_allocated_addr"), ir::arrayAttr({}));
    return make<ir::DictAttrs>(entries);
  }

  Stmt lowered(const Ref<For>& loop) {
    const PrimExpr min = rewrite(loop->min), extent = rewrite(loop->extent);
    const bool plain = !loop->annotations || loop->annotations->size() == 0;
    const bool once = arith::isOne(extent) && plain;
    if (once) values[loop->loopVar.get()] = arith::cast(loop->loopVar->dtype, min);
    Stmt body = rewrite(loop->body);
    if (loop->forKind == ForKind::ThreadBinding) {
      body = launch(*loop, min, extent, body);
    } else if (once) {
      return body;
    } else {
      auto* made = new For(*loop);
      made->min = min;
      made->extent = extent;
      made->step = loop->step ? rewrite(loop->step) : nullptr;
      made->body = body;
      made->threadBinding = nullptr;
      made->annotations = withoutPragmas(loop->annotations);
      body = Stmt(made);
      if (made->min == loop->min && made->extent == loop->extent && made->body == loop->body &&
          made->step == loop->step && made->annotations == loop->annotations) {
        body = loop;
      }
    }
    return withPragmas(loop->loopVar, pragmasOf(loop->annotations), body);
  }

  static Stmt launch(const For& loop, const PrimExpr& min, const PrimExpr& extent, const Stmt& body) {
    const Str tag = loop.threadBinding->threadTag;
    auto iter = make<IterVar>(make<Range>(min, extent), loop.loopVar, IterType::ThreadIndex, tag);
    return make<AttrStmt>(iter, Str(tag.view().starts_with("vthread") ? "virtual_thread" : "thread_extent"), extent,
                          body);
  }

  static ir::Attrs withoutPragmas(const ir::Attrs& annotations) {
    if (!annotations) return nullptr;
    std::vector<std::pair<Str, NodeRef>> kept;
    for (size_t i = 0; i < annotations->size(); ++i) {
      if (!annotations->keys[i].view().starts_with(kPragma)) {
        kept.emplace_back(annotations->keys[i], annotations->values[i]);
      }
    }
    return kept.size() == annotations->size() ? annotations : ir::Attrs(make<ir::DictAttrs>(kept));
  }

  /// Sorted by key.
  static std::vector<Pragma> pragmasOf(const ir::Attrs& annotations) {
    std::vector<Pragma> found;
    for (size_t i = 0; annotations && i < annotations->size(); ++i) {
      if (annotations->keys[i].view().starts_with(kPragma)) {
        found.push_back({annotations->keys[i], annotations->values[i]});
      }
    }
    std::sort(found.begin(), found.end(), [](const Pragma& a, const Pragma& b) { return a.key.view() < b.key.view(); });
    return found;
  }

  Stmt withPragmas(const NodeRef& subject, const std::vector<Pragma>& pragmas, Stmt body) {
    for (size_t i = pragmas.size(); i-- > 0;) {
      PrimExpr value = pragmaValue(pragmas[i]);
      if (value || isa<ir::NullAttr>(pragmas[i].value)) {
        body = make<AttrStmt>(subject, pragmas[i].key, value, body);
      } else {
        refuse("lower.pragma", fmt::format("the value of {} is no expression", pragmas[i].key.view()));
      }
    }
    return body;
  }

  static PrimExpr pragmaValue(const Pragma& pragma) {
    if (auto expr = refAs<ExprNode>(pragma.value)) return expr;
    if (const auto* text = as<ir::StrAttr>(pragma.value)) return make<StringImm>(text->value);
    if (const auto* truth = as<ir::BoolAttr>(pragma.value)) return boolImm(truth->value);
    if (const auto* number = as<ir::IntAttr>(pragma.value)) return intImm(number->value, DataType::Int(32));
    if (const auto* number = as<ir::FloatAttr>(pragma.value)) return floatImm(number->value);
    return nullptr;
  }

  StorageAligns aligns_;
};

}  // namespace

Result<PrimFuncRef> lowerOpaqueBlock(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Blockless(func->body).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
