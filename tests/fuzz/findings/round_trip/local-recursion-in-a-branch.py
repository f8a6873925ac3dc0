@I.ir_module
class M:

    @T.prim_func(private=True)
    def k(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        B[0, 0] = A[0, 0]

    @R.function
    def f(x: R.Tensor(("n", 4), "float32"), s: R.Shape(["n", "m"]), c: R.Tensor((), "bool")) -> R.Tensor("float32"):
        n = T.int64()
        m = T.int64()
        q = T.int64()
        if c:
            @R.function(pure=False)
            def h(z: R.Tensor((n, 4), "float32")) -> R.Callable:
                y = R.call_inplace_packed("p", x, inplace_indices=[0], sinfo_args=[R.Tensor((n, 4))])
                return h
            y = R.tensor_to_shape(R.const([1, 2], "int64"))
            y = (x, x)
        else:
            y = M.g
            y: R.Tuple(R.Object, R.Object) = (x, x)
            y = x
        y = R.const([[1.0, 2.0]], "float32")
        return R.shape([1])

    @R.function
    def g(x: R.Tensor(("n", 4), "float32")):
        q = T.int64()
        with R.dataflow():
            y = R.call_tir(M.k, (x,), out_sinfo=R.Tensor((n, 4), "float32"))
            R.output(y)
        return y
