@R.function
def main(x: R.Tensor((2,), "float32")):
    @R.function
    y = R.add(x, x)
    return y
