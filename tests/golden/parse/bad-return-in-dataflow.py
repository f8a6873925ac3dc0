@R.function
def main(x: R.Tensor((2,), "float32")):
    with R.dataflow():
        y = R.add(x, x)
        return R.add(y, y)
