# What is too large for the stack, or not constant, comes from the device and is freed at the end of its region.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4096,), "float32"), n: T.int32):
        T.func_attr({"target": T.target({"kind": "llvm"})})
        T.attr("", "device_id", 0)
        small = T.alloc_buffer((16,))
        large = T.alloc_buffer((4096,))
        for i in range(4096):
            part = T.alloc_buffer((n,))
            part[0] = A[i]
            large[i] = part[0]
        small[0] = large[0]
