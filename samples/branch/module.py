# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def power(x: R.Tensor((4, 4), dtype="float32"), k: R.Tensor((), dtype="int64")) -> R.Tensor((4, 4), dtype="float32"):
        cls = Module
        done: R.Tensor((), dtype="bool") = R.less_equal(k, R.const(1, "int64"))
        if done:
            r: R.Tensor((4, 4), dtype="float32") = x
        else:
            less: R.Tensor((), dtype="int64") = R.subtract(k, R.const(1, "int64"))
            rest: R.Tensor((4, 4), dtype="float32") = cls.power(x, less)
            r_else: R.Tensor((4, 4), dtype="float32") = R.matmul(rest, x, out_dtype="void")
            r: R.Tensor((4, 4), dtype="float32") = r_else
        return r

    @R.function(pure=False)
    def main(x: R.Tensor((2, 8), dtype="float32"), flag: R.Tensor((), dtype="bool"), p_0: R.Tensor((4, 4), dtype="float32")) -> R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((2,), dtype="int64")):
        R.func_attr({"num_input": 2})
        cls = Module
        if flag:
            doubled: R.Tensor((2, 8), dtype="float32") = R.add(x, x)
            square: R.Tensor((4, 4), dtype="float32") = R.reshape(doubled, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square
        else:
            tall: R.Tensor((8, 2), dtype="float32") = R.reshape(x, R.shape([8, 2]))
            halved: R.Tensor((8, 2), dtype="float32") = R.multiply(tall, R.const(0.5, "float32"))
            square_1: R.Tensor((4, 4), dtype="float32") = R.reshape(halved, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square_1
        # from tvm.script import relax as R
        
        @R.function
        def shifted(v: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
            s: R.Tensor((4, 4), dtype="float32") = R.add(v, p_0)
            return s

        moved: R.Tensor((4, 4), dtype="float32") = shifted(y)
        cube: R.Tensor((4, 4), dtype="float32") = cls.power(moved, R.const(3, "int64"))
        shape: R.Shape([4, 4]) = R.shape_of(cube)
        sizes: R.Tensor((2,), dtype="int64") = R.call_packed("relax.run.shape_to_tensor", shape, sinfo_args=(R.Tensor((2,), dtype="int64"),))
        return (moved, cube, sizes)
