from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, "n", 6), dtype="float32")) -> R.Tuple(R.Tensor((1, "n"), dtype="int32"), R.Tensor((1, 1), dtype="int32"), R.Tensor((1, 4, 6), dtype="float32"), R.Tensor((1, 4, 6), dtype="float32"), R.Tensor((1, 4), dtype="int32"), R.Tensor((1, 1), dtype="int32")):
        v = R.vision.get_valid_counts(x, score_threshold=-0.5, id_index=-1, score_index=1)
        a = R.vision.non_max_suppression(v[1], v[0], v[2], iou_threshold=0.1, force_suppress=True, id_index=-1)
        boxes = R.const([[[0.0, 0.75, 0.0, 0.0, 4.0, 4.0], [0.0, 0.5, 1.0, 1.0, 4.0, 4.0], [1.0, 0.875, 0.0, 0.0, 4.0, 4.0], [0.0, 0.25, 5.0, 5.0, 6.0, 6.0]]], "float32")
        count = R.const([4], "int32")
        all = R.const([[0, 1, 2, 3]], "int32")
        b = R.vision.non_max_suppression(boxes, count, all, max_output_size=2, iou_threshold=0.5, return_indices=False, invalid_to_bottom=True)
        c = R.vision.non_max_suppression(boxes, count, all, iou_threshold=0.75, force_suppress=True, soft_nms_sigma=0.5, score_threshold=0.125)
        return (a[0], a[1], b, c[0], c[1], c[2])
