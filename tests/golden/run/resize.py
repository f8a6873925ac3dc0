# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 2, 3), dtype="float32")) -> R.Tuple(R.Tensor((1, 1, 4, 6), dtype="float32"), R.Tensor((1, 1, 4, 6), dtype="float32"), R.Tensor((1, 1, 4, 5), dtype="float32")):
        with R.dataflow():
            a = R.image.resize2d(x, R.shape([4, 6]), method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")
            b = R.image.resize2d(x, R.shape([4, 6]), method="linear")
            c = R.image.resize2d(x, R.shape([4, 5]), method="cubic", coordinate_transformation_mode="align_corners")
            gv = (a, b, c)
            R.output(gv)
        return gv
