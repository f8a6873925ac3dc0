#include "core/legalize/threads.h"

#include <bit>

#include "core/ir/all_nodes.h"

namespace rx::legalize {

using namespace te;

PrimExpr groupsOf(const PrimExpr& count, int64_t each) {
  return arith::floorDiv(arith::add(count, i64(each - 1)), i64(each));
}

namespace {

tir::Stmt underAxis(const char* tag, const tir::VarRef& var, const PrimExpr& extent, tir::Stmt body) {
  auto axis = make<tir::IterVar>(make<tir::Range>(i32(0), extent), var, tir::IterType::ThreadIndex, Str(tag));
  return make<tir::AttrStmt>(NodeRef(axis), Str("thread_extent"), extent, std::move(body));
}

}  // namespace

tir::Stmt launch(const PrimExpr& groups,
                 const std::function<tir::Stmt(const PrimExpr& group, const PrimExpr& thread)>& body) {
  const auto group = make<tir::Var>(Str("group"), DataType::Int(32));
  const auto thread = make<tir::Var>(Str("thread"), DataType::Int(32));
  tir::Stmt made = underAxis("threadIdx.x", thread, i32(kGroupThreads), body(wide(group), thread));
  return underAxis("blockIdx.x", group, arith::cast(DataType::Int(32), groups), std::move(made));
}

tir::Stmt launchEach(const PrimExpr& count, const PrimExpr& runs,
                     const std::function<tir::Stmt(const PrimExpr& number)>& body) {
  const PrimExpr groups = arith::select(runs, groupsOf(count, kGroupThreads), i64(0));
  return launch(groups, [&](const PrimExpr& group, const PrimExpr& thread) {
    const PrimExpr number = arith::add(arith::mul(group, i64(kGroupThreads)), wide(thread));
    return when(arith::lt(number, count), body(number));
  });
}

tir::Stmt waitForGroup() {
  return make<tir::Evaluate>(intrinsic("tvm_storage_sync", DataType::Int(32), {make<tir::StringImm>(Str("shared"))}));
}

Tensor Memory::shared(Shape shape, DataType type, std::string_view name) {
  return made(std::move(shape), type, name, "shared");
}

Tensor Memory::own(DataType type, std::string_view name) { return made({i32(1)}, type, name, "local"); }

Tensor Memory::made(Shape shape, DataType type, std::string_view name, std::string_view scope) {
  tir::Buffer buffer;
  buffer.data = tir::bufferPointer(type, Str(name), Str(scope));
  buffer.dtype = type;
  buffer.shape = Array<PrimExpr>(std::move(shape));
  buffer.name = Str(name);
  buffers_.push_back(make<tir::Buffer>(buffer));
  return {buffers_.back()};
}

tir::Stmt Memory::around(tir::Stmt body) {
  tir::Block block;
  block.name = Str("memory");
  block.allocBuffers = Array<tir::BufferRef>(buffers_);
  block.body = std::move(body);
  return make<tir::BlockRealize>(Array<PrimExpr>(), tir::boolImm(true), make<tir::Block>(block));
}

tir::Stmt withViews(std::vector<Tensor> memory,
                    const std::function<tir::Stmt(const std::vector<Tensor>& views)>& body) {
  std::vector<tir::Stmt> made;
  for (Tensor& each : memory) {
    tir::Buffer view = *each.buffer;
    view.name = Str(view.name.string() + "_view");
    each = {make<tir::Buffer>(view)};
    made.push_back(make<tir::DeclBuffer>(each.buffer));
  }
  made.push_back(body(memory));
  return steps(made);
}

PrimExpr Lines::at(const PrimExpr& line, const PrimExpr& i) const {
  const PrimExpr first =
      arith::add(arith::mul(arith::floorDiv(line, after), arith::mul(length, after)), arith::floorMod(line, after));
  return arith::add(first, arith::mul(i, after));
}

Lines linesOf(const Array<PrimExpr>& shape, size_t axis) {
  const std::span<const PrimExpr> dims = shape.span();
  const PrimExpr after = wide(extentOf(dims.subspan(axis + 1)));
  return {arith::mul(wide(extentOf(dims.first(axis))), after), wide(dims[axis]), after};
}

bool isEmpty(const Lines& lines) { return arith::isZero(lines.count) || arith::isZero(lines.length); }

tir::Stmt scanOfGroup(const Tensor& values, const Tensor& other, const PrimExpr& thread, Binary combine) {
  std::vector<tir::Stmt> made;
  const Tensor *from = &values, *to = &other;
  for (int64_t reach = 1; reach < kGroupThreads; reach *= 2) {
    const PrimExpr own = (*from)({thread});
    const auto joined = [&] { return store(*to, {thread}, combine((*from)({arith::sub(thread, i32(reach))}), own)); };
    made.push_back(when(arith::ge(thread, i32(reach)), joined(), store(*to, {thread}, own)));
    made.push_back(waitForGroup());
    std::swap(from, to);
  }
  // An even number of steps: the last one wrote where the first one read.
  static_assert(std::countr_zero(static_cast<uint64_t>(kGroupThreads)) % 2 == 0);
  return steps(made);
}

}  // namespace rx::legalize
