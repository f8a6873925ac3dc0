from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 1, 3, "n"), dtype="float32"), grid: R.Tensor((1, 2, 2, 3), dtype="float32")) -> R.Tuple(R.Tensor((1, 1, 2, 3), dtype="float32"), R.Tensor((1, 1, 2, 3), dtype="float32"), R.Tensor((1, 1, 2, 3), dtype="float32"), R.Tensor((1, 1, 2, 3), dtype="float32"), R.Tensor((1, 1, 2, 3), dtype="float32")):
        far = R.multiply(grid, R.const(1.5, "float32"))
        a = R.image.grid_sample(x, far, method="bilinear", padding_mode="zeros", align_corners=True)
        b = R.image.grid_sample(x, far, method="nearest", padding_mode="border", align_corners=False)
        c = R.image.grid_sample(x, far, method="bicubic", padding_mode="reflection", align_corners=False)
        d = R.image.grid_sample(x, far, method="bilinear", padding_mode="reflection", align_corners=True)
        e = R.image.grid_sample(x, far, method="bicubic", padding_mode="zeros", align_corners=True)
        return (a, b, c, d, e)
