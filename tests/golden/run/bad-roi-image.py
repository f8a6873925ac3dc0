from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 1, 3, 3), dtype="float32")):
        rois = R.const([[5.0, 0.0, 0.0, 2.0, 2.0]], "float32")
        return R.vision.roi_align(x, rois, pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2)
