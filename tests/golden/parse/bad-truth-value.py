@T.prim_func
def main():
    T.evaluate(T.bool(1))
    T.evaluate(T.bool(5))
    T.evaluate(T.IntImm("float32", 1))
