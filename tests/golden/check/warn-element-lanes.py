@R.function
def main(x: R.Tensor((2,), "float32x4")) -> R.Object:
    return x
