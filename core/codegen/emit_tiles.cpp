// Sums of products in the tile registers of a processor: T.rx_tile_products. Each call sets the registers up for itself
// and gives them back, so that any thread can make it, and no state is left for others to keep.
#include <llvm/IR/IntrinsicsX86.h>

#include "core/codegen/emitter.h"
#include "core/codegen/llvm_module.h"
#include "core/ir/tile_products.h"

namespace rx::codegen {

namespace {

using tir::TileProducts;
constexpr int64_t kSide = TileProducts::kSide, kTileBytes = TileProducts::kTileBytes, kWordBytes = 4;
/// Tiles of rows and of columns whose sums are made at once, each with a register; the operands have the others.
constexpr int64_t kRows = 2, kColumns = 2;
constexpr uint8_t kFirstRow = kRows * kColumns, kFirstColumn = kFirstRow + kRows, kRegisters = 8;
/// Steps that are made of all rows before the next ones: what lies across stays in the nearest cache.
constexpr int64_t kStepsAtOnce = 16;

WordWork workOf(const TileProducts& of) {
  if (of.ofHalves()) return WordWork::TilesOfHalves;
  if (of.rows.isUInt()) return of.across.isUInt() ? WordWork::TilesOfPlain : WordWork::TilesOfPlainAndSigned;
  return of.across.isUInt() ? WordWork::TilesOfSignedAndPlain : WordWork::TilesOfSigned;
}

/// What ldtilecfg reads: the palette, and for each register the bytes of a row and the rows.
llvm::Constant* setup(llvm::Module& module) {
  constexpr const char* kName = "rx.tiles";
  if (auto* made = module.getNamedGlobal(kName)) return made;
  constexpr size_t kBytes = 64, kRowBytesAt = 16, kRowsAt = 48;
  uint8_t bytes[kBytes] = {1};
  for (size_t i = 0; i < kRegisters; ++i) {
    bytes[kRowBytesAt + 2 * i] = kSide * kWordBytes;
    bytes[kRowsAt + i] = kSide;
  }
  auto* data = llvm::ConstantDataArray::get(module.getContext(), llvm::ArrayRef<uint8_t>(bytes));
  auto* made = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, kName);
  made->setAlignment(llvm::Align(kBytes));
  return made;
}

/// The code of one call, behind its checks.
class TileCode {
 public:
  TileCode(llvm::IRBuilder<>& builder, const TileProducts& of, llvm::Intrinsic::ID product)
      : builder_(builder), of_(of), product_(product) {}

  void write(llvm::Value* sums, llvm::Value* rows, llvm::Value* across) {
    sums_ = sums;
    rows_ = rows;
    across_ = across;
    call(llvm::Intrinsic::x86_ldtilecfg, {setup(*builder_.GetInsertBlock()->getModule())});
    const int64_t whole = of_.steps / kStepsAtOnce * kStepsAtOnce;
    const int64_t first = std::min(of_.steps, kStepsAtOnce);
    part(i64(0), first, true);
    if (whole > kStepsAtOnce) {
      loop(whole / kStepsAtOnce - 1,
           [&](llvm::Value* chunk) { part(mul(add(chunk, i64(1)), kStepsAtOnce), kStepsAtOnce, false); });
    }
    if (of_.steps > first && whole < of_.steps) part(i64(whole), of_.steps - whole, false);
    call(llvm::Intrinsic::x86_tilerelease, {});
  }

 private:
  llvm::Value* i64(int64_t value) { return builder_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* add(llvm::Value* a, llvm::Value* b) { return builder_.CreateAdd(a, b); }
  llvm::Value* mul(llvm::Value* a, int64_t b) { return builder_.CreateMul(a, i64(b)); }
  void call(llvm::Intrinsic::ID what, llvm::ArrayRef<llvm::Value*> args) { builder_.CreateIntrinsic(what, {}, args); }
  llvm::Value* tile(int64_t number) { return builder_.getInt8(static_cast<uint8_t>(number)); }
  llvm::Value* at(llvm::Value* base, llvm::Value* bytes) {
    return builder_.CreateGEP(builder_.getInt8Ty(), base, bytes);
  }

  void loop(int64_t count, const std::function<void(llvm::Value*)>& body) {
    if (count == 1) return body(i64(0));
    llvm::Function* function = builder_.GetInsertBlock()->getParent();
    auto* before = builder_.GetInsertBlock();
    auto* inside = llvm::BasicBlock::Create(builder_.getContext(), "tiles", function);
    auto* end = llvm::BasicBlock::Create(builder_.getContext(), "end", function);
    builder_.CreateBr(inside);
    builder_.SetInsertPoint(inside);
    auto* counter = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    counter->addIncoming(i64(0), before);
    body(counter);
    llvm::Value* next = builder_.CreateAdd(counter, i64(1), "", true, true);
    counter->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpULT(next, i64(count)), inside, end);
    builder_.SetInsertPoint(end);
  }
  /// Tiles in groups of the size, and one of what is left: `body` gets the first tile and how many there are.
  void inGroups(int64_t tiles, int64_t size, const std::function<void(llvm::Value*, int64_t)>& body) {
    if (tiles >= size) loop(tiles / size, [&](llvm::Value* group) { body(mul(group, size), size); });
    if (tiles % size > 0) body(i64(tiles / size * size), tiles % size);
  }

