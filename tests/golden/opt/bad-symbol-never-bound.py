# n * 2 alone does not say what n is.
@R.function
def main(x: R.Tensor(("n * 2",), "float32")) -> R.Shape(["n"]):
    n = T.int64()
    R.func_attr({"relax.force_pure": True})
    return R.shape([n])
