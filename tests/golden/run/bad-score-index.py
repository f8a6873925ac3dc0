from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(b: R.Tensor((2, 4, 6), dtype="float32")):
        return R.vision.get_valid_counts(b, score_threshold=0.1, id_index=0, score_index=6)
