@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.additive(x, x)
    return y
