from tvm.script import ir as I, relax as R, tirx as T

@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "int32")):
    z = R.add(x, y)
    return z
