// A module whose kernel is a group of eight threads that hand elements on in shared memory.
#pragma once

#include <string>

namespace rx::test {

/// `store`: the last statement of a thread `t`, which reads `ours` and writes `y`.
inline std::string threadsModule(const std::string& store) {
  return R"(from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def k(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for t in T.thread_binding(8, thread="threadIdx.x"):
            with T.block(""):
                ours = T.alloc_buffer((8,), scope="shared")
                ours[t] = x[t]
                )" +
         store + R"(

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        lv = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((8,), "float32"))
        return lv
)";
}

}  // namespace rx::test
