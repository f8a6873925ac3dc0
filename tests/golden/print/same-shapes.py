# A function whose parameters have the very symbols of the arguments gives the shape that it states.
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n", "m"), "float32")):
    n = T.int64()
    m = T.int64()

    @R.function
    def inner(a: R.Tensor((n, m), "float32"), b: R.Tensor((n, m), "float32")):
        c = R.add(a, b)
        return c

    z = inner(x, y)
    return z
