// A module whose one kernel never ends where its input is less than one.
#pragma once

namespace rx::test {

constexpr const char* kEndless = R"(from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def search(a: T.Buffer((1,), "float32"), b: T.Buffer((1,), "float32")):
        b[0] = a[0]
        while b[0] < T.float32(1):
            b[0] = b[0] * T.float32(0.5)

    @R.function
    def main(x: R.Tensor((1,), dtype="float32")):
        cls = Module
        found = R.call_tir(cls.search, (x,), out_sinfo=R.Tensor((1,), dtype="float32"))
        return found
)";

}  // namespace rx::test
