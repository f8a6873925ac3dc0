// Matrix products by a CBLAS: float32 and float64.
#include <fmt/format.h>

#include "core/library/library.h"
#include "core/library/product_shape.h"
#include "core/library/shared_object.h"

namespace rx::library {

namespace {

/// As the reference interface numbers them (netlib.org/blas, cblas.h).
enum Order : int { kRowMajor = 101 };
enum Transpose : int { kAsItLies = 111, kTransposed = 112 };

template <class T>
using Gemm = void (*)(Order, Transpose, Transpose, int rows, int columns, int depth, T alpha, const T* a, int lda,
                      const T* b, int ldb, T beta, T* c, int ldc);

struct Cblas {
  Gemm<float> single;
  Gemm<double> twice;
};

Result<Cblas> find() {
  RX_TRY(library, openShared("CBLAS", {"libopenblas.so.0", "libblas.so.3", "libcblas.so.3"}, "libopenblas0"));
  const Cblas found{reinterpret_cast<Gemm<float>>(addressIn(library, "cblas_sgemm")),
                    reinterpret_cast<Gemm<double>>(addressIn(library, "cblas_dgemm"))};
  if (found.single && found.twice) return found;
  return fail("library.version", "the BLAS of this machine has no cblas_sgemm and cblas_dgemm");
}

constinit Found<Cblas> cblas(find);

template <class T>
void multiply(Gemm<T> gemm, const ProductShape& shape, const HostTensor& a, const HostTensor& b,
              const HostTensor& out) {
  const auto* left = reinterpret_cast<const T*>(a.data());
  const auto* right = reinterpret_cast<const T*>(b.data());
  auto* result = reinterpret_cast<T*>(out.mutableData());
  const int rows = static_cast<int>(shape.rows), columns = static_cast<int>(shape.columns),
            depth = static_cast<int>(shape.depth);
  for (int64_t i = 0; i < shape.batch; ++i)
    gemm(kRowMajor, kAsItLies, shape.turned ? kTransposed : kAsItLies, rows, columns, depth, T(1),
         left + i * shape.leftElements(), depth, right + i * shape.rightElements(), shape.turned ? depth : columns,
         T(0), result + i * shape.outElements(), columns);
}

/// cblas.matmul(a, b, b is turned, out)
Result<vm::Value> matmul(vm::CallContext&, vm::Arguments args) {
  const HostTensor &a = args[0].tensor(), &b = args[1].tensor(), &out = args[3].tensor();
  const DataType dtype = a.dtype();
  if ((dtype != DataType::Float(32) && dtype != DataType::Float(64)) || b.dtype() != dtype || out.dtype() != dtype)
    return fail("library.shape", fmt::format("cblas.matmul takes float32 or float64, not {} with {} into {}",
                                             dtype.str(), b.dtype().str(), out.dtype().str()));
  RX_TRY(shape, productShape(a, b, args[2].asInt() != 0, out));
  const Result<Cblas>& found = cblas.get();
  if (!found) return found.failure();
  if (shape.isEmpty()) return vm::Value();
  dtype == DataType::Float(32) ? multiply(found->single, shape, a, b, out) : multiply(found->twice, shape, a, b, out);
  return vm::Value();
}

constexpr vm::BuiltinRow kFunctions[] = {
    {.name = "cblas.matmul", .signature = "ttit", .run = matmul, .writes = 1 << 3},
};

}  // namespace

std::span<const vm::BuiltinRow> cblasFunctions() { return kFunctions; }

Result<Unit> openCblas() {
  const Result<Cblas>& found = cblas.get();
  return found ? Result<Unit>(Unit{}) : found.failure();
}

}  // namespace rx::library
