from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def divmod(a: T.handle, b: T.handle, q: T.handle, r: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        Q = T.match_buffer(q, (n,), "int32")
        S = T.match_buffer(r, (n,), "float64")
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                Q[vi] = T.floordiv(A[vi], T.max(B[vi], 1))
                S[vi] = T.Cast("float64", T.floormod(A[vi], T.max(B[vi], 1)))

    @R.function
    def main(x: R.Tensor(("n",), dtype="int32"), y: R.Tensor(("n",), dtype="int32")) -> R.Tuple(R.Tensor(("n",), dtype="int32"), R.Tensor(("n",), dtype="float64")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            t = R.call_tir(cls.divmod, (x, y), out_sinfo=[R.Tensor((n,), dtype="int32"), R.Tensor((n,), dtype="float64")])
            a = t[0]
            b = R.add(a, a)
            c = t[1]
            o = (b, c)
            R.output(o)
        return o
