@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y: R.Tensor((3,), "float32") = R.add(x, x)
    z: R.Tensor((2,), "float32") = R.const(1, "int32")
    return x
