@R.function
def main(x: R.Tensor(s, "float32"), s: R.Shape(ndim=2)) -> R.Object:
    return x
