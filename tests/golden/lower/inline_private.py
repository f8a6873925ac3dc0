# Calls that are statements are replaced; the function that a value needs stays.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def leaf(a: T.handle("float32", "global"), n: T.int32):
        A = T.decl_buffer((n,), data=a)
        for i in range(n):
            A[i] = T.float32(n - 1)

    @T.prim_func(private=True, s_tir=True)
    def middle(a: T.handle("float32", "global")):
        Module.leaf(a, 8)

    @T.prim_func(private=True, s_tir=True)
    def value(n: T.int32) -> T.int32:
        return n

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 8), "float32"), n: T.int32):
        for i in range(4):
            Module.middle(T.address_of(A[i, 0]))
        Module.leaf(A.data, n)
        A[0, 0] = T.Cast("float32", Module.value(3))
