# One refusal a function.
@I.ir_module
class Module:
    @R.function(private=True)
    def scale_unknown(x: R.Tensor((2, 3), "float32"), s: R.Tensor((3,)), z: R.Tensor((3,), "int8")):
        return R.quantize(x, s, z, axis=1)

    @R.function(private=True)
    def scale_symbolic(x: R.Tensor((2, 3), "float32"), s: R.Tensor(("m",), "float32"), z: R.Tensor((3,), "int8")):
        return R.quantize(x, s, z, axis=1)

    @R.function(private=True)
    def quantized_wide(x: R.Tensor((2, 3), "float32"), s: R.Tensor((), "float32"), z: R.Tensor((), "int8")):
        return R.quantize(x, s, z, axis=1, out_dtype="int32")

    @R.function(private=True)
    def axis_of_scalar(x: R.Tensor((), "int8"), s: R.Tensor((), "float32"), z: R.Tensor((), "int8")):
        return R.dequantize(x, s, z, axis=0)

    @R.function(private=True)
    def scattered_step(x: R.Tensor((2, 3), "float32"), y: R.Tensor((1, 3), "float32")):
        return R.slice_scatter(x, y, 0, 1, 0, axis=0)

    @R.function(private=True)
    def scattered_length(x: R.Tensor((9, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        return R.slice_scatter(x, y, 0, 9, 3, axis=0)

    @R.function(private=True)
    def scattered_range(x: R.Tensor((2, 3), "float32"), y: R.Tensor((1, 3), "float32")):
        return R.slice_scatter(x, y, 1, 0, 1, axis=0)

    @R.function(private=True)
    def scattered_depth(x: R.Tensor((8,), "float32"), i: R.Tensor((4, "n"), "int64"), u: R.Tensor((4,), "float32")):
        return R.scatter_nd(x, i, u)

    @R.function(private=True)
    def scattered_rows(x: R.Tensor((8,), "float32"), i: R.Tensor(("k", 1), "int64"), u: R.Tensor((4,), "float32")):
        return R.scatter_nd(x, i, u)

    @R.function(private=True)
    def gathered_batch(x: R.Tensor("float32", ndim=3), i: R.Tensor((2, 2), "int64")):
        return R.gather_nd(x, i, batch_dims=2)

    @R.function(private=True)
    def padded_unknown(x: R.Tensor("float32")):
        return R.nn.pad(x, pad_width=[1, 1])

    @R.function(private=True)
    def columns(x: R.Tensor((2, 10, 6), "float32")):
        return R.vision.get_valid_counts(x, score_index=6)

    @R.function(private=True)
    def boxes(x: R.Tensor((2, "k", 6), "float32"), c: R.Tensor((2,), "int32"), i: R.Tensor((2, 5), "int32")):
        return R.vision.non_max_suppression(x, c, i)

    @R.function(private=True)
    def slice_length(x: R.Tensor("float32", ndim=4), b: R.Tensor(("k",), "int64"), e: R.Tensor((4,), "int64")):
        return R.dynamic_strided_slice(x, b, e, e)

    @R.function(private=True)
    def grid(a: R.Tensor("float32"), b: R.Tensor((4,), "float32")):
        return R.meshgrid((a, b))

    @R.function(private=True)
    def scattered_unknown(x: R.Tensor("float32", ndim=2)):
        return R.ccl.scatter_from_worker0(x, num_workers=2)

    @R.function(private=True)
    def gathered_scalar(x: R.Tensor((), "float32")):
        return R.ccl.allgather(x, num_workers=2)

    @R.function(private=True)
    def barrier(x: R.Tuple(R.Tensor((2,), "float32"))):
        return R.builtin.stop_lift_params(x)

    @R.function(private=True)
    def summed_types(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3,))):
        return R.einsum((a, b), subscripts="ij,j->i")
