from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(c: R.Tensor((2, 3, "n"), dtype="float32"), l: R.Tensor((2, "n * 4"), dtype="float32"), a: R.Tensor((1, "n", 4), dtype="float32"), b: R.Tensor((2, "n", 6), dtype="float32")) -> R.Tuple(R.Tensor((2, "n", 4), dtype="float32"), R.Tensor((2, 3, "n"), dtype="float32"), R.Tensor((2,), dtype="int32"), R.Tensor((2, "n", 6), dtype="float32"), R.Tensor((2, "n"), dtype="int32")):
        s = R.vision.multibox_transform_loc(c, l, a, clip=True, threshold=0.3, variances=[0.1, 0.1, 0.2, 0.2], keep_background=False)
        t = R.vision.get_valid_counts(b, score_threshold=0.1, id_index=-1, score_index=1)
        return (s[0], s[1], t[0], t[1], t[2])
