@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    y: R.Tensor((4,), "float32")
    z: R.Tensor((4,), "float32") = R.add(x, y)
    return z
