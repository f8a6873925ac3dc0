@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.emit_te(topi.add, x, x)
    return y
