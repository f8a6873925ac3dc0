from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(boxes: R.Tensor((1, 4, 4), dtype="float32"), scores: R.Tensor((1, 2, 4), dtype="float32"), least: R.Tensor((2, 2), dtype="float32")):
        return R.vision.all_class_non_max_suppression(boxes, scores, R.const(2, "int64"), R.const(0.5, "float32"), least, output_format="onnx")
