from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(x: R.Tensor((2,), "float32")):
    a = R.no_such_operator(x)
    b = R.exp(unknown)
    return b
