# A condition on lanes becomes the predicate of what it guards, in choices of values too; what might fault in a lane that does not count stays a loop.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def masked(x: T.Buffer((20,), "float32"), s: T.Buffer((1,), "float32"), y: T.Buffer((16,), "float32")):
        for i in T.vectorized(16):
            y[i] = y[i] + T.if_then_else(5 + i < 20, x[5 + i] * s[0], T.float32(0))
        for i in T.vectorized(16):
            if i < 9:
                y[i] = x[i]

    @T.prim_func
    def scalar(x: T.Buffer((20,), "int32"), d: T.Buffer((20,), "int32"), y: T.Buffer((16,), "int32")):
        for i in T.vectorized(16):
            y[i] = T.if_then_else(i < 9, x[i] // d[i], 0)
        for i in T.vectorized(16):
            y[i] = T.if_then_else(i < 9 and x[i] > 3, x[i], 0)
        for i in T.vectorized(16):
            if i < 9:
                T.evaluate(T.call_extern("int32", "noted", y[i]))
