@T.prim_func(s_tir=True)
def main():
    with T.sblock("b"):
        T.sblock_attr({"key": "one"})
        T.sblock_attr({"key": "two"})
        T.evaluate(0)
