from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 2, "n"), dtype="float32"), y: R.Tensor((1, 1, "n", 5), dtype="float32")) -> R.Tuple(R.Tensor(ndim=3, dtype="float32"), R.Tensor(ndim=4, dtype="float32")):
        a = R.nn.max_pool1d(x, pool_size=[3], strides=[2], padding=[1, 1], ceil_mode=True)
        b = R.nn.avg_pool2d(y, pool_size=[2, 2], strides=[2, 2], padding=[0, 1, 0, 1], ceil_mode=True)
        return (a, b)
