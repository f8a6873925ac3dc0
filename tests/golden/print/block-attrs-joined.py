@T.prim_func(s_tir=True)
def main():
    with T.sblock("b"):
        T.sblock_attr({"key": {"a": 1}, "other": 2})
        T.sblock_attr({"key": {"b": 3}, "other": 2})
        T.evaluate(0)
