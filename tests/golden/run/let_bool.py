# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4, 8), "bool")):
        for i in T.serial(4):
            m: T.float32 = A[i, 0]
            with T.LetStmt(T.float32(2) * m) as d:
                B[i] = d
            for j in T.vectorized(8):
                C[i, j] = A[i, j] > m

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4, 8), dtype="bool")):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4, 8), dtype="bool")])
        return y
