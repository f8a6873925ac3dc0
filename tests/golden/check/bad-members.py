@I.ir_module
class Module:
    @R.functino(pure=False)
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x
    def g(x):
        return x
    @T.prim_func(private=True))
    def h(a: T.handle):
        T.evaluate(0)
    @R.function
    def k(x: R.Object) -> R.Object:
        return x

    @R.function
    def user(x: R.Object) -> R.Object:
        cls = Module
        a = cls.h(x)
        return cls.g(cls.nothing(x))
