from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add_to(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(T.int64(4)):
            with T.sblock("add"):
                vi = T.axis.spatial(T.int64(4), i)
                A[vi] = A[vi] + B[vi]

    @T.prim_func(private=True)
    def double(A: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(T.int64(4)):
            with T.sblock("double"):
                vi = T.axis.spatial(T.int64(4), i)
                A[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            total = R.call_tir_inplace(cls.add_to, (x, y), [0], out_sinfo=R.Tensor((4,), "float32"))
            out = R.call_tir_inplace(cls.double, (total,), [0], out_sinfo=R.Tensor((4,), "float32"))
            R.output(out)
        return out
