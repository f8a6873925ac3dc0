# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def inc(A: T.Buffer((4,), "int16")):
        for i in range(4):
            A[i] = A[i] + T.int16(7)

    @T.prim_func
    def both(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            C[i] = A[i] - B[i]
            A[i] = A[i] + B[i]

    @R.function
    def main(x: R.Tensor((4,), dtype="int16"), y: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="int16"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))):
        cls = Module
        x1 = R.add(x, x)
        a = R.call_tir_inplace(cls.inc, (x1,), out_sinfo=R.Tensor((4,), dtype="int16"), inplace_indices=[0])
        y1 = R.multiply(y, y)
        b = R.call_tir_inplace(cls.both, (y1, y), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")], inplace_indices=[0, -1])
        return (a, b)
