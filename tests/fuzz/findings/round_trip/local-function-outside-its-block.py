@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        lv = R.add(x, x)

        @R.function
        def inner(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            b = R.add(a, lv)
            return b
    with R.dataflow():
        gv = inner(x)
        R.output(gv)
    return gv
