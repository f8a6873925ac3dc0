@I.ir_module
class M:

    @T.prim_func(private=True)
    def k(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        B[0, 0] = A[0, 0]

    @R.function
    def f(x: R.Tensor(("n", 4), "float32"), s: R.Shape(["n", "m"]), c: R.Tensor((), "bool")) -> R.Tensor("float32"):
        y = (R.add(x, x), M.g(x))
        a, b = R.split(x, 2, axis=1)
        return (y, M.g)

    @R.function
    def g(x: R.Tensor(("n", 4), "float32")) -> R.Tuple:
        @R.function(pure=False)
        def h2(z: R.Object) -> R.Tensor("float32"):
            y = R.strided_slice(x, [0], [1], [n])
            return h2
        return M.f
