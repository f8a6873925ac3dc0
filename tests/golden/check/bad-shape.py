from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 5), "float32")):
    y = R.matmul(x, w)
    return y
