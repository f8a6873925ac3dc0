# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (3, 4), "float32", strides=[4, 1])
        B = T.match_buffer(b, (4, 3), "float32")
        for i, j in T.grid(3, 4):
            with T.sblock("t"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vj, vi] = A[vi, vj] + T.Cast("float32", T.Select(vi < vj, T.int8(1), T.int8(-1)))

    @R.function
    def main(x: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((4, 3), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4, 3), dtype="float32"))
        return y