  /// Some steps of all sums; the first ones begin them.
  void part(llvm::Value* step, int64_t count, bool begins) {
    inGroups(of_.columnTiles, kColumns, [&](llvm::Value* column, int64_t columns) {
      inGroups(of_.rowTiles, kRows,
               [&](llvm::Value* row, int64_t rows) { group(row, rows, column, columns, begins, step, count); });
    });
  }

  void group(llvm::Value* row, int64_t rows, llvm::Value* column, int64_t columns, bool begins, llvm::Value* first,
             int64_t count) {
    const auto eachSum = [&](llvm::Intrinsic::ID what, bool withPlace) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          llvm::Value* number = tile(i * kColumns + j);
          if (!withPlace) {
            call(what, {number});
            continue;
          }
          const int64_t rowBytes = of_.columnTiles * kSide * kWordBytes;
          llvm::Value* place =
              add(mul(add(row, i64(i)), kSide * rowBytes), mul(add(column, i64(j)), kSide * kWordBytes));
          call(what, {number, at(sums_, place), i64(rowBytes)});
        }
      }
    };
    eachSum(begins ? llvm::Intrinsic::x86_tilezero : llvm::Intrinsic::x86_tileloadd64, !begins);
    loop(count, [&](llvm::Value* step) { oneStep(row, rows, column, columns, add(first, step)); });
    eachSum(llvm::Intrinsic::x86_tilestored64, true);
  }

  void oneStep(llvm::Value* row, int64_t rows, llvm::Value* column, int64_t columns, llvm::Value* step) {
    const auto fetch = [&](int64_t number, llvm::Value* base, llvm::Value* which) {
      call(llvm::Intrinsic::x86_tileloadd64, {tile(number), at(base, mul(which, kTileBytes)), i64(kSide * kWordBytes)});
    };
    for (int64_t j = 0; j < columns; ++j)
      fetch(kFirstColumn + j, across_, add(mul(step, of_.columnTiles), add(column, i64(j))));
    for (int64_t i = 0; i < rows; ++i) {
      fetch(kFirstRow + i, rows_, add(mul(add(row, i64(i)), of_.steps), step));
      for (int64_t j = 0; j < columns; ++j)
        call(product_, {tile(i * kColumns + j), tile(kFirstRow + i), tile(kFirstColumn + j)});
    }
  }

  llvm::IRBuilder<>& builder_;
  const TileProducts& of_;
  llvm::Intrinsic::ID product_;
  llvm::Value *sums_ = nullptr, *rows_ = nullptr, *across_ = nullptr;
};

}  // namespace

llvm::Value* Emitter::tileProducts(const tir::Call& call) {
  const auto of = tir::tileProductsOf(call);
  if (!of) return refuse(call.span, tir::kNoTileProducts);
  const auto product = instructionFor(module_, workOf(*of), kSide);
  if (!product)
    return refuse(call.span, "rx_tile_products has machine code for processors with amx-int8 or amx-bf16 alone");
  llvm::Value* places[3] = {};
  const std::pair<size_t, int64_t> needed[] = {{TileProducts::kSums, of->bytesOfSums()},
                                               {TileProducts::kRows, of->bytesOfRows()},
                                               {TileProducts::kAcross, of->bytesOfAcross()}};
  for (size_t i = 0; i < std::size(needed); ++i) {
    const auto made = pointer(call.args[needed[i].first]);
    if (!made) return nullptr;
    places[i] = made->base;
    if (options_.checkAccess) pointerHolds(*made, needed[i].second);
  }
  // The system gives a process these registers when it asks, and may refuse.
  const auto ask = host("rx_use_tiles", builder_.getInt32Ty(), {builder_.getPtrTy()});
  failNoted(builder_.CreateICmpEQ(builder_.CreateCall(ask, {host_}), builder_.getInt32(0)));
  TileCode(builder_, *of, *product).write(places[0], places[1], places[2]);
  return builder_.getInt32(0);
}

}  // namespace rx::codegen
