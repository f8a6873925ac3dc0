# Parts for workers lie one behind the other; an axis inside is turned to the front.
@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor((4, 6), "float32")) -> R.Tensor((2, 6), "float32"):
        gv = R.ccl.scatter_from_worker0(x, num_workers=2)
        return gv

    @R.function
    def second(x: R.Tensor((4, 6), "float32")) -> R.Tensor((4, 2), "float32"):
        gv = R.ccl.scatter_from_worker0(x, num_workers=3, axis=1)
        return gv
