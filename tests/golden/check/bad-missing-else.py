from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
    if c:
        y = R.exp(x)
    return x
