@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"a": T.int64, "b": [T.int8, "x"]})
    return x
