// Modules that devices are tried with.
#pragma once

#include <QString>
#include <span>
#include <string>

namespace rx {

/// A module whose main computes `text` of tensors p0, p1 and so on, "n, 4: float32" each.
std::string moduleOf(const QString& text, const QString& tensors);
/// A module with this kernel, of x with 8 elements and y with 8 ("float32 int32": their types), and a main that calls
/// it.
std::string kernelOf(const QString& types, const QString& body);

struct ModuleRow {
  const char *text, *tensors;
};
std::span<const ModuleRow> moduleRows();
/// What the pipelines of devices schedule by shared memory and threads that wait for each other.
std::span<const ModuleRow> scheduledRows();
/// Sorts, scans and samples, which have kernels of their own on devices: of nothing, of one element, of a part of what
/// a group takes and of several of them, along several axes.
std::span<const ModuleRow> dispatchedRows();
struct KernelRow {
  const char *name, *types, *body;
};
std::span<const KernelRow> kernelRows();
/// Threads of a group that share memory, which y has backwards.
std::string sharingKernel();
/// Threads of a warp that take the values of others by T.tvm_warp_shuffle with that ending, of 1.
std::string movingKernel(const QString& ending, const QString& type);

/// The negative of s + s * s, of the sum s of two tensors, on two devices of a kind ("cuda") and
/// the processor; both sums are calls of one function, on one device each.
std::string partsModule(const std::string& kind);

}  // namespace rx
