from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(x: R.Tensor((2, 3), "float32")):
    y = R.sum(x, axis=