from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(scores: R.Tensor((2, 2, 4), dtype="float32"), most: R.Tensor((1,), dtype="int64")) -> R.Tuple(R.Tensor(ndim=2, dtype="int64"), R.Tensor((1,), dtype="int64"), R.Tensor(ndim=2, dtype="int64"), R.Tensor((2, 8, 2), dtype="int64"), R.Tensor((2, 8), dtype="float32"), R.Tensor((2,), dtype="int64")):
        boxes = R.const([[[0.0, 0.0, 4.0, 4.0], [1.0, 1.0, 4.0, 4.0], [5.0, 5.0, 6.0, 6.0], [6.0, 6.0, 5.0, 5.0]], [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0], [4.0, 4.0, 5.0, 5.0], [6.0, 6.0, 7.0, 7.0]]], "float32")
        overlap = R.const(0.5, "float32")
        least = R.const(-0.25, "float32")
        a = R.vision.all_class_non_max_suppression(boxes, scores, R.const(2, "int64"), overlap, least, output_format="onnx")
        b = R.vision.all_class_non_max_suppression(boxes, scores, R.add(R.multiply(most, R.const([0], "int64")), R.const([1], "int64")), R.const([0.5], "float32"), R.const([0.5], "float32"), output_format="onnx")
        c = R.vision.all_class_non_max_suppression(boxes, scores, R.const(2, "int64"), overlap, least, output_format="tensorflow")
        return (a[0], a[1], b[0], c[0], c[1], c[2])
