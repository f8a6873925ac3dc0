from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("n", 4), "float32")):
    z = R.exp(x + y) * x
    return z
