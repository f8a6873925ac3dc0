// What is behind the C interface of a package: the program that is linked into the library, on the runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/export/runtime/rxs_package.h"
#include "core/export/runtime/weights.h"
#include "core/runtime/kernel_signature.h"
#include "core/runtime/machine.h"
#include "core/tensor/npy.h"

/// Made by the exporter and linked in: the kernels, what is known of them (KernelSignature), the forms of the
/// functions' parameters, the program, the features of processors that the kernels use, with spaces between them, the
/// code for devices, the constants in a row, and what is known of the weights: the length of their file, and the hash
/// of each chunk.
extern "C" {
extern const rx::vm::KernelEntry rxs_kernels[];
extern const char rxs_kernel_info[];
extern const int64_t rxs_kernel_info_size;
extern const char rxs_needed_features[];
extern const int64_t rxs_needed_features_size;
extern const char rxs_program_bytes[];
extern const int64_t rxs_program_size;
extern const char rxs_device_code[];
extern const int64_t rxs_device_code_size;
extern const char rxs_constants[];
extern const int64_t rxs_constants_size;
extern const char rxs_weights_info[];
extern const int64_t rxs_weights_info_size;
}

namespace rx::package {

/// How the parameters of a function are put together from the inputs, a letter each: t tensor, s shape, i integer,
/// f real, ( ) tuple, a anything that is one input.
struct FunctionForms {
  std::string name;
  std::vector<std::string> params;
  static void parts(auto& io, auto& self) { io(self.name, self.params); }
};

/// What a package knows of its kernels, in the order of their numbers, and the forms that follow.
struct KernelInfo {
  std::vector<std::pair<std::string, vm::KernelSignature>> kernels;
  std::vector<FunctionForms> forms;
  static void parts(auto& io, auto& self) { io(self.kernels, self.forms); }
};
/// Fails with package.kernels where the bytes are none.
Result<KernelInfo> readKernelInfo(std::string_view bytes);

/// The builtins and kernels by name, the names of the kernels by number, and the forms.
struct KernelTable {
  std::shared_ptr<const vm::PackedRegistry> functions;
  std::vector<std::string> kernels;
  std::vector<FunctionForms> forms;
};
/// Fails with package.kernels where the linked-in table is damaged.
Result<KernelTable> readKernelTable();

/// The functions that run on devices, and those of the host for the others. Linked in where the package has code for
/// devices, else null. Fails with device.*.
[[gnu::weak, gnu::visibility("hidden")]] Result<std::shared_ptr<vm::KernelProvider>> openDevices(
    std::string_view code, std::shared_ptr<const vm::PackedRegistry> functions);

/// What a function is run with.
struct RunArguments {
  std::vector<vm::Value> args;
  std::vector<Ref<Storage>> lent;  ///< of the inputs, which are the caller's after the run
};
/// The arguments of a function from the inputs of rxs_run, which are read where they are; what is not given comes from
/// the weights.
Result<RunArguments> argumentsOf(const vm::FunctionInfo& function, const FunctionForms* forms,
                                 std::span<const rxs_tensor> inputs, Weights& weights);
}  // namespace rx::package
