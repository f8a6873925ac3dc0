from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 1, 5, "n"), dtype="float32"), y: R.Tensor((2, 5, 4, 2), dtype="float32")) -> R.Tuple(R.Tensor((3, 1, 2, 2), dtype="float32"), R.Tensor((3, 1, 2, 1), dtype="float32"), R.Tensor((3, 2, 2, 2), dtype="float32"), R.Tensor((3, 1, 2, 2), dtype="float32")):
        rois = R.const([[0.0, 0.0, 0.0, 3.0, 4.0], [1.0, -4.0, 1.0, 1.5, 2.5], [1.0, 2.0, 2.0, 9.0, 9.0]], "float32")
        a = R.vision.roi_align(x, rois, pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2, aligned=True, layout="NCHW", mode="avg")
        b = R.vision.roi_align(x, rois, pooled_size=(2, 1), spatial_scale=0.5, sample_ratio=-1, aligned=False, layout="NCHW", mode="max")
        c = R.vision.roi_align(y, rois, pooled_size=2, spatial_scale=1.0, sample_ratio=-1, aligned=False, layout="NHWC", mode="avg")
        d = R.vision.roi_pool(x, rois, pooled_size=(2, 2), spatial_scale=1.0, layout="NCHW")
        return (a, b, c, d)
