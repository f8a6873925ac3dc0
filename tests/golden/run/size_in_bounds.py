# A size that is made up lies within what the function says of it.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        R.func_attr({"tir_var_lower_bound": {"n": 6}, "tir_var_upper_bound": {"n": 8}})
        with R.dataflow():
            gv: R.Tensor((n, 4), "float32") = R.add(x, x)
            R.output(gv)
        return gv
