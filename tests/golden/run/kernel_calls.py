from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_one(a: T.handle("float32"), b: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((n,), "float32", data=a)
        B = T.decl_buffer((n,), "float32", data=b)
        for i in range(n):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def square(v: T.float32) -> T.float32:
        return v * v

    @T.prim_func(private=True, s_tir=True)
    def twice(a: T.handle("float32"), b: T.handle("float32"), n: T.int32):
        Module.add_one(a, b, n)
        Module.add_one(b, b, n)

    @T.prim_func(private=True, s_tir=True)
    def negate(a: T.handle, b: T.handle):
        m = T.int32()
        A = T.match_buffer(a, (m, 2), "float32")
        B = T.match_buffer(b, (m, 2), "float32")
        for i, j in T.grid(m, 2):
            B[i, j] = T.float32(0) - A[i, j]

    @T.prim_func(private=True, s_tir=True)
    def flip(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[3 - i]

    @T.prim_func(private=True, s_tir=True)
    def outer(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float32")):
        with T.sblock("root"):
            S = T.sblock_alloc_buffer((4,), "float32")
            Module.twice(A.data, B.data, 4)
            for i in range(4):
                if i > 1:
                    B[i] = Module.square(Module.square(B[i]) - T.float32(1))
            for k in range(3):
                Module.add_one(A.data, S.data, k + 1)
            Module.flip(S, C)
            Module.negate(T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(2, 2, dtype="handle"), 0, 2, T.float32(0), 0, dtype="handle"), T.tvm_stack_make_array(D.data, T.tvm_stack_make_shape(2, 2, dtype="handle"), 0, 2, T.float32(0), 0, dtype="handle"))
            S[3] = T.float32(0)
            C[0] = S[3]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        cls = Module
        y = R.call_tir(cls.outer, (x,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        z = R.call_tir(cls.flip, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return (y[0], y[1], y[2], z)
