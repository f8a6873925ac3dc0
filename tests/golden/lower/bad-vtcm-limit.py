@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        a = T.alloc_buffer((200000,), "uint8", scope="global.vtcm")
        a[0] = T.uint8(1)
        for i in range(n):
            b = T.alloc_buffer((200000,), "uint8", scope="global.vtcm")
            b[0] = T.uint8(1)
