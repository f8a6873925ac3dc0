from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((6,), dtype="int32")):
        return R.layout_transform(x, index_map=lambda i: (i // 4, i % 4), pad_value=T.float32(9.5))
