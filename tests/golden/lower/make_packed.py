# Tensors of one symbolic size, one with strides and an offset, and scalars of every form.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_A: T.handle, var_B: T.handle, s: T.float16, on: T.bool, raw: T.handle) -> T.int32:
        n, stride, offset = T.int64(), T.int64(), T.int64()
        A = T.match_buffer(var_A, (n, T.int64(4)))
        B = T.match_buffer(var_B, (n + T.int64(1),), strides=[stride], elem_offset=offset, offset_factor=8)
        if on:
            return T.Cast("int32", n)
        B[0] = A[0, 0] * T.Cast("float32", s)
        return 0
