// KernelSignature: how the arguments of a call become those of a kernel's machine code, and what is checked before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/arguments.h"
#include "core/runtime/shape_program.h"
#include "core/support/result.h"
#include "core/support/small_list.h"
#include "core/tensor/tensor_blob.h"

namespace rx::vm {

/// Compiled code: pointers to the data of its tensors; integer arguments followed by the symbols that shapes bind; real
/// arguments; a place for a scalar result; the KernelHost that it calls back. 0 when it went well.
using KernelEntry = int32_t (*)(void** buffers, const int64_t* ints, const double* reals, int64_t* result, void* host);

/// No axis that a symbol stands for is longer: more does not fit into memory.
constexpr int64_t kLongestAxis = int64_t{1} << 46;

/// Which of the three lists an argument goes to.
enum class KernelPlace : uint8_t { Buffer, Int, Real };

struct KernelParam {
  KernelPlace place = KernelPlace::Buffer;
  bool written = false;  ///< the body may write it
  /// Of a buffer that the function declares; without one any tensor is taken.
  bool declared = false;
  DataType dtype;
  std::vector<ShapeProgram> shape;
  std::vector<ShapeProgram> strides;  ///< none: compact
  ShapeProgram offset;                ///< in elements

  static void parts(auto& io, auto& self) {
    io(self.place, self.written, self.declared);
    if (self.declared) io(self.dtype, self.shape, self.strides, self.offset);
  }
};

/// A symbol of the signature: an integer parameter, or bound by a tensor's axis, stride, offset or size.
struct KernelSymbol {
  /// Bytes: those of a tensor that a bare pointer takes.
  enum class Source : uint8_t { Parameter, Axis, Stride, Offset, Bytes } source = Source::Parameter;
  uint32_t param = 0;  ///< whose argument gives it
  uint32_t axis = 0;
  std::string name;
  DataType dtype = DataType::Int(64);  ///< what the kernel holds it in

  static void parts(auto& io, auto& self) { io(self.source, self.param, self.axis, self.name, self.dtype); }
};

/// Arguments in the form of KernelEntry.
struct KernelArguments {
  SmallList<void*, 8> buffers;
  SmallList<int64_t, 8> ints;
  SmallList<double, 4> reals;
};

struct KernelSignature {
  int32_t device = kHost;  ///< where its tensors lie, as instructions number the devices
  std::vector<KernelParam> params;
  /// The integer parameters in their order, then the symbols that only shapes bind: the ints of the machine code.
  std::vector<KernelSymbol> symbols;
  DataType resultType = DataType::Void();  ///< of the scalar that the body returns

  /// Binds the symbols and checks every shape, type and scalar, so that the machine code only gets what its parameters
  /// promise. Fails with vm.kernel-argument (or vm.argument-count).
  Result<Unit> bind(std::string_view kernel, Arguments args, KernelArguments& out) const;
  /// Whether the body may write this argument.
  bool mayWrite(size_t argument) const { return argument < params.size() && params[argument].written; }
  /// The scalar that the machine code left; null without one.
  Value resultOf(int64_t bits) const;

  static void parts(auto& io, auto& self) {
    io(self.resultType, self.device, self.symbols, self.params);
    io.check([&] { return self.fits(); });
  }

 private:
  /// Whether parameters and symbols, which may come from anywhere, are such as the binder takes them for.
  bool fits() const;
};

}  // namespace rx::vm
