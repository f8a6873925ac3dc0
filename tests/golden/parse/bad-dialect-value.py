# The prefixes of the dialects, and the module, are no values.
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        A[0] = A[T(5)]
        A[1] = A[R[5]]
        T.evaluate(T)

    @R.function
    def other(x: R.Tensor((4,), "float32")):
        R.func_attr({"module": Module})
        y = R.add(x, R)
        return y
