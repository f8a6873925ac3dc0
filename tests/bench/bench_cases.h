// Whole functions as benchmarks of kernels run them: read from a file, compiled by a pipeline, given numbers made from
// a seed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/runtime/machine.h"

namespace rx::bench {

class WatchedKernels;

/// One function by one pipeline.
struct Case {
  std::string name, pipeline;
  std::shared_ptr<WatchedKernels> kernels;  ///< null where nobody asked for their calls
  std::unique_ptr<vm::Machine> machine;
  std::vector<vm::Value> arguments;
  std::vector<double> milliseconds;  ///< of processor time, of each run that was kept
  double build = 0;                  ///< milliseconds of wall clock
};

/// What a case keeps beside its machine: what a run calls kernels with, which all have to be compiled then.
enum class Keep { Nothing, KernelCalls };
/// FILE.py, or FILE.py:SIZE: what sizes that only a run knows are.
Result<Case> prepare(const std::string& argument, const std::string& pipeline, Keep keep = Keep::Nothing);
/// One case for each of these sizes, of what is compiled once.
Result<std::vector<Case>> prepareSizes(const std::string& file, const std::string& pipeline, Keep keep,
                                       std::span<const int64_t> sizes);
/// Gives both the same arguments.
void giveSame(const Case& one, Case& other);
/// Lays what the calls of kernels that they keep write at the same addresses, `shift` bytes behind where that begins by
/// itself: what a processor makes of how buffers lie to each other then falls on both.
Result<Unit> lieAlike(Case& one, Case& other, int64_t shift);
/// Milliseconds of processor time of so many runs behind one another; below zero where one fails, which is said.
double timeOf(Case& one, int runs);
/// The same of the calls of kernels alone, as the run made them whose calls were kept.
double kernelTimeOf(Case& one, int runs);
/// The largest difference of a result from that of the first, by the size of the largest element.
double difference(const Case& one, const Case& first);

}  // namespace rx::bench
