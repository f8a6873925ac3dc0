from tvm.script import ir as I, relax as R, tirx as T

@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")):
    with R.dataflow():
        y = R.call_packed("f", x, sinfo_args=R.Tensor((2,), "float32"))
        R.output(y)
    return y
