// A module whose kernel is a group of eight threads that hand elements on in shared memory.
#pragma once

#include <string>

namespace rx::test {

/// A module whose main calls a kernel with this body, of x and y with 8 elements.
inline std::string moduleOfKernel(const std::string& body) {
  return R"(from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def k(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
)" + body +
         R"(
    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        lv = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((8,), "float32"))
        return lv
)";
}

/// `store`: the last statement of a thread `t`, which reads `ours` and writes `y`.
inline std::string threadsModule(const std::string& store) {
  return moduleOfKernel(R"(        for t in T.thread_binding(8, thread="threadIdx.x"):
            with T.block(""):
                ours = T.alloc_buffer((8,), scope="shared")
                ours[t] = x[t]
                )" + store +
                        "\n");
}

/// Two kernels one after the other, of two groups of four threads each.
inline std::string twoLaunches() {
  std::string body;
  for (const char* store : {"x[b * 4 + t] + T.float32(1)", "y[b * 4 + t] * T.float32(2)"}) {
    body += R"(        for b in T.thread_binding(2, thread="blockIdx.x"):
            for t in T.thread_binding(4, thread="threadIdx.x"):
                with T.block(""):
                    y[b * 4 + t] = )" +
            std::string(store) + "\n";
  }
  return moduleOfKernel(body);
}

}  // namespace rx::test
