@R.function
def main(x: R.Tensor((2,), "float32"), v: R.Tensor((), "float32")):
    y = R.nn.pad(x, v, pad_width=[1, 1])
    return y
