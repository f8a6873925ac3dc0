@R.function(private=True)
def main(x: R.Tensor([16], "float16")):
    with R.dataflow():
        y = R.add(x, x)
        z = R.multiply(y, y)
        return z, y  # both are outputs
