# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="int16")) -> R.Tuple(R.Prim("int64"), R.Prim("int64"), R.Prim("uint8"), R.Prim("uint8"), R.Prim("int32")):
        a = R.inspect.tensor_shape_i(x, R.prim_value(0))
        b = R.inspect.tensor_stride_i(x, R.prim_value(0))
        c = R.inspect.tensor_dtype_bits(x)
        d = R.inspect.tensor_dtype_code(x)
        e = R.inspect.tensor_ndim(x)
        return (a, b, c, d, e)
