// One computation by oneDNN 2; private to core/library.
#pragma once

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>

#include <span>

#include "core/runtime/callable.h"

namespace rx::library {

/// The functions of the library that this machine has, and its engine for the processor.
struct Dnnl {
#define RX_DNNL(name) decltype(&::dnnl_##name) name = nullptr;
#include "core/library/dnnl_functions.def"
  dnnl_engine_t engine = nullptr;
};

/// Fails with library.missing and library.version.
const Result<Dnnl>& findDnnl();

/// A tensor that a computation reads or writes. Its layout is as it lies in memory, row by row.
struct DnnlOperand {
  int argument;         ///< DNNL_ARG_...
  dnnl_query_t layout;  ///< what asks for the layout that the computation wants
  const dnnl_memory_desc_t* lies;
  std::byte* data;
};

/// A tensor of these sizes in float32, row by row, or with the last two of them turned.
Result<dnnl_memory_desc_t> dnnlRows(const Dnnl& dnnl, std::span<const int64_t> shape, bool turned = false);
/// The same in whatever layout the library likes.
Result<dnnl_memory_desc_t> dnnlAnyLayout(const Dnnl& dnnl, std::span<const int64_t> shape);

/// Computes what the description says, with max(x, 0) of each result where it is asked for. The result is the last
/// operand. Operands whose layout the library likes otherwise are copied into memory of the call, and the result back.
/// Fails with library.failed, and as CallContext::tensor.
Result<Unit> dnnlCompute(const Dnnl& dnnl, const_dnnl_op_desc_t description, bool relu,
                         std::span<const DnnlOperand> operands, vm::CallContext& context);

/// library.failed where the library says so.
Result<Unit> dnnlCheck(const Dnnl& dnnl, dnnl_status_t status, std::string_view what);

}  // namespace rx::library
