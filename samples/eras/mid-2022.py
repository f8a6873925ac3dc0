# Mid 2022: round brackets, call_tir with a shape and a dtype.
import tvm.script
from tvm import relax


@tvm.script.ir_module
class Module:
    @T.prim_func
    def scale(x: T.handle, y: T.handle) -> None:
        A = T.match_buffer(x, (4, 4), "float32")
        B = T.match_buffer(y, (4, 4), "float32")
        for i, j in T.grid(4, 4):
            with T.block("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @relax.function
    def main(x: Tensor((4, 4), "float32")) -> Tensor((4, 4), "float32"):
        y = relax.call_tir(Module.scale, (x,), (4, 4), dtype="float32")
        return y
