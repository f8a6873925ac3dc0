@T.prim_func
def main(a: T.handle, n: T.int32, b: a):
    T.evaluate(0)
