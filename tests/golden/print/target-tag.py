@T.prim_func(s_tir=True)
def main():
    T.func_attr({"target": T.target("nvidia/nvidia-a100", host="llvm")})
    T.evaluate(0)
