@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Object:
    return R.add
